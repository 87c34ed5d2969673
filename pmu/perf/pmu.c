// SPDX-License-Identifier: GPL-2.0
/*
 * pmu.c - pfm_pmu_perf, the PMU description on top of perf_events
 *
 * There are sixteen pairs PMCn/PMDn, each of which is an event of the kernel's
 * perf, and virtual PMDs for resources other than counters. A PMC's value is an
 * event in the encoding of perfmon.h (PFM_PERF_*); PMCs 64 + n and 128 + n are
 * config1 and config2 of perf_event_attr. perf extends its counters to 64 bits,
 * so a PMD's value is
 *
 *	event->count - reg->offset
 *
 * The PMD overflows when the event has counted the period that was passed to
 * perf. perf then re-arms the event with the same period, so that the next
 * overflow comes exactly one period later. pfm_pmu_reg.reload records that
 * period.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <perfmon/perfmon_pmu.h>
#include "clock.h"
#include "compat.h"
#include "event.h"
#include "hw_count.h"
#include "lease.h"
#include "overflow.h"
#include "perf_record.h"
#include "pmc.h"
#include "pointers.h"
#include "sample.h"
#include "selftest.h"
#include "throttle.h"
#include "user_read.h"
#include "virtual.h"

/*
 * Hide the event from later readers. A reader that does not wait for the
 * current command may have found it already: the overflow of another event, or
 * the scheduler probe of core/exclude.c. Such readers run with interrupts off,
 * and perf frees the event only after a grace period. The event is no longer on
 * a counter, so they read its last count.
 */
static void perf_forget_event(struct pfm_pmu_reg *reg)
{
	WRITE_ONCE(reg->priv, NULL);
	reg->user_read = false;
	reg->update = NULL;
	perf_expect(reg, -1ULL, false);
}

/* Can counters be read with the functions of hw_count.h? */
static bool perf_asks_counters __ro_after_init;

/*
 * Does the event belong to a software-like PMU that perf_has_no_counter() does
 * not recognise by its type? Such an event must not sample, because event.c
 * would set its period as that of a hardware counter.
 */
static bool perf_has_odd_periods(const struct pfm_pmu_reg *reg,
				 const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_sw_context &&
	       !perf_has_no_counter(reg->pmc_value);
}

static noinline int perf_add_event(struct pfm_pmu_reg *reg)
{
	struct pfm_pmu_set *s = reg->set;
	struct perf_set *ps = s->priv;
	u64 config[PFM_PMC_CONFIGS];
	struct perf_event_attr attr;
	struct perf_lease *lease;
	struct perf_event *event;

	if (!perf_may_count(reg))
		return -EPERM;
	if (!perf_is_exact_enough(reg) || !perf_may_have_data(reg))
		return -EINVAL;
	pfm_pmc_configs(reg, config);
	perf_fill_attr(&attr, reg->pmc_value, config,
		       reg->sampling ? PERF_MAX_PERIOD : 0);
	attr.sample_type = reg->wants;
	if (reg->wants & PERF_SAMPLE_BRANCH_STACK) {
		attr.branch_sample_type = perf_branch_type(reg->pmc_value);
		/*
		 * On some kernels the samples of any event contain at most this
		 * many branches.
		 */
		attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	}
	if (perf_is_ds(reg)) {
		attr.sample_type = PERF_RECORD_SAMPLE;
		attr.sample_regs_intr = PERF_RECORD_REGS;
	}
	reg->user_read = perf_ask_for_user_read(&attr, reg);
	lease = perf_lease_create(&attr, reg->pmc_value,
				  s->task ? -1 : s->cpu, s->task,
				  perf_handler(reg), reg);
	if (IS_ERR(lease))
		return perf_errno(PTR_ERR(lease));
	event = lease->event;
	if (reg->sampling && perf_has_odd_periods(reg, event)) {
		perf_lease_end(s, lease);
		return -EINVAL;
	}
	ps->leases[perf_place(reg)] = lease;
	WARN_ON_ONCE(s->task && event->cpu != -1);
	if (reg->sampling)
		perf_watch_throttling(event);
	reg->update = perf_updater(reg->pmc_value, event);
	reg->waits = perf_is_clock(reg->pmc_value);
	reg->ask_counter = perf_asks_counters &&
			   perf_has_counter(reg->pmc_value, event);
	/* A reader that sees the event must also see reg->update. */
	smp_store_release(&reg->priv, event);
	set_bit(perf_slot(reg), &ps->events);
	return 0;
}

