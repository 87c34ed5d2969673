// SPDX-License-Identifier: MIT OR GPL-2.0
/* saving.c - save the buffer of a context, and read its counts */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_read_sink.h>

#include "base/util.h"
#include "session/evtset.h"
#include "session/fdinfo.h"
#include "session/frequency.h"
#include "session/registers.h"
#include "session/saving.h"

/*
 * Saves samples and, if there were any, restarts. If nothing was saved, does
 * not restart, because that could free samples that have arrived meanwhile.
 * @masked means that threads may be waiting for the restart: then restarts even
 * if there was nothing to save. If a restart fails because the context is
 * detached or its CPU is offline, the buffer keeps its samples. Returns what
 * context_handle_overflow() returns.
 */
static int save_and_restart(struct context *context, int cpu,
			    enum smpl_moment moment, bool masked)
{
	bool saved;

	if (!frequency_look(context))
		return -1;
	saved = buffers_save(&context->buffers, cpu, moment);
	if (context->buffers.count && !saved &&
	    !(masked && buffers_had_nothing(&context->buffers, cpu)))
		return 0;
	context->restarted = true;
	if (!pfm_restart(context->fd)) {
		buffers_restarted(&context->buffers, cpu);
		return saved;
	}
	if (context_is_gone(errno))
		return 0;
	message("cannot continue sampling after a notification: %s",
		strerror(errno));
	return -1;
}

int context_save_and_restart(struct context *context, enum smpl_moment moment)
{
	return save_and_restart(context, ANY_CPU, moment, false);
}

/*
 * If children inherit the context, saves only the buffer of the CPU that the
 * message names: PFM_RESTART does not restart buffers whose messages have not
 * been read yet. The kernel also sends a message when it masks a thread that
 * overflows too often. A format whose buffer consists of regions may then have
 * nothing to save, because no region is full.
 */
int context_handle_overflow(struct context *context)
{
	return save_and_restart(context, context->notifier, SMPL_NOTIFIED,
				true);
}

bool context_save_rest(struct context *context)
{
	return buffers_save(&context->buffers, ANY_CPU, SMPL_END);
}

/* Adds the numbers that the format itself counts to the statistics. */
static struct context_stats with_losses(const struct context *context,
					struct context_stats stats)
{
	stats.lost += buffers_lost(&context->buffers);
	stats.skipped = buffers_skipped(&context->buffers);
	stats.evicted = buffers_evicted(&context->buffers);
	return stats;
}

/*
 * Returns whether the active times of the event sets are needed. They are not
 * needed when pfmon only counts and has a single set, because its counts are
 * not scaled.
 */
static bool times_matter(const struct options *options)
{
	return options->sampling || options->set_count > 1;
}

static void set_counts(const struct context *context,
		       const pfm_cgroup_counts_record_t *record)
{
	const struct plan *plan = context->plan;

	for (unsigned int i = 0; record->group < plan->cgroup_count &&
	     i < plan->options->event_count; i++)
		context->cgroups[record->group].now.events[i].count =
			record->counts[plan->pmds[i].reg_num];
}

/* Reads the counts of the groups until the last context switch of the CPU. */
static bool read_cgroups(const struct context *context)
{
	const struct buffers *buffers = &context->buffers;
	pfm_cgroup_counts_record_t record;
	struct pfm_read_sink reader;
	int got;

	pfm_read_sink_init(&reader, PFM_CGROUP_COUNTS_SMPL_VERSION);
	reader.is_rising = 1;
	got = pfm_read_sink_begin(&reader, buffers->list->bytes, buffers->size,
				  PFM_READ_LIVE);
	while (!got && (got = pfm_read_sink_head(&reader, &record,
						 sizeof(record))) > 0) {
		set_counts(context, &record);
		pfm_read_sink_words(&reader, sizeof(record), 0, &got);
		got = got < 0 ? got : 0;
	}
	if (got)
		message("cannot read the counts of control groups: %s %s",
			reader.problem.what, pfm_read_text(&reader.problem));
	return !got;
}

/*
 * Completes the groups' results after reading the CPU's result. The events
 * since the last context switch belong to pfmon itself, and count for the root
 * group only.
 */
static void complete_cgroups(const struct context *context)
{
	const struct plan *plan = context->plan;

	for (unsigned int g = 0; g < plan->cgroup_count; g++) {
		struct result *group = &context->cgroups[g].now;

		for (unsigned int i = 0; i < plan->options->event_count; i++) {
			struct event_result event = context->result.events[i];

			if (!plan->cgroups[g].is_root)
				event.count = group->events[i].count;
			group->events[i] = event;
		}
	}
}

bool context_read_counts(struct context *context)
{
	context->stats = with_losses(context, fdinfo_read(context));
	if ((context->plan->by_cgroup && !read_cgroups(context)) ||
	    !registers_read(context))
		return false;
	if (context->plan->by_cgroup)
		complete_cgroups(context);
	return !times_matter(context->plan->options) || evtsets_read(context);
}

struct context_stats context_stats(const struct context *context)
{
	return with_losses(context, fdinfo_stats(context));
}
