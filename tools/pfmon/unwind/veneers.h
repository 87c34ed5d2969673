/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* veneers.h - instructions that the linker has moved out of functions */
#ifndef PFMON_UNWIND_VENEERS_H
#define PFMON_UNWIND_VENEERS_H

#include "unwind/elf_file.h"
#include "unwind/table.h"

/*
 * Adds rows for veneers in the code between two functions, from the offset
 * @start of the file to @end. The table already describes the code before
 * @start, and has a row with the rule PFM_UNWIND_NONE at @start. Returns 0 or a
 * negative errno.
 */
int veneers_add(struct table *table, const struct elf_file *file,
		uint64_t start, uint64_t end);

#endif /* PFMON_UNWIND_VENEERS_H */
