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
};

/* Where the program is loaded. */
struct trigger {
	struct breakpoints breakpoints;
};

/* Do they go together with other options? False with a message if not. */
bool trigger_options_agree(const struct options *options);

/*
 * Sets breakpoints in the program that a thread is about to begin; it is
 * stopped at its exec, which has removed those before. False with a message.
 */
bool trigger_arm(struct trigger *trigger, const struct options *options,
		 pid_t tid);

/*
 * The thread has stopped for a signal, or, with 0, for something else: what a
 * breakpoint says, and how the thread goes on.
 */
enum trigger_effect trigger_of(struct trigger *trigger, pid_t tid, int signal,
			       enum trace_way *way);

#endif /* PFMON_TRIGGER_H */
