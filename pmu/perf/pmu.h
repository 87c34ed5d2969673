/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmu.h - what the parts of the logical PMU share
 */
#ifndef PFM_PMU_PERF_PMU_H
#define PFM_PMU_PERF_PMU_H

#include <linux/perf_event.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>

#define PERF_NUM_PAIRS	16
/* PMDs that may have an event: the counters, and the clock of their set. */
#define PERF_NUM_EVENTS	(PERF_NUM_PAIRS + 1)

/**
 * struct perf_set - a loaded event set
 * @s:        the core's side
 * @regs:     its registers
 * @started:  the events are enabled
 * @unarmed:  PMDs whose events still have to follow their values, by
 *            perf_place()
 * @arming_cpu: where @irq_work arms events at the moment; or -1
 * @irq_work: lets them, where they are
 * @rcu:      the kernel's part of an irq_work that has run may still look at it
 * @work:     lets them, if they are elsewhere
 * @timer:    PMD whose event tells the time of the set, if its clock has none
 * @seen:     count of each software event when more than one of its periods had
 *            passed
 * @user_read: the thread reads its counters itself, if their PMU lets it
 */
struct perf_set {
	struct pfm_pmu_set		*s;
	struct pfm_pmu_reg *const	*regs;
	bool				started;
	unsigned long			unarmed;
	int				arming_cpu;
	struct pfm_irq_work		irq_work;
	struct rcu_head			rcu;
	struct work_struct		work;
	struct pfm_pmu_reg		*timer;
	u64				seen[PERF_NUM_EVENTS];
	bool				user_read;
};

/* The event behind a PMD, or NULL if it is virtual or its PMC is not used. */
static __always_inline struct perf_event *
perf_event_of(const struct pfm_pmu_reg *reg)
{
	return READ_ONCE(reg->priv);
}

/* The same of one of a set's registers, which may not exist. */
static inline struct perf_event *perf_event_at(const struct perf_set *ps,
					       unsigned int i)
{
	return ps->regs[i] ? perf_event_of(ps->regs[i]) : NULL;
}

static inline bool perf_is_set_clock(const struct pfm_pmu_reg *reg)
{
	return reg->desc->num == PFM_REG_CLOCK;
}

/* A PMD with an event: its place among them. */
static inline unsigned int perf_place(const struct pfm_pmu_reg *reg)
{
	return perf_is_set_clock(reg) ? PERF_NUM_PAIRS : reg->desc->num;
}

static inline u32 perf_pmc_type(u64 pmc)
{
	if (pmc & PFM_PERF_RAW)
		return PERF_TYPE_RAW;
	return (pmc & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT;
}

/*
 * What kind of event a PMC asks for. perf's own copy of the type does not tell:
 * it is rewritten for the clock events since 6.6.
 */
static inline bool perf_is_software(u64 pmc)
{
	u32 type = perf_pmc_type(pmc);

	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT;
}

/* Clock events count time; their timers go off on their own. */
static inline bool perf_is_clock(u64 pmc)
{
	u64 id = pmc & PFM_PERF_ID_MASK;

	return perf_pmc_type(pmc) == PERF_TYPE_SOFTWARE &&
	       (id == PERF_COUNT_SW_CPU_CLOCK ||
		id == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * The other software events, and breakpoints, are counted as they happen, and
 * perf reports each of their periods.
 */
static inline bool perf_is_counted_at_once(u64 pmc)
{
	return perf_pmc_type(pmc) == PERF_TYPE_BREAKPOINT ||
	       (perf_is_software(pmc) && !perf_is_clock(pmc));
}

/* perf does with its period, and with its timer, all that is to be done. */
static inline bool perf_has_no_counter(u64 pmc)
{
	return perf_is_software(pmc) || perf_is_counted_at_once(pmc);
}

/* An event of the CPU, of no PMU that is named. */
static inline bool perf_is_of_cpu(u64 pmc)
{
	u32 type = perf_pmc_type(pmc);

	return type == PERF_TYPE_RAW ||
	       ((type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE) &&
		(pmc & PFM_PERF_ID_MASK) <= U32_MAX);
}

/* Do overflows of this register go into a debug-store area? */
static inline bool perf_is_ds(const struct pfm_pmu_reg *reg)
{
	return reg->set->ds && reg->sampling && !perf_is_set_clock(reg);
}

#endif /* PFM_PMU_PERF_PMU_H */
