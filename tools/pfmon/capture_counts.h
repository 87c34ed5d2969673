/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture_counts.h - what contexts have counted, for the end of a capture */
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

/* How long a set was active, and how often. */
struct context_turns {
	uint32_t context;
	uint32_t set;
	uint64_t active_ns;
	uint64_t runs;
};

/*
 * Of each context, as far as a chunk has room for them; of those that came
 * later their sum. Empty if it is zero.
 */
struct capture_counts {
	struct context_count *each;
	unsigned int count;
	struct context_turns *turns;	/* of those contexts */
	unsigned int turn_count;
	uint64_t *others;	/* one per event, or NULL */
};

/* Adds what was read of a context. */
void capture_counts_add(struct capture_counts *counts,
			const struct context *context);

/* The lists that DONE has. */
struct json_object *capture_counts_json(const struct capture_counts *counts,
					const struct plan *plan);
struct json_object *capture_turns_json(const struct capture_counts *counts);

void capture_counts_free(struct capture_counts *counts);

#endif /* PFMON_CAPTURE_COUNTS_H */
