/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - what is done to perf's events other than by perf's functions
 */
#ifndef PFM_PMU_PERF_EVENT_H
#define PFM_PMU_PERF_EVENT_H

#include <linux/sched.h>
#include "pmu.h"

/* Updates an event's count: its PMU's read. */
typedef void (*perf_update_t)(struct perf_event *event);

/*
 * Longest period for perf: it takes 63 bits, and AMD's IBS no period that is
 * not a multiple of 16. What is farther from overflow takes more than one.
 */
#define PERF_MAX_PERIOD	((u64)S64_MAX & ~15ULL)

/* Is a PMD at @value as far from its overflow as a period of perf's can be? */
static inline bool perf_is_period(u64 value)
{
	return -value - 1 < PERF_MAX_PERIOD;
}

/*
 * Is the event on a counter of this CPU? Interrupts are off: it stays there. A
 * thread's event is bound to no CPU, and so is where the thread runs.
 */
static __always_inline bool perf_is_here(const struct perf_event *event)
{
	return event->oncpu == task_cpu(current);
}

/* How to bring the event's count up to date; NULL if that cannot be done. */
perf_update_t perf_updater(u64 pmc, const struct perf_event *event);

/* Bring a count up to date, if it can be. Context: any, interrupts off. */
static __always_inline void perf_update(const struct pfm_pmu_reg *reg,
					struct perf_event *event)
{
	perf_update_t update = reg->update;

	if (update && perf_is_here(event))
		update(event);
}

/* Has it a period for its PMD's sake? */
static inline bool perf_is_armed(const struct pfm_pmu_reg *reg,
				 const struct perf_event *event)
{
	return event->attr.sample_period && !reg->user_read;
}

/* An event's count, wherever it is. Context: process. */
static inline u64 perf_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Events until @value wraps, or as many of them as perf takes. */
u64 perf_period(u64 value);

/*
 * Arm the event that perf is reporting for @value, which its PMD has now.
 * Context: its overflow, interrupts off.
 */
void perf_arm_reported(struct pfm_pmu_reg *reg, struct perf_event *event,
		       u64 value);

/*
 * The PMD of any other event has a new value. @value: what it is. The event is
 * armed for it later; if it is reported before, it is armed for the rest.
 * Context: any, interrupts off.
 */
void perf_arm_later(struct pfm_pmu_reg *reg, struct perf_event *event,
		    u64 value);
bool perf_is_unarmed(const struct pfm_pmu_reg *reg);

/* Arm the event of a stopped set. Context: process. Return: 0 or -EINVAL. */
int perf_arm_stopped(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value);

/* Arm what was to be armed later. Context: process, the set is stopped. */
void perf_arm_rest(struct perf_set *ps);

/*
 * No event is being armed when this returns. Context: process, the set is
 * stopped and none of its overflows under way.
 */
void perf_arm_wait(struct perf_set *ps);
void perf_arm_init(struct perf_set *ps);

#endif /* PFM_PMU_PERF_EVENT_H */
