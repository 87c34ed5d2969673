/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user_read.h - counters that the monitored thread reads in user mode
 */
#ifndef PFM_PMU_PERF_USER_READ_H
#define PFM_PMU_PERF_USER_READ_H

#include "set.h"

#ifdef CONFIG_ARM64

/*
 * Prepare reads in user mode for a set that is being loaded, and end them when
 * it is unloaded. If the kprobes cannot be registered or do not fire, user
 * space cannot read the set's counters.
 * Context: process.
 */
void perf_readers_add(struct perf_set *ps);
void perf_readers_del(struct perf_set *ps);

/* Remove the kprobes. Context: process; no set may be loaded. */
void perf_readers_exit(void);

/*
 * Ask perf for user access to the event of @reg. Return: true if access was
 * requested. Whether perf grants the access is known only once the event is
 * on a counter.
 */
bool perf_ask_for_user_read(struct perf_event_attr *attr,
			    const struct pfm_pmu_reg *reg);

/*
 * Tell the core which counter the event has now. Context: interrupts off, on
 * the CPU of the monitored thread.
 */
void perf_show_counter(struct pfm_pmu_reg *reg, struct perf_event *event);

/* Overflow handler of an event that the thread reads in user mode. */
void perf_overflow_live(struct perf_event *event,
			struct perf_sample_data *data, struct pt_regs *regs);

#else

static inline void perf_readers_add(struct perf_set *ps)
{
}

static inline void perf_readers_del(struct perf_set *ps)
{
}

static inline void perf_readers_exit(void)
{
}

static inline bool perf_ask_for_user_read(struct perf_event_attr *attr,
					  const struct pfm_pmu_reg *reg)
{
	return false;
}

static inline void perf_show_counter(struct pfm_pmu_reg *reg,
				     struct perf_event *event)
{
}

static inline void perf_overflow_live(struct perf_event *event,
				      struct perf_sample_data *data,
				      struct pt_regs *regs)
{
}

#endif /* CONFIG_ARM64 */

#endif /* PFM_PMU_PERF_USER_READ_H */
