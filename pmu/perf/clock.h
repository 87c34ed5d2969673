/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - the clock of an event set
 */
#ifndef PFM_PMU_PERF_CLOCK_H
#define PFM_PMU_PERF_CLOCK_H

#include "set.h"

static inline struct pfm_pmu_reg *perf_clock_of(const struct perf_set *ps)
{
	return ps->regs[ps->s->num_regs - 1];
}

/* Get the PMC value of the event that measures how long the set counts. */
u64 perf_clock_pmc(const struct pfm_pmu_set *s);

/*
 * Decide which event measures the set's time. Context: process, the set is
 * stopped and its counters have their events. Return: true if the clock needs
 * an event of its own.
 */
bool perf_clock_needs_event(struct perf_set *ps);

/*
 * Find the event whose time serves as the clock of a set without a clock event.
 * Return: the event or NULL.
 */
struct perf_event *perf_timer_event(const struct perf_set *ps);

/* Read a clock that has no event of its own. Context: process. */
u64 perf_clock_count(const struct perf_set *ps);

/*
 * Read a clock that has no event of its own. Either the set must be stopped, or
 * interrupts must be off and the set must count the current thread. Context:
 * any except NMI.
 */
u64 perf_clock_count_here(const struct perf_set *ps);

/* Has the set ever counted? Context: process. */
bool perf_clock_has_run(const struct perf_set *ps);

/* Get the time in ns that an event was on a counter. Context: process. */
u64 perf_time_running(struct perf_event *event);

/*
 * Get the time of perf_time_running() without taking a lock. The event must be
 * one of the current thread, or be stopped. Context: any except NMI, interrupts
 * off.
 */
u64 perf_time_here(const struct perf_event *event);

/* Has the self-test found that perf_time_here() returns the correct time? */
extern bool perf_keeps_times;

#endif /* PFM_PMU_PERF_CLOCK_H */