static int perf_create_event(struct pfm_pmu_reg *reg)
{
	perf_forget_event(reg);
	if (perf_is_set_clock(reg))
		reg->pmc_value = perf_clock_pmc(reg->set);
	return perf_pmc_is_used(reg->pmc_value) ? perf_add_event(reg) : 0;
}

/* Remove the event from its register, and have it released. */
static void perf_end_event(struct pfm_pmu_reg *reg)
{
	struct perf_set *ps = reg->set->priv;

	perf_forget_event(reg);
	if (test_and_clear_bit(perf_slot(reg), &ps->events))
		perf_lease_end(reg->set, ps->leases[perf_place(reg)]);
}

static void perf_end_events(struct perf_set *ps)
{
	struct perf_event *event;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		perf_end_event(ps->regs[i]);
}

/*
 * Create the clock's event, if the clock needs one of its own. Context: the
 * set's counters already have their events.
 */
static int perf_create_clock(struct perf_set *ps)
{
	struct pfm_pmu_reg *clock = perf_clock_of(ps);

	return perf_clock_needs_event(ps) ? perf_create_event(clock) : 0;
}

/* Create the events of a set; create the clock's event last. */
static int perf_create_events(struct perf_set *ps)
{
	u16 i;
	int ret;

	for (i = 0; i < ps->s->num_regs; i++) {
		struct pfm_pmu_reg *reg = ps->regs[i];

		if (!reg)
			continue;
		perf_forget_event(reg);
		if (!(reg->desc->flags & PFM_REGD_COUNTER))
			continue;
		ret = perf_is_set_clock(reg) ? perf_create_clock(ps) :
					       perf_create_event(reg);
		if (ret) {
			perf_end_events(ps);
			return ret;
		}
	}
	return 0;
}

static int perf_load(struct pfm_pmu_set *s,
		     struct pfm_pmu_reg *const *regs)
{
	struct perf_set *ps = kzalloc(sizeof(*ps), PFM_GFP);
	int ret;

	if (!ps)
		return -ENOMEM;
	ps->s = s;
	ps->regs = regs;
	perf_arm_init(ps);
	s->priv = ps;
	perf_readers_add(ps);
	ret = perf_create_events(ps);
	if (ret) {
		perf_readers_del(ps);
		s->priv = NULL;
		kfree(ps);
	}
	return ret;
}

/* Context: the set is stopped, and none of its overflows is in progress. */
static void perf_unload(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;

	perf_arm_wait(ps);
	perf_end_events(ps);
	perf_readers_del(ps);
	s->priv = NULL;
	kfree_rcu(ps, rcu);
}

/*
 * Was the event denied a counter? A pinned event for which no counter is free
 * goes into the error state. The exit of the thread overwrites this state.
 * After an exit, the event was denied a counter if it has never counted
 * although the set's clock has run. Software events need no counter.
 */
static bool perf_is_denied(const struct perf_set *ps, u64 pmc,
			   struct perf_event *event)
{
	int state = READ_ONCE(event->state);

	if (state != PERF_EVENT_STATE_EXIT)
		return state == PERF_EVENT_STATE_ERROR;
	return !perf_is_software(pmc) && !perf_time_running(event) &&
	       perf_clock_has_run(ps);
}

/*
 * Record the events that were denied a counter. Return: true if there are any.
 */
static bool perf_find_denied(const struct perf_set *ps)
{
	struct perf_event *event;
	bool found = false;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (perf_is_denied(ps, ps->regs[i]->pmc_value, event)) {
			__set_bit(i, ps->s->denied);
			found = true;
		}
	return found;
}

/*
 * Enable the events; the event that measures the set's time comes last, so that
 * all others are enabled whenever it runs. If the clock has an event of its
 * own, this is the last event of the set anyway.
 */
static void perf_enable_events(struct perf_set *ps)
{
	struct perf_event *event, *timer = perf_timer_event(ps);
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (event != timer)
			perf_event_enable(event);
	if (timer)
		perf_event_enable(timer);
}

static int perf_start(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;

	perf_arm_rest(ps);
	WRITE_ONCE(ps->started, true);
	perf_enable_events(ps);
	return perf_find_denied(ps) ? -EBUSY : 0;
}

static void perf_stop(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;
	struct perf_event *event;
	unsigned int i;

	if (!ps->started)
		return;
	WRITE_ONCE(ps->started, false);
	perf_find_denied(ps);
	perf_for_each_event(ps, i, event)
		if (!perf_has_ended_here(s, event))
			perf_event_disable(event);
	/* perf_start() arms the events that are still unarmed. */
	perf_arm_wait(ps);
}

