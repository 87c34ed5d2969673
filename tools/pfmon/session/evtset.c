// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * evtset.c - multiplexed event sets, for more events than there are counters or
 * for consecutive measurements
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "options/event_options.h"
#include "session/evtset.h"

#define NS	1000000000ULL

/* The event sets of a context, which are activated in turn. */
struct ring {
	unsigned int first;
	unsigned int last;
};

static struct ring ring_of(const struct plan *plan, int cpu)
{
	struct ring ring = { .first = plan->options->set_count };

	for (unsigned int set = 0; set < plan->options->set_count; set++) {
		if (!plan_uses_set(plan, set, cpu))
			continue;
		if (ring.first == plan->options->set_count)
			ring.first = set;
		ring.last = set;
	}
	return ring;
}

unsigned int evtsets_first(const struct context *context)
{
	return ring_of(context->plan, context->cpu).first;
}

pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int set)
{
	pfarg_setdesc_t desc = { .set_id = (__u16)set };

	if (options->excl_idle)
		desc.set_flags |= PFM_SETFL_EXCL_IDLE;
	if (set_switches_on_overflow(options, set)) {
		desc.set_flags |= PFM_SETFL_OVFL_SWITCH;
	} else if (options->switch_ns) {
		desc.set_flags |= PFM_SETFL_TIME_SWITCH;
		desc.set_timeout.tv_sec = (__s64)(options->switch_ns / NS);
		desc.set_timeout.tv_nsec = (__s64)(options->switch_ns % NS);
	}
	return desc;
}

/*
 * Like evtset_description(), but omits the switch flags if the context has only
 * one set.
 */
static pfarg_setdesc_t describe_in(const struct options *options,
				   const struct ring *ring, unsigned int set)
{
	pfarg_setdesc_t desc = evtset_description(options, set);

	if (ring->first == ring->last) {
		desc.set_flags &= ~(PFM_SETFL_OVFL_SWITCH |
				    PFM_SETFL_TIME_SWITCH);
	} else if (set == ring->last && ring->first) {
		desc.set_flags |= PFM_SETFL_EXPL_NEXT;
		desc.set_id_next = (__u16)ring->first;
	}
	return desc;
}

static void explain_create(const struct plan *plan, unsigned int set, int error)
{
	if (error == ENOMEM)
		message("not enough memory for event set %u: use fewer -e, or raise the locked-memory limit (ulimit -l)",
			set);
	else if (error == EINVAL && set && plan->options->sampling)
		message("the sampling format %s does not support several event sets: use one -e, or another format",
			plan->format.name);
	else
		message("cannot create event set %u: %s", set, strerror(error));
}

bool evtsets_create(const struct context *context)
{
	const struct plan *plan = context->plan;
	const struct options *options = plan->options;
	struct ring ring = ring_of(plan, context->cpu);
	pfarg_setdesc_t desc;

	for (unsigned int set = ring.first; set < options->set_count; set++) {
		desc = describe_in(options, &ring, set);
		/* Set 0 exists already; change it only to set flags. */
		if (!plan_uses_set(plan, set, context->cpu) ||
		    (!set && !desc.set_flags))
			continue;
		if (pfm_create_evtsets(context->fd, &desc, 1)) {
			explain_create(plan, set, errno);
			return false;
		}
	}
	return true;
}

static uint64_t ns_of(const struct __kernel_timespec *time)
{
	return (uint64_t)time->tv_sec * NS + (uint64_t)time->tv_nsec;
}

/*
 * Sets the total time of each set that the context uses. It is the sum of the
 * active times of all sets and of @all, the time in which sets were active but
 * not measured.
 */
static void sum_up_times(const struct context *context, struct result *result,
			 uint64_t all)
{
	const struct plan *plan = context->plan;
	unsigned int count = plan->options->set_count;

	for (unsigned int i = 0; i < count; i++)
		all += result->durations[i];
	for (unsigned int i = 0; i < count; i++)
		result->times[i] = plan_uses_set(plan, i, context->cpu) ?
				   all : 0;
}

bool evtsets_read(struct context *context)
{
	const struct plan *plan = context->plan;
	struct result *result = &context->result;
	uint64_t unmeasured = 0;
	pfarg_setinfo_t info;

	for (unsigned int i = 0; i < plan->options->set_count; i++) {
		if (!plan_uses_set(plan, i, context->cpu))
			continue;
		info = (pfarg_setinfo_t){ .set_id = (__u16)i };
		if (pfm_getinfo_evtsets(context->fd, &info, 1)) {
			message("cannot read how long event set %u was active: %s",
				i, strerror(errno));
			return false;
		}
		result->durations[i] = ns_of(&info.set_act_duration);
		result->runs[i] = info.set_runs;
		unmeasured += ns_of(&info.set_unmeasured);
	}
	result->durations[0] -= context->former_ns;
	result->runs[0] -= context->former_runs;
	sum_up_times(context, result, unmeasured);
	return true;
}
