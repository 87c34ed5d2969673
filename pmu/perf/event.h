/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - operations on perf events for which perf has no function
 */
#ifndef PFM_PMU_PERF_EVENT_H
#define PFM_PMU_PERF_EVENT_H

#include <linux/sched.h>
#include "set.h"

/* Updates an event's count: the read call-back of its PMU. */
typedef void (*perf_update_t)(struct perf_event *event);

/* Value of hw.interrupts with which perf marks a throttled event */
#define PERF_THROTTLED	(~0ULL)

/*
 * The longest period passed to perf. perf allows 63 bits, and AMD's IBS accepts
 * only multiples of 16. A PMD farther from its overflow needs several periods.
 */
#define PERF_MAX_PERIOD	((u64)S64_MAX & ~15ULL)

/* Does one period of perf suffice until a PMD at @value overflows? */
static inline bool perf_is_period(u64 value)
{
	return -value - 1 < PERF_MAX_PERIOD;
}

/*
 * Record how the event of a PMD at @value is armed. @exact: perf will re-arm
 * the event with the same period. A report is ordinary if the PMD has wrapped
 * less than a period ago: its value is then below @reg->limit. While the PMD
 * needs more than one of perf's periods to overflow, no report is ordinary.
 */
static inline void perf_expect(struct pfm_pmu_reg *reg, u64 value, bool exact)
{
	reg->reload = exact && perf_is_period(value) ? value : PFM_RELOAD_NONE;
	reg->limit = perf_is_period(value) ? -reg->reload : 0;
}

/*
 * Is the event on a counter of this CPU? A thread's event is not bound to a CPU
 * but follows the thread. Context: interrupts off, so that the event stays.
 */
static __always_inline bool perf_is_here(const struct perf_event *event)
{
	return event->oncpu == task_cpu(current);
}

/* Get the function that updates the event's count, or NULL. */
perf_update_t perf_updater(u64 pmc, const struct perf_event *event);

/* Update the event's count if possible. Context: any, interrupts off. */
static __always_inline void perf_update(const struct pfm_pmu_reg *reg,
					struct perf_event *event)
{
	perf_update_t update = reg->update;

	if (update && perf_is_here(event))
		update(event);
}

/* Has perf removed the event because its thread exits? */
static inline bool perf_has_ended(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_EXIT;
}

/*
 * Is this an event of the calling thread that perf has removed because the
 * thread exits?
 */
static inline bool perf_has_ended_here(const struct pfm_pmu_set *s,
				       const struct perf_event *event)
{
	return s->task == current && perf_has_ended(event);
}

/*
 * Get the time, by the CPU's clock, at which perf last updated the enabled and
 * running times of the thread that @event measures. Context: any.
 */
u64 perf_last_update(const struct perf_event *event);

/*
 * After a thread's exit, does perf_last_update() return the time at which perf
 * removed the thread's events?
 */
extern bool perf_stamps_exits;

/*
 * Get the time in ns since perf removed the event from the calling thread. This
 * includes the time for which the thread did not run. It is 0 if the kernel
 * does not record when the event was removed. Context: any, interrupts off.
 */
u64 perf_time_ended(const struct perf_event *event);

/* Does the event's period follow the value of its PMD? */
static inline bool perf_is_armed(const struct pfm_pmu_reg *reg,
				 const struct perf_event *event)
{
	return event->attr.sample_period && !reg->user_read;
}

/* Read an event's count on any CPU. Context: process. */
static inline u64 perf_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Get the period for a PMD at @value: until it wraps, or perf's longest one. */
u64 perf_period(u64 value);

/*
 * Arm an event, while perf is reporting it, for @value, the new value of its
 * PMD. Context: the event's overflow, interrupts off.
 */
void perf_arm_reported(struct pfm_pmu_reg *reg, struct perf_event *event,
		       u64 value);

/*
 * Arm an event, while perf is reporting it, for the rest of its period, because
 * its PMD, now at @value, has not wrapped yet. Context: the event's overflow.
 */
void perf_arm_for_rest(struct perf_event *event, struct pfm_pmu_reg *reg,
		       u64 value);

/*
 * Ensure that perf reports no more overflows of the event. Context: process,
 * the event is disabled and none of its overflows is in progress.
 */
void perf_set_no_handler(struct perf_event *event);

/*
 * Arm an event, which perf is not reporting, for @value, the new value of its
 * PMD. An irq_work or a work item does this later. If the set is stopped, the
 * event is armed when the set is started. If perf reports the event too early,
 * before it has been armed, the report arms it for the rest of its period.
 * Context: any, interrupts off.
 */
void perf_arm_later(struct pfm_pmu_reg *reg, struct perf_event *event,
		    u64 value);

/*
 * Get the largest difference, in ns, between a clock and its timer that is
 * ignored: an eighth of the period.
 */
static inline u64 perf_timer_tolerance(const struct perf_event *event)
{
	return event->hw.sample_period >> 3;
}

/*
 * Correct a clock's timer, whose interrupt is being handled, if it has fallen
 * behind the clock. Context: the event's overflow, before it is reported to the
 * core.
 */
void perf_correct_timer(struct perf_event *event,
			const struct pfm_pmu_reg *reg);

/* Is the event still to be armed after a call of perf_arm_later()? */
bool perf_is_unarmed(const struct pfm_pmu_reg *reg);

/* Arm an event of a stopped set. Context: process. Return: 0 or -EINVAL. */
int perf_arm_stopped(struct pfm_pmu_reg *reg, struct perf_event *event,
		     u64 value);

/*
 * Arm the events for which perf_arm_later() was called and which are not armed
 * yet. Context: the set is stopped.
 */
void perf_arm_rest(struct perf_set *ps);

/*
 * Wait until no event is being armed. Context: process, the set is stopped and
 * none of its overflows is in progress.
 */
void perf_arm_wait(struct perf_set *ps);
void perf_arm_init(struct perf_set *ps);

#endif /* PFM_PMU_PERF_EVENT_H */
