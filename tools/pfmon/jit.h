/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jit.h - functions that processes make at run time, as they tell perf */
#ifndef PFMON_JIT_H
#define PFMON_JIT_H

#include <sys/types.h>

#include "capture.h"

/* The files of processes, /tmp/perf-PID.map; its owner does the locking. */
struct jit;

struct jit *jit_create(void);
void jit_destroy(struct jit *jit);

/*
 * Opens the file of a process if it has one, so that it can be read when the
 * process is gone. Says so, once, if files must not be opened.
 */
void jit_look_at(struct jit *jit, pid_t tgid);

/* Writes a chunk for each file. Returns 0, or -1 with errno set. */
int jit_write(const struct jit *jit, struct capture *capture);

#endif /* PFMON_JIT_H */
