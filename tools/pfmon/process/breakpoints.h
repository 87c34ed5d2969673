/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* breakpoints.h - hardware breakpoints on code of a traced thread */
#ifndef PFMON_PROCESS_BREAKPOINTS_H
#define PFMON_PROCESS_BREAKPOINTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/breakpoints/machine.h"
#include "process/trace.h"

/* The breakpoints of one thread. */
struct breakpoints {
	uint64_t addresses[BREAKPOINTS];	/* 0: none */

	bool passing;		/* the thread is stepping over one ... */
	bool masked;		/* ... with most signals blocked */
	uint64_t mask;		/* the thread's own signal mask */
};

/* Sets the breakpoints of a stopped thread. Returns false with errno set. */
bool breakpoints_set(const struct breakpoints *breakpoints, pid_t tid);

/*
 * Prepares a thread that has stopped at a breakpoint to execute that
 * instruction; returns how it is to be resumed.
 */
enum trace_way breakpoints_pass(struct breakpoints *breakpoints, pid_t tid,
				uint64_t address);

/*
 * Restores the breakpoint when the thread has stopped again: for a signal, or,
 * if @info is NULL, for another reason. Returns true if the stop is only the
 * end of the step that breakpoints_pass() began.
 */
bool breakpoints_passed(struct breakpoints *breakpoints, pid_t tid,
			const siginfo_t *info);

#endif /* PFMON_PROCESS_BREAKPOINTS_H */
