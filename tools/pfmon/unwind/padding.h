/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* padding.h - padding between functions */
#ifndef PFMON_UNWIND_PADDING_H
#define PFMON_UNWIND_PADDING_H

#include "unwind/elf_file.h"

/*
 * Returns whether the bytes between two functions, from the offset @start of
 * the file to @end, are padding. Some functions of the C library fall through
 * to the next function, so padding may be executed. The rule of the function
 * before the padding then applies.
 */
bool is_padding(const struct elf_file *file, uint64_t start, uint64_t end);

#endif /* PFMON_UNWIND_PADDING_H */
