/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * event_trial.h - what this machine counts, for this user, at this moment
 *
 * An event is programmed into a context that is attached to nothing: perfmon
 * then asks perf, which alone knows.
 */
#ifndef PFMON_EVENT_TRIAL_H
#define PFMON_EVENT_TRIAL_H

#include <stdbool.h>

#include "events.h"

/* The contexts: one of a thread's kind, one of a CPU's. */
struct event_trial {
	struct trial_context {
		int fd;			/* -1: there is none */
		char *why;		/* then: why not; NULL: not tried yet */
	} contexts[2];
};

void event_trial_init(struct event_trial *trial);
void event_trial_close(struct event_trial *trial);

/*
 * Whether an event is counted. If not, *why says why, to be freed; if that is
 * because no event could be tried, *unknown is set.
 */
bool event_trial_counts(struct event_trial *trial,
			const struct encoded_event *event, char **why,
			bool *unknown);

#endif /* PFMON_EVENT_TRIAL_H */
