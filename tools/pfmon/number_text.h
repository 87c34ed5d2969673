/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* number_text.h - format numbers for printing */
#ifndef PFMON_NUMBER_TEXT_H
#define PFMON_NUMBER_TEXT_H

#include <stdint.h>

enum number_format {
	NUMBER_PLAIN,		/* 1234567 */
	NUMBER_US,		/* 1,234,567 */
	NUMBER_EU,		/* 1.234.567 */
	NUMBER_HEX,		/* 0x12d687 */
};

/* 20 digits, 6 separators and the terminating zero. */
#define NUMBER_TEXT_SIZE	27

/* Formats a number; returns text. */
const char *number_text(char text[NUMBER_TEXT_SIZE], uint64_t number,
			enum number_format format);

#endif /* PFMON_NUMBER_TEXT_H */
