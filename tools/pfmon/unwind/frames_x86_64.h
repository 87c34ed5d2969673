/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * frames_x86_64.h - describe known code whose unwind information is missing or
 * wrong
 */
#ifndef PFMON_UNWIND_FRAMES_X86_64_H
#define PFMON_UNWIND_FRAMES_X86_64_H

#include "unwind/frames.h"

/*
 * Adds FDEs for the code that the C library and GCC add to a file, if that code
 * consists of known instructions. Returns 0 or a negative errno. The caller
 * calls frames_free() in any case.
 */
int frames_read_x86_64(struct frames *frames, const struct elf_file *file);

/*
 * Corrects the FDEs of the C library's setcontext() and swapcontext(), which
 * describe their code wrongly.
 */
void frames_correct_x86_64(struct frames *frames, const struct elf_file *file);

#endif /* PFMON_UNWIND_FRAMES_X86_64_H */
