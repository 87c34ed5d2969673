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

	bool passing;		/* the thread is stepping over a breakpoint */
	bool masked;		/* most signals are blocked for the step */
	uint64_t mask;		/* the signal mask to restore */
};

/*
 * Sets the breakpoints of a stopped thread. Returns false with errno set on
 * failure.
 */
bool breakpoints_set(const struct breakpoints *breakpoints, pid_t tid);

/*
 * Prepares a thread that has stopped at the breakpoint @address to execute the
 * instruction there. Returns how to resume the thread.
 */
enum trace_way breakpoints_pass(struct breakpoints *breakpoints, pid_t tid,
				uint64_t address);

/*
 * Restores the breakpoint after the thread has stopped again, for the signal
 * @info or, if @info is NULL, for another reason. Returns true if the thread
 * has only completed the step that breakpoints_pass() began.
 */
bool breakpoints_passed(struct breakpoints *breakpoints, pid_t tid,
			const siginfo_t *info);

#endif /* PFMON_PROCESS_BREAKPOINTS_H */
