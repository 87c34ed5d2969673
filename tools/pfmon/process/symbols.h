/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* symbols.h - find code in a program or library by name or address */
#ifndef PFMON_PROCESS_SYMBOLS_H
#define PFMON_PROCESS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* The position of an instruction. */
struct code_place {
	uint64_t distance;	/* from the entry point, in bytes */
	uint64_t offset;	/* in the file */
};

/*
 * Finds the first instruction of a function, or the instruction at an address
 * in the ELF file. @name is the file's name for messages. Returns false, with a
 * message, if there is no such code or if it is ambiguous.
 */
bool symbols_find(const char *path, const char *name, const char *text,
		  struct code_place *place);

#endif /* PFMON_PROCESS_SYMBOLS_H */
