/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_counts.h - counts of all contexts, for the end of a capture */
#ifndef PFMON_CAPTURE_COUNTS_H
#define PFMON_CAPTURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

struct json_object;

struct context_count {
	uint32_t context;
	uint32_t event;
	uint64_t value;
};

/* Active time and number of activations of an event set. */
struct context_turns {
	uint32_t context;
	uint32_t set;
	uint64_t active_ns;
	uint64_t runs;
};

/*
 * Counts of each context up to a limit, and sums over the remaining contexts.
 * All zero is empty.
 */
struct capture_counts {
	struct context_count *each;
	unsigned int count;
	struct context_turns *turns;	/* of the same contexts */
	unsigned int turn_count;
	uint64_t *others;	/* sums for each event, or NULL */
};

/* Adds the results of a context. */
void capture_counts_add(struct capture_counts *counts,
			const struct context *context);

/* Return the lists for the DONE chunk. */
struct json_object *capture_counts_json(const struct capture_counts *counts,
					const struct plan *plan);
struct json_object *capture_turns_json(const struct capture_counts *counts);

void capture_counts_free(struct capture_counts *counts);

#endif /* PFMON_CAPTURE_COUNTS_H */
