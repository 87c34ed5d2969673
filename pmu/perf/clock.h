/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - how long a set counts
 */
#ifndef PFM_PMU_PERF_CLOCK_H
#define PFM_PMU_PERF_CLOCK_H

#include "pmu.h"

static inline struct pfm_pmu_reg *perf_clock_of(const struct perf_set *ps)
{
	return ps->regs[ps->s->num_regs - 1];
}

/*
 * Who tells the time of the set? Context: process, the set is stopped and has
 * the events of its counters. Return: true if the clock must have an event.
 */
bool perf_clock_needs_event(struct perf_set *ps);

/* The event that does, if the clock has none; or NULL. */
struct perf_event *perf_timer_event(const struct perf_set *ps);

/*
 * What a clock without an event counts. Context: process. The other: any, if
 * the set is stopped.
 */
u64 perf_clock_count(const struct perf_set *ps);
u64 perf_clock_count_stopped(const struct perf_set *ps);

/* Has the set ever counted? Context: process. */
bool perf_clock_has_run(const struct perf_set *ps);

/* For how long was an event on a counter? Context: process. */
u64 perf_time_running(struct perf_event *event);

#endif /* PFM_PMU_PERF_CLOCK_H */
