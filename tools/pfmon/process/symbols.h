/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* symbols.h - find code in a program by name or address */
#ifndef PFMON_PROCESS_SYMBOLS_H
#define PFMON_PROCESS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds the first instruction of the function that @text names, or the
 * instruction at the address in @text, in an ELF file. Sets *@distance to the
 * number of bytes from the entry point to the code. @name is the file's name in
 * messages. Returns false, with a message, if the code does not exist or is
 * ambiguous.
 */
bool symbols_find(const char *path, const char *name, const char *text,
		  int64_t *distance);

#endif /* PFMON_PROCESS_SYMBOLS_H */
