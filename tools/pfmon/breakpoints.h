/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* breakpoints.h - breakpoints of the CPU, which stop a thread before code */
#ifndef PFMON_BREAKPOINTS_H
#define PFMON_BREAKPOINTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace.h"

#define BREAKPOINTS	2

/*
 * What differs between machines: breakpoints/ has a file for each that has
 * some, and one for all others.
 */
struct breakpoint_machine {
	/*
	 * Sets those of a thread that stands still; 0 is none. False sets
	 * errno. NULL: there are none.
	 */
	bool (*set)(pid_t tid, const uint64_t addresses[BREAKPOINTS]);

	/*
	 * Does the eight bytes' first instruction call the kernel? NULL: a
	 * thread that goes on executes the instruction, and need not step over
	 * the breakpoint.
	 */
	bool (*is_syscall)(uint64_t code);
};

extern const struct breakpoint_machine breakpoint_machine;

/* Those of one thread. */
struct breakpoints {
	uint64_t addresses[BREAKPOINTS];	/* 0: none */

	bool passing;		/* it steps over one of them ... */
	bool masked;		/* ... with another mask of signals ... */
	uint64_t mask;		/* ... than its own */
};

/* Sets those of a thread that stands still. False sets errno. */
bool breakpoints_set(const struct breakpoints *breakpoints, pid_t tid);

/* The thread has stopped at one of them: how it executes that instruction. */
enum trace_way breakpoints_pass(struct breakpoints *breakpoints, pid_t tid,
				uint64_t address);

/*
 * The thread has stopped again: for a signal, or, with NULL, for something
 * else. True if that is for breakpoints_pass() alone, false if it is the
 * thread's; in either case the breakpoint is there again.
 */
bool breakpoints_passed(struct breakpoints *breakpoints, pid_t tid,
			const siginfo_t *info);

#endif /* PFMON_BREAKPOINTS_H */