/* Read an event's count. A stopped set's events are disabled and up to date. */
static u64 perf_count_of(const struct pfm_pmu_reg *reg,
			 struct perf_event *event)
{
	const struct perf_set *ps = reg->set->priv;

	return ps->started ? perf_count(event) : local64_read(&event->count);
}

static int perf_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	struct perf_event *event = perf_event_of(reg);

	if (!event) {
		perf_write_virtual(reg, value);
		return 0;
	}
	reg->offset = perf_count_of(reg, event) - value;
	return perf_is_armed(reg, event) ? perf_arm_stopped(reg, event, value) :
					   0;
}

static int perf_renew_event(struct pfm_pmu_reg *reg)
{
	perf_end_event(reg);
	return perf_create_event(reg);
}

/*
 * Recreate an event. The set's clock may have used it, so choose an event for
 * the clock again.
 */
static int perf_renew_timer(struct perf_set *ps, struct pfm_pmu_reg *reg)
{
	struct pfm_pmu_reg *clock = perf_clock_of(ps);
	u64 time = perf_read_virtual(clock, NULL);
	int ret = perf_renew_event(reg);
	int err = perf_create_clock(ps);

	/* The clock continues from this time, or stops there after an error. */
	perf_write_pmd(clock, time);
	return ret ?: err;
}

static int perf_write_pmc(struct pfm_pmu_reg *reg)
{
	struct perf_set *ps = reg->set->priv;

	if (!(reg->desc->flags & PFM_REGD_COUNTER))
		return 0;
	return perf_event_of(perf_clock_of(ps)) ? perf_renew_event(reg) :
						  perf_renew_timer(ps, reg);
}

static u64 perf_read_pmd(struct pfm_pmu_reg *reg)
{
	struct perf_event *event = perf_event_of(reg);
	u64 offset, count;

	if (!event && perf_is_set_clock(reg))
		return perf_clock_count(reg->set->priv) - reg->offset;
	if (!event)
		return perf_read_virtual(reg, reg->set->task ?: current);
	do {
		offset = READ_ONCE(reg->offset);
		count = perf_count_of(reg, event);
		/* Repeat if an overflow has reset the PMD in between. */
	} while (offset != READ_ONCE(reg->offset) &&
		 !fatal_signal_pending(current));
	return count - offset;
}

/*
 * The PMU description
 */

#define PERF_PMC(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PERF, .pmd = (n),	\
	  .dfl = PFM_PERF_NONE, .rsvd = 0, .index = (n),	\
	  .name = "PERFSEL" #n }

