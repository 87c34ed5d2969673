/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* symbols.h - where code is in an executable, by its name or its address */
#ifndef PFMON_SYMBOLS_H
#define PFMON_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds a function's first instruction, or one whose address in the ELF file is
 * given as a number: how far it is from the one that the program begins with.
 * The name is what messages call the file. False with a message if there is no
 * such code, or no single one.
 */
bool symbols_find(const char *path, const char *name, const char *text,
		  uint64_t *distance);

#endif /* PFMON_SYMBOLS_H */
