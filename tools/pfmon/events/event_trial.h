/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * event_trial.h - test whether an event can be counted
 *
 * The result is valid only for this machine and this user, at this time. pfmon
 * writes the event to a context that is not attached; perfmon then asks perf
 * whether it supports the event.
 */
#ifndef PFMON_EVENTS_EVENT_TRIAL_H
#define PFMON_EVENTS_EVENT_TRIAL_H

#include <stdbool.h>

#include "events/events.h"

/* The contexts for trials: a per-thread and a system-wide one. */
struct event_trial {
	struct trial_context {
		int fd;			/* -1: there is none */
		char *why;		/* why fd is -1; NULL: not tried yet */
		bool denied;		/* the user may not measure CPUs */
	} contexts[2];
};

void event_trial_init(struct event_trial *trial);
void event_trial_close(struct event_trial *trial);

/*
 * Returns whether an event can be counted. If not, sets *why to the reason, to
 * be freed. *unknown is set to true if no event can be tried at all, because no
 * context can be created; otherwise to false. If only system-wide contexts are
 * denied, events that need them cannot be counted, and the others can be tried.
 */
bool event_trial_counts(struct event_trial *trial,
			const struct encoded_event *event, char **why,
			bool *unknown);

#endif /* PFMON_EVENTS_EVENT_TRIAL_H */
