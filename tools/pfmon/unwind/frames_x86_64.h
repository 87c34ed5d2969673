/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* frames_x86_64.h - code that x86_64 files do not describe, or wrongly */
#ifndef PFMON_UNWIND_FRAMES_X86_64_H
#define PFMON_UNWIND_FRAMES_X86_64_H

#include "unwind/frames.h"

/*
 * Describes the code of a file that the C library and GCC add to it, if it has
 * the known instructions. Returns 0 or a negative errno. frames_free() is
 * needed in either case.
 */
int frames_read_x86_64(struct frames *frames, const struct elf_file *file);

/* Corrects FDEs of .eh_frame that the C library describes wrongly. */
void frames_correct_x86_64(struct frames *frames, const struct elf_file *file);

#endif /* PFMON_UNWIND_FRAMES_X86_64_H */
