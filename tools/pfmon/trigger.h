/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trigger.h - code of the command at which measuring starts and stops */
#ifndef PFMON_TRIGGER_H
#define PFMON_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "breakpoints.h"
#include "options.h"

enum trigger_effect {
	TRIGGER_NONE,
	TRIGGER_START,
	TRIGGER_STOP,
	TRIGGER_MISSING,	/* and a message says what */
};

/*
 * Where the program is loaded. Until its libraries are, too, there is one
 * breakpoint, where it begins.
 */
struct trigger {
	const struct options *options;
	struct breakpoints breakpoints;
	uint64_t entry;		/* 0: it has begun, or need not be waited for */
};

/* Do they go together with other options? False with a message if not. */
bool trigger_options_agree(const struct options *options);

/*
 * Sets breakpoints in the program that a thread is about to begin; it is
 * stopped at its exec, which has removed those before. False with a message.
 * What is in libraries is looked for later.
 */
bool trigger_arm(struct trigger *trigger, const struct options *options,
		 pid_t tid);

/*
 * The thread has stopped for a signal, or, with 0, for something else: what a
 * breakpoint says, and how the thread goes on. Where the program begins, what
 * is in its libraries is looked for; without all of it there is no breakpoint.
 */
enum trigger_effect trigger_of(struct trigger *trigger, pid_t tid, int signal,
			       enum trace_way *way);

#endif /* PFMON_TRIGGER_H */
