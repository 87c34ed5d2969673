/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* symbols.h - where code is in a program or library, by name or address */
#ifndef PFMON_SYMBOLS_H
#define PFMON_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Where an instruction is, in bytes. */
struct code_place {
	uint64_t distance;	/* from that which the program begins with */
	uint64_t offset;	/* in the file */
};

/*
 * Finds a function's first instruction, or one whose address in the ELF file is
 * given as a number. The name is what messages call the file. False with a
 * message if there is no such code, or no single one.
 */
bool symbols_find(const char *path, const char *name, const char *text,
		  struct code_place *place);

#endif /* PFMON_SYMBOLS_H */
