/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_json.h - JSON chunks SESS, CTXT, FARG, TICK and DONE of a capture */
#ifndef PFMON_CAPTURE_CAPTURE_JSON_H
#define PFMON_CAPTURE_CAPTURE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "session/context.h"

struct json_object;

/* Totals of perf's records about processes. */
struct process_totals {
	bool wanted;			/* the session needs them */
	int error;			/* errno if perf refused them, or 0 */
	uint64_t lost;
};

struct totals {
	uint64_t samples;
	bool samples_known;		/* the format's layout is known */
	uint64_t lost;
	bool lost_known;		/* /proc could be read */
	uint64_t skipped;		/* samples the format did not record */
	uint64_t evicted;		/* states of threads */
	uint64_t throttled;		/* times that perf stopped a counter */
	uint64_t limited;		/* times that a limit masked a thread */
	uint64_t notifications;
	uint64_t bytes;			/* of saved buffers */
	struct process_totals processes;
	bool polled;			/* mappings were read from /proc */
	bool cut;			/* a failed write ended the capture */
};

struct context_count {
	uint32_t context;
	uint32_t event;
	uint64_t value;
};

/*
 * The time for which an event set was active, the number of times that it
 * became active, and the total time of all sets.
 */
struct context_turns {
	uint32_t context;
	uint32_t set;
	uint64_t active_ns;
	uint64_t whole_ns;
	uint64_t runs;
};

/*
 * The counts of each of the first contexts, up to a limit, and the sums of the
 * counts of all other contexts. A zeroed structure has no counts.
 */
struct capture_counts {
	struct context_count *each;
	unsigned int count;
	struct context_turns *turns;	/* of the contexts in @each */
	unsigned int turn_count;
	uint64_t *others;	/* sums for each event, or NULL */
};

/* Adds the results of a context. */
void capture_counts_add(struct capture_counts *counts,
			const struct context *context);
void capture_counts_free(struct capture_counts *counts);

/* These functions return texts that the caller frees. */
char *session_json(const struct plan *plan,
		   struct context *const *contexts, unsigned int count);

/* Describes a context that was created after the session's start. */
char *context_json(const struct context *context);

/*
 * Describes the format's argument after a change. The change began at @begun_ns
 * (CLOCK_MONOTONIC) and is complete now.
 */
char *argument_json(const struct smpl_format *format, uint64_t begun_ns);

char *totals_json(const struct plan *plan, const struct capture_counts *counts,
		  const struct totals *totals, int exit_status);

char *tick_json(const struct plan *plan, const struct totals *totals);

#endif /* PFMON_CAPTURE_CAPTURE_JSON_H */
