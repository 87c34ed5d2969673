// SPDX-License-Identifier: GPL-2.0
/*
 * counters.c - the counters of the pfm_nmi PMU, which are handled in the same
 * way as in perf's driver for x86 CPUs
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include "rig.h"

/*
 * The width of a counter, and the longest period, which is half of the
 * counter's range.
 */
#define RIG_WIDTH	48
#define RIG_MASK	GENMASK_ULL(RIG_WIDTH - 1, 0)
#define RIG_MAX_PERIOD	((1ULL << (RIG_WIDTH - 1)) - 1)

/* A struct perf_branch_stack with its entries. */
struct rig_stack {
	u64				nr;
	u64				hw_idx;
	struct perf_branch_entry	entries[RIG_BRANCHES];
};

DEFINE_PER_CPU(struct rig_cpu, rig_cpus);
static DEFINE_PER_CPU(struct rig_stack, rig_stacks);
struct rig_record rig_record;
bool rig_late;
bool rig_mute;
u64 rig_shortest;

/*
 * perf_event_overflow(), which is not exported to modules. It throttles this
 * PMU's events like those of real drivers.
 */
static int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);

static struct pmu rig_pmu;

static struct rig_cpu *rig_cpu_of(const struct perf_event *event)
{
	WARN_ON_ONCE(event->oncpu != smp_processor_id());
	return this_cpu_ptr(&rig_cpus);
}

/*
 * Update the event's count and the rest of its period from the counter. An NMI
 * may arrive during the update.
 */
static void rig_update(struct perf_event *event)
{
	struct rig_cpu *c = rig_cpu_of(event);
	struct hw_perf_event *hwc = &event->hw;
	u64 prev, now, delta;

	do {
		prev = local64_read(&hwc->prev_count);
		now = READ_ONCE(c->values[hwc->idx]);
	} while (local64_cmpxchg(&hwc->prev_count, prev, now) != prev);
	delta = (now - prev) & RIG_MASK;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/*
 * Program the rest of the event's period into the counter. Return: whether a
 * period has ended.
 */
static bool rig_set_period(struct perf_event *event)
{
	struct rig_cpu *c = rig_cpu_of(event);
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	s64 period = hwc->sample_period;
	bool ended = left <= 0;

	if (ended) {
		left = left <= -period ? period : left + period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = period;
	}
	left = min_t(s64, left, RIG_MAX_PERIOD);
	local64_set(&hwc->prev_count, -left & RIG_MASK);
	WRITE_ONCE(c->values[hwc->idx], -left & RIG_MASK);
	return ended;
}

static void rig_start(struct perf_event *event, int flags)
{
	struct rig_cpu *c = rig_cpu_of(event);

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	if (flags & PERF_EF_RELOAD) {
		WARN_ON_ONCE(!(event->hw.state & PERF_HES_UPTODATE));
		rig_set_period(event);
	}
	event->hw.state = 0;
	barrier();
	__set_bit(event->hw.idx, &c->active);
}

static void rig_stop(struct perf_event *event, int flags)
{
	struct rig_cpu *c = rig_cpu_of(event);

	if (__test_and_clear_bit(event->hw.idx, &c->active)) {
		WARN_ON_ONCE(event->hw.state & PERF_HES_STOPPED);
		event->hw.state |= PERF_HES_STOPPED;
	}
	if (flags & PERF_EF_UPDATE && !(event->hw.state & PERF_HES_UPTODATE)) {
		rig_update(event);
		event->hw.state |= PERF_HES_UPTODATE;
	}
}

static int rig_add(struct perf_event *event, int flags)
{
	struct rig_cpu *c = this_cpu_ptr(&rig_cpus);
	int idx = ffz(c->used);

	if (idx >= RIG_COUNTERS)
		return -EAGAIN;
	__set_bit(idx, &c->used);
	c->events[idx] = event;
	event->hw.idx = idx;
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		rig_start(event, PERF_EF_RELOAD);
	perf_event_update_userpage(event);
	return 0;
}

static void rig_del(struct perf_event *event, int flags)
{
	struct rig_cpu *c = rig_cpu_of(event);

	rig_stop(event, PERF_EF_UPDATE);
	c->events[event->hw.idx] = NULL;
	__clear_bit(event->hw.idx, &c->used);
	perf_event_update_userpage(event);
}

static void rig_enable(struct pmu *pmu)
{
	WRITE_ONCE(this_cpu_ptr(&rig_cpus)->enabled, true);
}

static void rig_disable(struct pmu *pmu)
{
	WRITE_ONCE(this_cpu_ptr(&rig_cpus)->enabled, false);
}

/*
 * Also accept precise cycles events, because pfm_pmu_perf creates one to find
 * out whether the CPU has precise events.
 */
static bool rig_is_cycles(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE &&
	       attr->config == PERF_COUNT_HW_CPU_CYCLES && attr->precise_ip;
}

static int rig_event_init(struct perf_event *event)
{
	if (event->attr.type != rig_pmu.type && !rig_is_cycles(&event->attr))
		return -ENOENT;
	if (event->attr.config & ~(RIG_STEP_MASK | RIG_SKID))
		return -EINVAL;
	if (has_branch_stack(event) && !rig_record.branches)
		return -EOPNOTSUPP;
	event->hw.config = event->attr.config;
	/*
	 * Events that only count also need a period, so that they notice when
	 * the counter wraps.
	 */
	if (!is_sampling_event(event)) {
		event->hw.sample_period = RIG_MAX_PERIOD;
		event->hw.last_period = RIG_MAX_PERIOD;
		local64_set(&event->hw.period_left, RIG_MAX_PERIOD);
	}
	/* event_base is used as the number of samples so far. */
	event->hw.event_base = 0;
	return 0;
}

/* Refuse short periods, as some CPUs do. */
static int rig_check_period(struct perf_event *event, u64 period)
{
	return period < READ_ONCE(rig_shortest) ? -EINVAL : 0;
}

static struct pmu rig_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	/*
	 * Without this flag, only one PMU with this task context can be
	 * registered.
	 */
	.capabilities	= PERF_PMU_CAP_HETEROGENEOUS_CPUS,
#endif
	.pmu_enable	= rig_enable,
	.pmu_disable	= rig_disable,
	.event_init	= rig_event_init,
	.add		= rig_add,
	.del		= rig_del,
	.start		= rig_start,
	.stop		= rig_stop,
	.read		= rig_update,
	.check_period	= rig_check_period,
};