/* PMCs 64 + n and 128 + n: config1 and config2 for the event of PMCn */
#define PERF_PMC_CONFIG1(n)					\
	{ .num = 64 + (n), .type = PFM_REG_TYPE_PERF,		\
	  .flags = PFM_REGD_CONFIG1, .pmd = (n),		\
	  .index = 64 + (n), .name = "PERFCONFIG1_" #n }

#define PERF_PMC_CONFIG2(n)					\
	{ .num = 128 + (n), .type = PFM_REG_TYPE_PERF,		\
	  .flags = PFM_REGD_CONFIG2, .pmd = (n),		\
	  .index = 128 + (n), .name = "PERFCONFIG2_" #n }

#define PERF_PMD(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PERF,		\
	  .flags = PFM_REGD_COUNTER, .pmd = PFM_REGD_NO_PMD,	\
	  .index = (n), .name = "PERFCTR" #n }

#define PERF_VIRTUAL(n, fl, str, fn)				\
	{ .num = (n), .type = PFM_REG_TYPE_VIRTUAL,		\
	  .flags = (fl), .pmd = PFM_REGD_NO_PMD,		\
	  .index = (n), .name = (str), .read = (fn) }

/* @types: PERF_SAMPLE_* flags that make perf supply the data */
#define PERF_SAMPLED(n, str, fn, types)				\
	{ .num = (n), .type = PFM_REG_TYPE_VIRTUAL,		\
	  .flags = PFM_REGD_READ_ONLY, .pmd = PFM_REGD_NO_PMD,	\
	  .index = (n), .name = (str), .read_sample = (fn),	\
	  .wants = (types) }

/* The three PMDs of branch @n; each kind of PMD has its own range of numbers */
#define PERF_BRANCH_FROM(n)					\
	PERF_SAMPLED(PFM_PMD_BRANCH_FROM(n), "BRANCH_FROM" #n,	\
		     perf_sampled_from, PERF_SAMPLE_BRANCH_STACK)

#define PERF_BRANCH_TO(n)					\
	PERF_SAMPLED(PFM_PMD_BRANCH_TO(n), "BRANCH_TO" #n,	\
		     perf_sampled_to, PERF_SAMPLE_BRANCH_STACK)

#define PERF_BRANCH_FLAGS(n)					\
	PERF_SAMPLED(PFM_PMD_BRANCH_FLAGS(n), "BRANCH_FLAGS" #n, \
		     perf_sampled_flags, PERF_SAMPLE_BRANCH_STACK)

static const struct pfm_reg_desc perf_pmcs[] = {
	PERF_PMC(0), PERF_PMC(1), PERF_PMC(2), PERF_PMC(3),
	PERF_PMC(4), PERF_PMC(5), PERF_PMC(6), PERF_PMC(7),
	PERF_PMC(8), PERF_PMC(9), PERF_PMC(10), PERF_PMC(11),
	PERF_PMC(12), PERF_PMC(13), PERF_PMC(14), PERF_PMC(15),
	PERF_PMC_CONFIG1(0), PERF_PMC_CONFIG1(1),
	PERF_PMC_CONFIG1(2), PERF_PMC_CONFIG1(3),
	PERF_PMC_CONFIG1(4), PERF_PMC_CONFIG1(5),
	PERF_PMC_CONFIG1(6), PERF_PMC_CONFIG1(7),
	PERF_PMC_CONFIG1(8), PERF_PMC_CONFIG1(9),
	PERF_PMC_CONFIG1(10), PERF_PMC_CONFIG1(11),
	PERF_PMC_CONFIG1(12), PERF_PMC_CONFIG1(13),
	PERF_PMC_CONFIG1(14), PERF_PMC_CONFIG1(15),
	PERF_PMC_CONFIG2(0), PERF_PMC_CONFIG2(1),
	PERF_PMC_CONFIG2(2), PERF_PMC_CONFIG2(3),
	PERF_PMC_CONFIG2(4), PERF_PMC_CONFIG2(5),
	PERF_PMC_CONFIG2(6), PERF_PMC_CONFIG2(7),
	PERF_PMC_CONFIG2(8), PERF_PMC_CONFIG2(9),
	PERF_PMC_CONFIG2(10), PERF_PMC_CONFIG2(11),
	PERF_PMC_CONFIG2(12), PERF_PMC_CONFIG2(13),
	PERF_PMC_CONFIG2(14), PERF_PMC_CONFIG2(15),
};
static_assert(ARRAY_SIZE(perf_pmcs) == (1 + PFM_PMC_CONFIGS) * PERF_NUM_PAIRS);

static const struct pfm_reg_desc perf_pmds[] = {
	PERF_PMD(0), PERF_PMD(1), PERF_PMD(2), PERF_PMD(3),
	PERF_PMD(4), PERF_PMD(5), PERF_PMD(6), PERF_PMD(7),
	PERF_PMD(8), PERF_PMD(9), PERF_PMD(10), PERF_PMD(11),
	PERF_PMD(12), PERF_PMD(13), PERF_PMD(14), PERF_PMD(15),
	PERF_VIRTUAL(PFM_PMD_STATE, PFM_REGD_READ_ONLY, "THREAD_STATE",
		     perf_thread_state),
	PERF_VIRTUAL(PFM_PMD_ELAPSED, PFM_REGD_MONOTONIC, "ELAPSED_NS", NULL),
	PERF_VIRTUAL(PFM_PMD_TID, PFM_REGD_READ_ONLY, "TID", perf_tid),
	PERF_VIRTUAL(PFM_PMD_RESIDENT, PFM_REGD_READ_ONLY, "RESIDENT_PAGES",
		     perf_resident_pages),
	PERF_VIRTUAL(PFM_PMD_PERF_CLOCK, PFM_REGD_READ_ONLY, "PERF_CLOCK_NS",
		     perf_clock_now),
	PERF_SAMPLED(PFM_PMD_ADDRESS, "DATA_ADDRESS", perf_sampled_address,
		     PERF_SAMPLE_ADDR),
	PERF_SAMPLED(PFM_PMD_LATENCY, "LATENCY", perf_sampled_latency,
		     PERF_SAMPLE_WEIGHT_STRUCT),
	PERF_SAMPLED(PFM_PMD_WEIGHT2, "WEIGHT2", perf_sampled_weight2,
		     PERF_SAMPLE_WEIGHT_STRUCT),
	PERF_SAMPLED(PFM_PMD_WEIGHT3, "WEIGHT3", perf_sampled_weight3,
		     PERF_SAMPLE_WEIGHT_STRUCT),
	PERF_SAMPLED(PFM_PMD_SOURCE, "DATA_SOURCE", perf_sampled_source,
		     PERF_SAMPLE_DATA_SRC),
	PERF_SAMPLED(PFM_PMD_PHYSICAL, "PHYSICAL_ADDRESS",
		     perf_sampled_physical,
		     PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR),
	PERF_SAMPLED(PFM_PMD_TRANSACTION, "TRANSACTION",
		     perf_sampled_transaction, PERF_SAMPLE_TRANSACTION),
	PERF_BRANCH_FROM(0), PERF_BRANCH_FROM(1),
	PERF_BRANCH_FROM(2), PERF_BRANCH_FROM(3),
	PERF_BRANCH_FROM(4), PERF_BRANCH_FROM(5),
	PERF_BRANCH_FROM(6), PERF_BRANCH_FROM(7),
	PERF_BRANCH_TO(0), PERF_BRANCH_TO(1),
	PERF_BRANCH_TO(2), PERF_BRANCH_TO(3),
	PERF_BRANCH_TO(4), PERF_BRANCH_TO(5),
	PERF_BRANCH_TO(6), PERF_BRANCH_TO(7),
	PERF_BRANCH_FLAGS(0), PERF_BRANCH_FLAGS(1),
	PERF_BRANCH_FLAGS(2), PERF_BRANCH_FLAGS(3),
	PERF_BRANCH_FLAGS(4), PERF_BRANCH_FLAGS(5),
	PERF_BRANCH_FLAGS(6), PERF_BRANCH_FLAGS(7),
};
static_assert(PFM_BRANCHES == 8);
/* perf_set.events has a bit for each PMD, and one for the clock. */
static_assert(ARRAY_SIZE(perf_pmds) < BITS_PER_LONG);

static struct pfm_pmu perf_pmu __ro_after_init = {
	.pmu_name	= "perf_events",
	.owner		= THIS_MODULE,
	.counter_width	= 64,
	.num_pmcs	= ARRAY_SIZE(perf_pmcs),
	.num_pmds	= ARRAY_SIZE(perf_pmds),
	.pmcs		= perf_pmcs,
	.pmds		= perf_pmds,
	.check_pmc	= perf_check_pmc,
	.load		= perf_load,
	.unload		= perf_unload,
	.release	= perf_lease_release,
	.start		= perf_start,
	.stop		= perf_stop,
	.write_pmc	= perf_write_pmc,
	.write_pmd	= perf_write_pmd,
	.read_pmd	= perf_read_pmd,
	.read_pmds_ovfl	= perf_read_pmds_ovfl,
	.reset_pmd	= perf_reset_pmd,
};

#ifdef CONFIG_X86_64

#define PERF_INTEL_LEAF		0xa
#define PERF_AMD_WIDTH		48

/*
 * Get the width of this CPU's counters; 0 if it is unknown, or if the CPU has
 * no counters or several kinds of them. perf's function for this is not used,
 * because since 7.3 only KVM's modules can call it.
 */
static u16 __init perf_actual_width(void)
{
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return 0;
	if (boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
		return cpuid_eax(PERF_INTEL_LEAF) >> 16 & 0xff;
	return boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? PERF_AMD_WIDTH : 0;
}

#else

/* arm64's counters have different widths: the cycle counter has 64 bits. */
static u16 __init perf_actual_width(void)
{
	return 0;
}

#endif

/*
 * perf_selftest_exit() comes last. The thread that it creates may still run
 * code of the module when the test has ended. So nothing after it may fail: the
 * kernel would free the module while the thread runs.
 */
static int __init perf_pmu_init(void)
{
	int ret = perf_pointers_init();

	if (ret)
		return ret;
	if (!perf_selftest())
		return -ENODEV;
	perf_asks_counters = perf_selftest_counter();
	perf_keeps_times = perf_selftest_times();
	perf_pmu.actual_width = perf_actual_width();
	if (perf_has_records)
		perf_pmu.ds = perf_is_precise() ? PFM_DS_PRECISE :
						  PFM_DS_IMPRECISE;
	ret = pfm_register_pmu(&perf_pmu);
	if (!ret)
		perf_stamps_exits = perf_selftest_exit();
	return ret;
}

static void __exit perf_pmu_exit(void)
{
	pfm_unregister_pmu(&perf_pmu);
	perf_readers_exit();
}

module_init(perf_pmu_init);
module_exit(perf_pmu_exit);
MODULE_DESCRIPTION("perfmon2: PMU description over perf_events");
MODULE_VERSION(PFM_PROJECT_VERSION);
MODULE_LICENSE("GPL v2");
