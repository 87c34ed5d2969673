// SPDX-License-Identifier: MIT OR GPL-2.0
/* registers.c - the PMCs and PMDs of a context */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/util.h"
#include "session/registers.h"

/*
 * Maximum number of registers in one call. The kernel limits the size of the
 * array that a call passes, by default to a page (section 4.4.2 of the
 * specification).
 */
#define LARGEST_VECTOR	16

/* Events whose registers are accessed in one call. */
struct batch {
	unsigned int events[LARGEST_VECTOR];
	unsigned int count;
};

static bool any_virtual(const struct plan *plan)
{
	for (unsigned int i = PFM_MAX_HW_REGS; i < PFM_MAX_PMDS; i++) {
		if (pfm_bv_isset(plan->options->smpl_pmds, i))
			return true;
	}
	return false;
}

/*
 * Prints which register the kernel rejected, and why. @flags are the flags that
 * the kernel returned for it.
 */
static void explain_register(const struct context *context, const char *kind,
			     uint64_t i, unsigned int number, uint32_t flags)
{
	const struct plan *plan = context->plan;
	const char *event = plan->options->events[i].name;
	bool is_config = number != plan->options->events[i].number;
	const char *pmds = "", *level = "";
	bool sets = plan->options->set_count > 1;

	if (any_virtual(plan))
		pmds = ", or a PMD of --smpl-pmds does not exist";
	if (pmc_is_precise(&plan->pmcs[i]))
		level = ", or not at its precise level";
	if (flags & PFM_REG_RETFL_NOTAVAIL && is_config)
		message("event %s needs a register for config1 or config2, but there is no %s%u: measure it with perf",
			event, kind, number);
	else if (flags & PFM_REG_RETFL_NOTAVAIL)
		message("event %s: there is no %s%u, because %s than this PMU has registers: %s",
			event, kind, number, sets ?
			"the event's set has more events" :
			"there are more events", sets ?
			"divide the set (give one -e for each set)" :
			"use several event sets (--switch-timeout)");
	else
		message("event %s is not supported here%s%s: the kernel rejected %s%u (see --list-events)",
			event, level, pmds, kind, number);
}

/* Returns the index of the first rejected PMC. */
static unsigned int first_bad(const pfarg_pmc_t *pmcs, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (PFM_REG_HAS_ERROR(pmcs[i].reg_flags))
			break;
	}
	return i;
}

/*
 * Marks an unsupported event, so that it is skipped. Returns false if it cannot
 * be skipped: sampling needs all events, and counting needs at least one.
 */
static bool do_without(struct context *context, const pfarg_pmc_t *pmc)
{
	const struct options *options = context->plan->options;
	struct event_result *events = context->result.events;

	if (options->sampling || PFM_REG_HAS_ERROR(pmc->reg_flags) !=
	    PFM_REG_RETFL_EINVAL)
		return false;
	events[pmc->reg_smpl_eventid].unsupported = true;
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (!events[i].unsupported)
			return true;
	}
	return false;
}

static bool write_some_pmcs(struct context *context, pfarg_pmc_t *pmcs,
			    unsigned int count)
{
	unsigned int bad;

	while (count && pfm_write_pmcs(context->fd, pmcs, (int)count)) {
		bad = first_bad(pmcs, count);
		if (bad == count) {
			message("cannot program the events: %s",
				strerror(errno));
			return false;
		}
		if (!do_without(context, &pmcs[bad])) {
			explain_register(context, "PMC",
					 pmcs[bad].reg_smpl_eventid,
					 pmcs[bad].reg_num,
					 pmcs[bad].reg_flags);
			return false;
		}
		pmcs += bad + 1;
		count -= bad + 1;
	}
	return true;
}

/*
 * Writes those PMCs of a list whose events are supported. Each call of
 * write_some_pmcs() writes up to LARGEST_VECTOR of them.
 */
