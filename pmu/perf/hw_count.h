/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hw_count.h - reading the counter of an event on this CPU
 *
 * The read call-back of a PMU updates the event's count with three atomic
 * operations that a sample does not need. On arm64 the functions here have the
 * driver read only the counter. They return the sum of event->count and what
 * the counter has counted since the last update. This does not work if the
 * driver's interrupts are NMIs (irqchip.gicv3_pseudo_nmi). An NMI could come
 * between the driver's writes of prev_count and count, or between the reads of
 * them here. If the interrupts are NMIs, the PMU's read is called instead.
 */
#ifndef PFM_PMU_PERF_HW_COUNT_H
#define PFM_PMU_PERF_HW_COUNT_H

#include "set.h"
#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>

/*
 * Can the counter of the event be read directly? If the event's type is one of
 * those in perf_is_of_cpu(), its PMU is an arm_pmu, because other PMUs do not
 * accept these types. Counters wider than the usual 32 bits are excluded.
 */
static inline bool perf_has_counter(u64 pmc, const struct perf_event *event)
{
	return perf_is_of_cpu(pmc) && !system_uses_irq_prio_masking() &&
	       event->pmu->task_ctx_nr == perf_hw_context &&
	       !(event->hw.flags & PERF_EVENT_FLAG_ARCH);
}

static __always_inline bool perf_asks_counter(const struct pfm_pmu_reg *reg)
{
	return reg->ask_counter;
}

/* Read the count. Context: interrupts off, the event is on this CPU. */
static __always_inline u64 perf_counter_count(struct perf_event *event)
{
	u64 (*read)(struct perf_event *event) =
		to_arm_pmu(event->pmu)->read_counter;
	u32 before = local64_read(&event->hw.prev_count);
	u64 count = local64_read(&event->count);

	return count + (u32)(read(event) - before);
}

#else

static inline bool perf_has_counter(u64 pmc, const struct perf_event *event)
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
