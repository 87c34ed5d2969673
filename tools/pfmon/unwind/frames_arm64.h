/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* frames_arm64.h - code that arm64 files have no unwind information about */
#ifndef PFMON_UNWIND_FRAMES_ARM64_H
#define PFMON_UNWIND_FRAMES_ARM64_H

#include "unwind/frames.h"

/*
 * Describes the code of a file whose instructions are known: the PLT, and the
 * functions of the vDSO. Returns 0 or a negative errno. frames_free() is needed
 * in either case.
 */
int frames_read_arm64(struct frames *frames, const struct elf_file *file);

#endif /* PFMON_UNWIND_FRAMES_ARM64_H */
