/* SPDX-License-Identifier: GPL-2.0 */
/*
 * set.h - definitions shared by the files of pfm_pmu_perf
 */
#ifndef PFM_PMU_PERF_SET_H
#define PFM_PMU_PERF_SET_H

#include <linux/perf_event.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>
#include <perfmon/perfmon_work.h>

struct perf_lease;

#define PERF_NUM_PAIRS	16
/* PMDs that can have an event: the counters, and the set's clock. */
#define PERF_NUM_EVENTS	(PERF_NUM_PAIRS + 1)

/**
 * struct perf_set - a loaded event set
 * @s:        the core's structure for the set
 * @regs:     its registers
 * @events:   bits, by perf_slot(), of the PMDs that have an event
 * @started:  the events are enabled
 * @unarmed:  bits, by perf_place(), of the PMDs whose events must still be
 *            armed
 * @arming_cpu: CPU on which @irq_work is arming events now; or -1
 * @irq_work: arms the @unarmed events that are on its CPU
 * @rcu:      frees the set after a grace period: the kernel may still access
 *            @irq_work after it has run
 * @work:     arms the events that @irq_work did not find on its CPU
 * @worked:   @work has been queued, which is rare
 * @timer:    PMD whose event also measures the set's time, if the clock has
 *            no event of its own
 * @seen:     count of each software event at the last perf_unreported()
 * @leases:   the lease of each event, for its release
 * @user_read: the thread may read its counters itself, if their PMU allows it
 */
struct perf_set {
	struct pfm_pmu_set		*s;
	struct pfm_pmu_reg *const	*regs;
	unsigned long			events;
	bool				started;
	unsigned long			unarmed;
	int				arming_cpu;
	struct pfm_irq_work		irq_work;
	struct rcu_head			rcu;
	struct pfm_work			work;
	bool				worked;
	struct pfm_pmu_reg		*timer;
	u64				seen[PERF_NUM_EVENTS];
	struct perf_lease		*leases[PERF_NUM_EVENTS];
	bool				user_read;
};

/* Get a PMD's perf event; NULL if the PMD is virtual or its PMC is not used. */
static __always_inline struct perf_event *
perf_event_of(const struct pfm_pmu_reg *reg)
{
	return READ_ONCE(reg->priv);
}

/*
 * Find the first event at or after index *@slot of perf_set.regs, and update
 * *@slot. Return: the event or NULL. Skip an event that a command is removing:
 * its bit may still be set.
 */
static inline struct perf_event *perf_event_from(const struct perf_set *ps,
						 unsigned int *slot)
{
	struct perf_event *event;

	for (;; ++*slot) {
		*slot = find_next_bit(&ps->events, BITS_PER_LONG, *slot);
		if (*slot == BITS_PER_LONG)
			return NULL;
		event = perf_event_of(ps->regs[*slot]);
		if (event)
			return event;
	}
}

/* Iterate over the events of a set. */
#define perf_for_each_event(ps, slot, event)				\
	for ((slot) = 0; ((event) = perf_event_from(ps, &(slot))); (slot)++)

static inline bool perf_is_set_clock(const struct pfm_pmu_reg *reg)
{
	return reg->desc->num == PFM_REG_CLOCK;
}

/*
 * Get the index in perf_set.unarmed, .seen and .leases of a PMD with an event.
 */
static inline unsigned int perf_place(const struct pfm_pmu_reg *reg)
{
	return perf_is_set_clock(reg) ? PERF_NUM_PAIRS : reg->desc->num;
}

/* Get the index in perf_set.regs and .events of a PMD with an event. */
static inline unsigned int perf_slot(const struct pfm_pmu_reg *reg)
{
	return perf_is_set_clock(reg) ? reg->set->num_regs - 1 : reg->desc->num;
}

static inline u32 perf_pmc_type(u64 pmc)
{
	if (pmc & PFM_PERF_RAW)
		return PERF_TYPE_RAW;
	return (pmc & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT;
}

/*
 * Is the event of this PMC a software event or a tracepoint? event->attr.type
 * does not tell: since 6.6 perf changes it for the clock events.
 */
static inline bool perf_is_software(u64 pmc)
{
	u32 type = perf_pmc_type(pmc);

	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT;
}

/* Is this a clock event? Clock events count time, and each has a timer. */
static inline bool perf_is_clock(u64 pmc)
{
	u64 id = pmc & PFM_PERF_ID_MASK;

	return perf_pmc_type(pmc) == PERF_TYPE_SOFTWARE &&
	       (id == PERF_COUNT_SW_CPU_CLOCK ||
		id == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Is this the event of context switches? They happen in the kernel only, so
 * with exclude_kernel perf would count none. If the PMC excludes the kernel,
 * the event counts them nevertheless, and its overflows are reported with user
 * registers.
 */
static inline bool perf_is_switch(u64 pmc)
{
	return perf_pmc_type(pmc) == PERF_TYPE_SOFTWARE &&
	       (pmc & PFM_PERF_ID_MASK) == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

/*
 * Does perf count each event as it happens, and report each period? It does so
 * for breakpoints and for software events other than clocks.
 */
static inline bool perf_is_counted_at_once(u64 pmc)
{
	return perf_pmc_type(pmc) == PERF_TYPE_BREAKPOINT ||
	       (perf_is_software(pmc) && !perf_is_clock(pmc));
}

/* Does perf itself handle the period, without a hardware counter? */
static inline bool perf_has_no_counter(u64 pmc)
{
	return perf_is_software(pmc) || perf_is_counted_at_once(pmc);
}

/* Is this an event of the CPU, not of a PMU selected by its number? */
static inline bool perf_is_of_cpu(u64 pmc)
{
	u32 type = perf_pmc_type(pmc);

	return type == PERF_TYPE_RAW ||
	       ((type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE) &&
		(pmc & PFM_PERF_ID_MASK) <= U32_MAX);
}

/* Do overflows of this register write debug-store records? */
static inline bool perf_is_ds(const struct pfm_pmu_reg *reg)
{
	return reg->set->ds && reg->sampling && !perf_is_set_clock(reg);
}

#endif /* PFM_PMU_PERF_SET_H */