/* The functions from here to rig_count() run in NMI context. */

static bool rig_is_excluded(const struct perf_event *event,
			    struct pt_regs *regs)
{
	if (event->hw.config & RIG_SKID)
		return false;
	return user_mode(regs) ? event->attr.exclude_user :
				 event->attr.exclude_kernel;
}

/* Advance all active counters simultaneously. */
static void rig_advance(struct rig_cpu *c, struct pt_regs *regs)
{
	unsigned long active = READ_ONCE(c->active);
	unsigned int i;

	for_each_set_bit(i, &active, RIG_COUNTERS) {
		const struct perf_event *event = c->events[i];
		u64 step = (event->hw.config & RIG_STEP_MASK) + 1;
		u64 was = c->values[i];

		if (rig_is_excluded(event, regs))
			continue;
		c->values[i] = (was + step) & RIG_MASK;
		c->stats.wrapped += c->values[i] < was;
	}
}

/*
 * Fill in the branches, from the newest to the oldest. From each branch to the
 * next, the addresses grow by 64 and the cycles by 1.
 */
static void rig_fill_stack(struct rig_stack *stack, u64 sample)
{
	u64 i;

	stack->nr = min_t(u64, rig_record.branches, RIG_BRANCHES);
	stack->hw_idx = -1ULL;
	for (i = 0; i < stack->nr; i++) {
		u64 *words = (u64 *)&stack->entries[i];

		words[0] = rig_record.branch_from + 64 * i + sample;
		words[1] = rig_record.branch_to + 64 * i + sample;
		words[2] = rig_record.branch_flags + (i << 4);
	}
}

static void rig_save_branches(struct perf_event *event,
			      struct perf_sample_data *data, u64 sample)
{
	struct rig_stack *stack = this_cpu_ptr(&rig_stacks);
	struct perf_branch_stack *branches = (void *)stack;

	rig_fill_stack(stack, sample);
	rig_record.branch_type = event->attr.branch_sample_type;
#ifdef PERF_BRANCH_ENTRY_INFO_BITS_MAX
	perf_sample_save_brstack(data, event, branches, NULL);
#else
	data->br_stack = branches;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
#endif
}

/* Fill in the data that a CPU with precise events would store. */
static void rig_sample(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	u64 type = event->attr.sample_type, n = event->hw.event_base++;

	if (has_branch_stack(event))
		rig_save_branches(event, data, n);
	if (!event->attr.precise_ip)
		return;
	regs->flags |= PERF_EFLAGS_EXACT;
	if (type & PERF_SAMPLE_ADDR) {
		data->addr = rig_record.addr + n;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		data->weight.full = rig_record.latency + n;
		if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
			data->weight.var2_w = rig_record.weight2;
			data->weight.var3_w = rig_record.weight3;
		}
		data->sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = rig_record.source;
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_TRANSACTION) {
		data->txn = rig_record.transaction;
		data->sample_flags |= PERF_SAMPLE_TRANSACTION;
	}
}

static void rig_report_one(struct rig_cpu *c, struct perf_event *event,
			   struct pt_regs *interrupted)
{
	struct perf_sample_data data;
	struct pt_regs regs = *interrupted;

	rig_update(event);
	/*
	 * A counter starts in the upper half of its range. If it is still
	 * there, it has not wrapped.
	 */
	if (local64_read(&event->hw.prev_count) >> (RIG_WIDTH - 1))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (!rig_set_period(event) || READ_ONCE(rig_mute))
		return;
	rig_sample(event, &data, &regs);
	c->stats.reported++;
	if (!overflow(event, &data, &regs))
		return;
	c->stats.throttled++;
	rig_stop(event, 0);
}

static void rig_report(struct rig_cpu *c, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < RIG_COUNTERS; i++)
		if (test_bit(i, &c->active))
			rig_report_one(c, c->events[i], regs);
}

void rig_count(struct rig_cpu *c, struct pt_regs *regs)
{
	if (!rig_is_active(c)) {
		c->stats.idle++;
		return;
	}
	if (READ_ONCE(rig_late))
		rig_report(c, regs);
	rig_advance(c, regs);
	if (!READ_ONCE(rig_late))
		rig_report(c, regs);
}

/* Return the address of a kernel function that is not exported, or NULL. */
static void *rig_find(const char *name)
{
	struct kprobe probe = { .symbol_name = name };

	if (register_kprobe(&probe))
		return NULL;
	unregister_kprobe(&probe);
	return probe.addr;
}

int rig_counters_init(void)
{
	overflow = rig_find("perf_event_overflow");
	if (!overflow)
		return -ENOENT;
	return perf_pmu_register(&rig_pmu, "pfm_nmi", -1);
}

void rig_counters_exit(void)
{
	perf_pmu_unregister(&rig_pmu);
}
