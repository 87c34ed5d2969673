/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jit_open.h - open lists of functions generated at run time */
#ifndef PFMON_CAPTURE_JIT_OPEN_H
#define PFMON_CAPTURE_JIT_OPEN_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Open the perf map of a process, and the jitdump file with this path and inode
 * that a process has mapped. The process may have ended. Return a descriptor,
 * or a negative errno: -ENOENT if there is no such file, -EPERM if the file is
 * of another user or not a regular file.
 */
int jit_open_map(pid_t tgid);
int jit_open_dump(pid_t tgid, const char *path, uint64_t inode);

#endif /* PFMON_CAPTURE_JIT_OPEN_H */
