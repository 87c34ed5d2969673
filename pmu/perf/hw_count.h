/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hw_count.h - the count of an event that is on a counter of this CPU
 *
 * A PMU's read brings the event's count up to date, with three atomic
 * operations that a sample does not need. On arm64 the driver lets us ask the
 * counter: what it has counted since then is not in the count yet, and stays
 * out of it.
 *
 * Whatever has events of a thread's hardware context is an arm_pmu there: perf
 * takes no other PMU for them than the CPUs' own. armpmu_event_update() writes
 * prev_count, then count: where an NMI came between our readings, prev_count is
 * another one. If this is the NMI, between its two writes, the count lacks what
 * is about to be added, as it does after a read.
 */
#ifndef PFM_PMU_PERF_HW_COUNT_H
#define PFM_PMU_PERF_HW_COUNT_H

#include <linux/perf_event.h>
#include <perfmon/perfmon_pmu.h>
#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>

/* Can its counter be asked? Not if it is wider than the usual 32 bits. */
static inline bool perf_has_counter(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context &&
	       !(event->hw.flags & PERF_EVENT_FLAG_ARCH);
}

static __always_inline bool perf_asks_counter(const struct pfm_pmu_reg *reg)
{
	return reg->ask_counter;
}

/* Context: interrupts off, the event is on this CPU. */
static __always_inline u64 perf_counter_count(struct perf_event *event)
{
	u64 (*read)(struct perf_event *event) =
		to_arm_pmu(event->pmu)->read_counter;
	u32 before, now;
	u64 count;

	do {
		before = local64_read(&event->hw.prev_count);
		count = local64_read(&event->count);
		now = read(event);
	} while (unlikely(before != (u32)local64_read(&event->hw.prev_count)));
	return count + (u32)(now - before);
}

#else

static inline bool perf_has_counter(const struct perf_event *event)
{
	return false;
}

static __always_inline bool perf_asks_counter(const struct pfm_pmu_reg *reg)
{
	return false;
}

static __always_inline u64 perf_counter_count(struct perf_event *event)
{
	return 0;
}

#endif

#endif /* PFM_PMU_PERF_HW_COUNT_H */
