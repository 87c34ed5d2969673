/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jit.h - save lists of functions generated at run time */
#ifndef PFMON_CAPTURE_JIT_H
#define PFMON_CAPTURE_JIT_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "capture/capture.h"

/* Perf maps and jitdump files of processes; the owner provides locking. */
struct jit;
struct mapping;

/* Perf maps of ended processes are ignored if they are older than @begun. */
struct jit *jit_create(time_t begun);
void jit_destroy(struct jit *jit);

/*
 * Open files, so that they can be read after the process has ended.
 * jit_look_at() notes that a process has samples, and opens its perf map if the
 * process has @made_code. jit_add_dump() opens a jitdump file that a process
 * has mapped. If a file of a process with samples cannot be used, prints a
 * message, but only once.
 */
void jit_look_at(struct jit *jit, pid_t tgid, bool made_code);
void jit_add_dump(struct jit *jit, pid_t tgid, const struct mapping *mapping,
		  const char *path);

/* Notes that a process has ended, because another one may get its ID. */
void jit_ended(struct jit *jit, pid_t tgid);

/*
 * Writes a chunk for each file of processes for which jit_look_at() was called.
 * Can be called only once. Returns 0, or -1 with errno set.
 */
int jit_write(struct jit *jit, struct capture *capture);

#endif /* PFMON_CAPTURE_JIT_H */
