/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * frames_arm64.h - describe known code of arm64 files that lacks unwind
 * information
 */
#ifndef PFMON_UNWIND_FRAMES_ARM64_H
#define PFMON_UNWIND_FRAMES_ARM64_H

#include "unwind/frames.h"

/*
 * Adds FDEs for code that consists of known instructions: the PLT of a file,
 * and the functions of the vDSO. Returns 0 or a negative errno. The caller
 * calls frames_free() in any case.
 */
int frames_read_arm64(struct frames *frames, const struct elf_file *file);

#endif /* PFMON_UNWIND_FRAMES_ARM64_H */
