/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jit_open.h - open lists of functions generated at run time */
#ifndef PFMON_CAPTURE_JIT_OPEN_H
#define PFMON_CAPTURE_JIT_OPEN_H

#include <sys/types.h>
#include <time.h>

struct mapping;

/*
 * Open the perf map of a process, and the jitdump file with this path that a
 * process has mapped. The process may have ended; its perf map is then ignored
 * if it is older than @begun. Store the process's user in *uid. Return a
 * descriptor, or a negative errno: -ENOENT if there is no such file, -EPERM if
 * the file is not one that pfmon trusts.
 */
int jit_open_map(pid_t tgid, time_t begun, unsigned int *uid);
int jit_open_dump(pid_t tgid, const struct mapping *mapping, const char *path,
		  unsigned int *uid);

#endif /* PFMON_CAPTURE_JIT_OPEN_H */
