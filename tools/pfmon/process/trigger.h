/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trigger.h - start and stop measuring when the command reaches given code */
#ifndef PFMON_PROCESS_TRIGGER_H
#define PFMON_PROCESS_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/settings.h"
#include "process/breakpoints.h"

enum trigger_effect {
	TRIGGER_NONE,
	TRIGGER_START,
	TRIGGER_STOP,
};

/* Returns false, with a message, if triggers conflict with other options. */
bool trigger_options_agree(const struct options *options);

/*
 * Sets breakpoints in a new program. The thread is stopped at its exec, which
 * has removed all earlier breakpoints. Returns false with a message on failure.
 */
bool trigger_arm(struct breakpoints *breakpoints, const struct options *options,
		 pid_t tid);

/*
 * Handles a stop of the thread for the signal @signal or, if @signal is 0, for
 * another reason. Returns the effect of the breakpoint that the thread has
 * reached, if any. Sets *way to how the thread must be resumed.
 */
enum trigger_effect trigger_of(struct breakpoints *breakpoints, pid_t tid,
			       int signal, enum trace_way *way);

#endif /* PFMON_PROCESS_TRIGGER_H */
