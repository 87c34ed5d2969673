// SPDX-License-Identifier: MIT OR GPL-2.0
/* number_text.c - format numbers for printing */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number_text.h"

#define GROUP	3

/* Copies digits with separators between groups of three. */
static void group(char *text, const char *digits, char separator)
{
	size_t left = strlen(digits);

	for (; left; left--, digits++) {
		*text++ = *digits;
		if (left > 1 && left % GROUP == 1)
			*text++ = separator;
	}
	*text = '\0';
}

const char *number_text(char text[NUMBER_TEXT_SIZE], uint64_t number,
			enum number_format format)
{
	char digits[NUMBER_TEXT_SIZE];

	snprintf(digits, sizeof(digits),
		 format == NUMBER_HEX ? "%#" PRIx64 : "%" PRIu64, number);
	if (format == NUMBER_US || format == NUMBER_EU)
		group(text, digits, format == NUMBER_US ? ',' : '.');
	else
		memcpy(text, digits, sizeof(digits));
	return text;
}
