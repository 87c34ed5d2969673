/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trigger.h - code of the command at which measuring starts and stops */
#ifndef PFMON_TRIGGER_H
#define PFMON_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"

enum trigger_effect {
	TRIGGER_NONE,
	TRIGGER_START,
	TRIGGER_STOP,
};

/* Addresses where the program is loaded; 0 if there is none. */
struct trigger {
	uint64_t start;
	uint64_t stop;
};

/* Are there any on this machine? */
bool trigger_exists(void);

/* Do they go together with other options? False with a message if not. */
bool trigger_options_agree(const struct options *options);

/*
 * Sets breakpoints in the program that a thread is about to begin; it is
 * stopped at its exec, which has removed those before. False with a message.
 */
bool trigger_arm(struct trigger *trigger, const struct options *options,
		 pid_t tid);

/*
 * What a breakpoint says at which the thread has stopped with SIGTRAP; none if
 * the signal is the program's own.
 */
enum trigger_effect trigger_of(const struct trigger *trigger, pid_t tid);

#endif /* PFMON_TRIGGER_H */
