/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * compile.h - compile a file's unwind information to a table for the kernel
 *
 * A file can be for another architecture than this machine's. It may be
 * hostile: time and memory are bounded by its size.
 */
#ifndef PFMON_UNWIND_COMPILE_H
#define PFMON_UNWIND_COMPILE_H

#include <perfmon/perfmon_unwind.h>
#include <stddef.h>

/*
 * unwind_compile() compiles an open file; unwind_compile_image() compiles a
 * file's image in memory, such as the vDSO. Both return the table, which the
 * caller frees. On failure they return NULL with errno set and the reason in
 * *why, which continues the sentence "FILE ...".
 */
struct pfm_unwind_head *unwind_compile(int fd, const char **why);
struct pfm_unwind_head *unwind_compile_image(const void *image, size_t size,
					     const char **why);

#endif /* PFMON_UNWIND_COMPILE_H */
