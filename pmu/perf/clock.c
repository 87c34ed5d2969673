// SPDX-License-Identifier: GPL-2.0
/*
 * clock.c - the clock of an event set
 *
 * The clock needs its own event if an interrupt may have to read the clock,
 * that is, if the set has a timeout, one of its counters samples, or its CPU
 * may become idle. Precise events overflow even if they do not sample, so their
 * sets need a clock event, too.
 *
 * In any other set of a thread the clock uses the time that perf keeps for one
 * of the set's software events, which are enabled whenever the set counts. This
 * saves an event that would have to be created, and switched with the thread.
 */
#include "clock.h"

u64 perf_clock_pmc(const struct pfm_pmu_set *s)
{
	return PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
			      s->task ? PERF_COUNT_SW_TASK_CLOCK :
					PERF_COUNT_SW_CPU_CLOCK);
}

static bool perf_is_read_in_interrupts(const struct perf_set *ps)
{
	struct perf_event *event;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (ps->regs[i]->sampling ||
		    ps->regs[i]->pmc_value & PFM_PERF_PRECISE_MASK)
			return true;
	return perf_clock_of(ps)->sampling || !ps->s->task;
}

static struct pfm_pmu_reg *perf_find_timer(const struct perf_set *ps)
{
	struct perf_event *event;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (perf_is_software(ps->regs[i]->pmc_value))
			return ps->regs[i];
	return NULL;
}

bool perf_clock_needs_event(struct perf_set *ps)
{
	ps->timer = perf_is_read_in_interrupts(ps) ? NULL : perf_find_timer(ps);
	return !ps->timer;
}

u64 perf_time_running(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return running;
}

struct perf_event *perf_timer_event(const struct perf_set *ps)
{
	return ps->timer ? perf_event_of(ps->timer) : NULL;
}

u64 perf_clock_count_stopped(const struct perf_set *ps)
{
	const struct perf_event *event = perf_timer_event(ps);

	return event ? event->total_time_running : 0;
}

u64 perf_clock_count(const struct perf_set *ps)
{
	struct perf_event *event = perf_timer_event(ps);

	if (!event || !ps->started)
		return perf_clock_count_stopped(ps);
	return perf_time_running(event);
}

bool perf_clock_has_run(const struct perf_set *ps)
{
	struct perf_event *event = perf_event_of(perf_clock_of(ps)) ?:
				   perf_timer_event(ps);

	return event && perf_time_running(event);
}
