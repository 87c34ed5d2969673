/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording_totals.h - count what was recorded, and what was lost */
#ifndef PFMON_CAPTURE_RECORDING_TOTALS_H
#define PFMON_CAPTURE_RECORDING_TOTALS_H

#include <stdint.h>

#include "capture/capture_json.h"
#include "session/context.h"

struct recording;

void recording_notification(struct recording *recording);

/* Adds lost samples that are not in the statistics of contexts. */
void recording_lost(struct recording *recording, uint64_t samples);

/*
 * Adds the counts and losses of a context that is closed before the end. Call
 * it after the counts have been read.
 */
void recording_context_ended(struct recording *recording,
			     const struct context *context);

/* Returns a copy of the totals. */
struct totals recording_totals(struct recording *recording);

/* Updates the losses of @contexts, and then returns the totals. */
struct totals recording_now(struct recording *recording,
			    struct context *const *contexts,
			    unsigned int count);

/*
 * Only for the other files that write a recording. The caller holds the
 * recording's lock.
 *
 * recording_count_losses() updates the losses of the contexts that still exist.
 * recording_capture_totals() returns the part of the totals that is in this
 * capture and not in earlier ones. recording_tell_trouble() prints messages
 * about what a context has lost, and about limits that it has reached.
 */
void recording_count_losses(struct recording *recording,
			    struct context *const *contexts,
			    unsigned int count);
struct totals recording_capture_totals(const struct recording *recording);
void recording_tell_trouble(const struct context *context,
			    const struct context_stats *stats);

#endif /* PFMON_CAPTURE_RECORDING_TOTALS_H */
