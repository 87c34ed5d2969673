// SPDX-License-Identifier: MIT OR GPL-2.0
/* recording_totals.c - count what was recorded, and what was lost */
#define _GNU_SOURCE
#include <string.h>

#include "base/util.h"
#include "capture/recording_state.h"
#include "capture/recording_totals.h"
#include "session/saving.h"

void recording_notification(struct recording *recording)
{
	pthread_mutex_lock(&recording->lock);
	recording->totals.notifications++;
	pthread_mutex_unlock(&recording->lock);
}

void recording_lost(struct recording *recording, uint64_t samples)
{
	pthread_mutex_lock(&recording->lock);
	recording->elsewhere.lost += samples;
	recording->totals.lost += samples;
	pthread_mutex_unlock(&recording->lock);
}

static void tell_of_handler(const struct context *context,
			    const struct context_stats *stats)
{
	if (stats->handler_errors)
		message("context %u: failed calls to the format's handler: %llu, the last with: %s",
			context->id, (unsigned long long)stats->handler_errors,
			strerror(stats->handler_errno));
	if (stats->handler_bad_ctrl)
		message("context %u: calls to the format's handler that set unknown control bits: %llu",
			context->id,
			(unsigned long long)stats->handler_bad_ctrl);
	if (stats->handler_no_ctrl)
		message("context %u: calls to the format's handler that set no control bit, so that the counter was not reset: %llu",
			context->id,
			(unsigned long long)stats->handler_no_ctrl);
}

void recording_tell_trouble(const struct context *context,
			    const struct context_stats *stats)
{
	if (stats->messages_dropped)
		message("context %u: dropped %llu notification%s that pfmon did not read in time; use longer periods",
			context->id,
			(unsigned long long)stats->messages_dropped,
			plural(stats->messages_dropped));
	tell_of_handler(context, stats);
}

static void add_losses(struct totals *totals, struct context_stats stats)
{
	totals->lost += stats.lost;
	totals->skipped += stats.skipped;
	totals->evicted += stats.evicted;
	totals->throttled += stats.throttled;
	totals->limited += stats.limited;
}

void recording_count_losses(struct recording *recording,
			    struct context *const *contexts, unsigned int count)
{
	recording->totals.lost = recording->elsewhere.lost;
	recording->totals.skipped = recording->elsewhere.skipped;
	recording->totals.evicted = recording->elsewhere.evicted;
	recording->totals.throttled = recording->elsewhere.throttled;
	recording->totals.limited = recording->elsewhere.limited;
	for (unsigned int i = 0; i < count; i++)
		add_losses(&recording->totals, context_stats(contexts[i]));
}

struct totals recording_capture_totals(const struct recording *recording)
{
	const struct totals *before = &recording->before;
	struct totals totals = recording->totals;

	totals.samples -= before->samples;
	totals.lost -= before->lost;
	totals.skipped -= before->skipped;
	totals.evicted -= before->evicted;
	totals.throttled -= before->throttled;
	totals.limited -= before->limited;
	totals.processes.lost -= before->processes.lost;
	totals.notifications -= before->notifications;
	totals.bytes -= before->bytes;
	return totals;
}

void recording_context_ended(struct recording *recording,
			     const struct context *context)
{
	pthread_mutex_lock(&recording->lock);
	add_losses(&recording->elsewhere, context->stats);
	add_losses(&recording->totals, context->stats);
	recording_tell_trouble(context, &context->stats);
	capture_counts_add(&recording->counts, context);
	pthread_mutex_unlock(&recording->lock);
}

struct totals recording_now(struct recording *recording,
			    struct context *const *contexts, unsigned int count)
{
	pthread_mutex_lock(&recording->lock);
	recording_count_losses(recording, contexts, count);
	pthread_mutex_unlock(&recording->lock);
	return recording_totals(recording);
}

struct totals recording_totals(struct recording *recording)
{
	struct totals totals;

	pthread_mutex_lock(&recording->lock);
	totals = recording->totals;
	totals.cut = recording->failed;
	pthread_mutex_unlock(&recording->lock);
	return totals;
}
