// SPDX-License-Identifier: GPL-2.0
/*
 * clock.c - the clock of an event set
 *
 * The clock measures how long the set has counted. It can do without an event
 * of its own if the set has a software event or a tracepoint. These are enabled
 * whenever the set counts, so the clock uses the time that perf keeps for one
 * of them. This saves an event that would have to be created, and switched with
 * the thread.
 *
 * But this time cannot be read in an NMI. So the clock needs its own event if
 * one of the set's counters samples, unless this counter counts one of perf's
 * software events. (Tracepoints are not meant here: they can fire in an NMI.)
 * Precise events overflow even if they do not sample, so their sets need a
 * clock event, too. So do sets with a timeout, and sets of system-wide
 * contexts.
 */
#include <linux/sched/clock.h>
#include "clock.h"
#include "compat.h"
#include "event.h"

u64 perf_clock_pmc(const struct pfm_pmu_set *s)
{
	return PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
			      s->task ? PERF_COUNT_SW_TASK_CLOCK :
					PERF_COUNT_SW_CPU_CLOCK);
}

bool perf_keeps_times __ro_after_init;

/*
 * May an overflow of this PMD read the clock in a context in which
 * perf_time_here() does not work?
 */
static bool perf_is_beyond_timer(const struct pfm_pmu_reg *reg)
{
	if (perf_keeps_times &&
	    perf_pmc_type(reg->pmc_value) == PERF_TYPE_SOFTWARE)
		return false;
	return reg->sampling || reg->pmc_value & PFM_PERF_PRECISE_MASK;
}

static bool perf_needs_own_clock(const struct perf_set *ps)
{
	struct perf_event *event;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (perf_is_beyond_timer(ps->regs[i]))
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
	struct pfm_pmu_reg *timer = NULL;

	if (!perf_needs_own_clock(ps))
		timer = perf_find_timer(ps);
	WRITE_ONCE(ps->timer, timer);
	return !timer;
}

u64 perf_time_running(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return running;
}

/*
 * While the event is not on this CPU, total_time_running is up to date: perf
 * updates it when it switches the thread.
 */
u64 perf_time_here(const struct perf_event *event)
{
	u64 running = event->total_time_running;

	if (!perf_is_here(event))
		return running;
	return running + perf_ctx_time(event->ctx) - event->tstamp +
	       local_clock() - perf_last_update(event);
}

struct perf_event *perf_timer_event(const struct perf_set *ps)
{
	const struct pfm_pmu_reg *timer = READ_ONCE(ps->timer);

	return timer ? perf_event_of(timer) : NULL;
}

u64 perf_clock_count_here(const struct perf_set *ps)
{
	const struct perf_event *event = perf_timer_event(ps);

	return event ? perf_time_here(event) : 0;
}

u64 perf_clock_count(const struct perf_set *ps)
{
	struct perf_event *event = perf_timer_event(ps);

	if (!event || !ps->started)
		return perf_clock_count_here(ps);
	return perf_time_running(event);
}

bool perf_clock_has_run(const struct perf_set *ps)
{
	struct perf_event *event = perf_event_of(perf_clock_of(ps)) ?:
				   perf_timer_event(ps);

	return event && perf_time_running(event);
}
