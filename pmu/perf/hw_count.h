/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hw_count.h - the count of an event that is on a counter of this CPU
 *
 * A PMU's read brings the event's count up to date, with three atomic
 * operations that a sample does not need. On arm64 the driver lets us ask the
 * counter: what it has counted since then is not in the count yet, and stays
 * out of it. Where the driver's interrupts are NMIs (irqchip.gicv3_pseudo_nmi)
 * one could come between its writing prev_count and count, or between our
 * readings of them: there the PMU is asked to read.
 */
#ifndef PFM_PMU_PERF_HW_COUNT_H
#define PFM_PMU_PERF_HW_COUNT_H

#include "pmu.h"
#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>

/*
 * Can its counter be asked? What perf itself names an event of the CPU, only an
 * arm_pmu takes. Not if it is wider than the usual 32 bits.
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

/* Context: interrupts off, the event is on this CPU. */
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