static bool write_pmcs(struct context *context, const pfarg_pmc_t *list,
		       unsigned int length)
{
	pfarg_pmc_t pmcs[LARGEST_VECTOR];
	unsigned int count = 0;

	for (unsigned int i = 0; i < length; i++) {
		const struct event_result *event =
			&context->result.events[list[i].reg_smpl_eventid];

		if (event->unsupported)
			continue;
		pmcs[count++] = list[i];
		if (count < LARGEST_VECTOR)
			continue;
		if (!write_some_pmcs(context, pmcs, count))
			return false;
		count = 0;
	}
	return write_some_pmcs(context, pmcs, count);
}

static bool write_some_pmds(struct context *context, const struct batch *batch)
{
	pfarg_pmd_t pmds[LARGEST_VECTOR];
	int error;

	for (unsigned int i = 0; i < batch->count; i++)
		pmds[i] = context->plan->pmds[batch->events[i]];
	if (!pfm_write_pmds(context->fd, pmds, (int)batch->count))
		return true;
	error = errno;
	for (unsigned int i = 0; i < batch->count; i++) {
		if (PFM_REG_HAS_ERROR(pmds[i].reg_flags)) {
			explain_register(context, "PMD", batch->events[i],
					 pmds[i].reg_num, pmds[i].reg_flags);
			return false;
		}
	}
	message("cannot program the sampling periods: %s", strerror(error));
	return false;
}

static bool read_some_pmds(struct context *context, const struct batch *batch)
{
	pfarg_pmd_t pmds[LARGEST_VECTOR] = { { .reg_num = 0 } };

	for (unsigned int i = 0; i < batch->count; i++) {
		const pfarg_pmd_t *pmd = &context->plan->pmds[batch->events[i]];

		pmds[i].reg_num = pmd->reg_num;
		pmds[i].reg_set = pmd->reg_set;
	}
	if (pfm_read_pmds(context->fd, pmds, (int)batch->count)) {
		/* The CPU is offline: the counts are read after unloading. */
		if (errno == ENODEV)
			return true;
		message("cannot read the counts: %s", strerror(errno));
		return false;
	}
	for (unsigned int i = 0; i < batch->count; i++)
		context->result.events[batch->events[i]].count =
			pmds[i].reg_value;
	return true;
}

/*
 * Calls some() for all events of the context, with up to LARGEST_VECTOR events
 * in each call.
 */
static bool for_all_events(struct context *context,
			   bool (*some)(struct context *context,
					const struct batch *batch))
{
	const struct plan *plan = context->plan;
	struct batch batch = { .count = 0 };

	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (!plan_counts_on(plan, i, context->cpu))
			continue;
		batch.events[batch.count++] = i;
		if (batch.count < LARGEST_VECTOR)
			continue;
		if (!some(context, &batch))
			return false;
		batch.count = 0;
	}
	return !batch.count || some(context, &batch);
}

/* Makes PMD0 sample each context switch, with the values of all events. */
static bool write_switches(const struct context *context)
{
	const struct plan *plan = context->plan;
	pfarg_pmc_t pmc = {
		.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_CONTEXT_SWITCHES),
		/* The message after which pfmon resumes a limited CPU. */
		.reg_flags = PFM_REGFL_OVFL_NOTIFY,
	};
	pfarg_pmd_t pmd = {
		.reg_value = -1ULL,
		.reg_long_reset = -1ULL,
		.reg_short_reset = -1ULL,
	};

	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (plan_counts_on(plan, i, context->cpu) &&
		    !context->result.events[i].unsupported)
			pfm_bv_set(pmc.reg_smpl_pmds, plan->pmds[i].reg_num);
	}
	if (!pfm_write_pmcs(context->fd, &pmc, 1) &&
	    !pfm_write_pmds(context->fd, &pmd, 1))
		return true;
	message("cannot sample context switches, to count by control group: %s",
		strerror(errno));
	return false;
}

bool registers_write(struct context *context)
{
	const struct plan *plan = context->plan;

	return write_pmcs(context, plan->configs, plan->config_count) &&
	       write_pmcs(context, plan->pmcs, plan->options->event_count) &&
	       (!plan->by_cgroup || write_switches(context)) &&
	       registers_rewrite(context);
}

bool registers_rewrite(struct context *context)
{
	return for_all_events(context, write_some_pmds);
}

bool registers_read(struct context *context)
{
	return for_all_events(context, read_some_pmds);
}
