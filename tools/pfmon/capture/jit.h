/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jit.h - save perf maps, which list functions generated at run time */
#ifndef PFMON_CAPTURE_JIT_H
#define PFMON_CAPTURE_JIT_H

#include <sys/types.h>

#include "capture/capture.h"

/* The files /tmp/perf-PID.map of processes; the owner provides locking. */
struct jit;

struct jit *jit_create(void);
void jit_destroy(struct jit *jit);

/*
 * Opens the file of a process if it has one, so that it can be read after the
 * process has ended. Prints a message about the first file that cannot be
 * opened.
 */
void jit_look_at(struct jit *jit, pid_t tgid);

/* Writes a chunk for each file. Returns 0, or -1 with errno set. */
int jit_write(const struct jit *jit, struct capture *capture);

#endif /* PFMON_CAPTURE_JIT_H */
