// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_pmu_perf - the logical PMU on top of perf_events
 *
 * Sixteen pairs PMCn/PMDn, each an event of the kernel's perf, and virtual PMDs
 * for resources that are no counters. A PMC's value is an event in the encoding
 * of perfmon.h (PFM_PERF_*). perf folds its counters to 64 bits, and so a PMD's
 * value is
 *
 *	event->count - reg->offset
 *
 * and it overflows when the event has counted what perf was told as its period.
 * perf re-arms an event with the same period by itself, at exactly one period
 * after the last overflow, which is what pfm_pmu_reg.reload stands for.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <perfmon/perfmon_pmu.h>
#include "perf_record.h"

#define PERF_NUM_PAIRS	16

/* Longest period that perf takes; a PMD farther from overflow only counts. */
#define PERF_MAX_PERIOD	((u64)S64_MAX)

/**
 * struct perf_set - a loaded event set
 * @s:     the core's side
 * @regs:  its registers
 * @started: the events are enabled
 */
struct perf_set {
	struct pfm_pmu_set		*s;
	struct pfm_pmu_reg *const	*regs;
	bool				started;
};

/* Does something to an event; the one that updates its count is in @update. */
typedef void (*perf_event_fn_t)(struct perf_event *event);

/* The event behind a PMD, or NULL if it is virtual or its PMC is not used. */
static struct perf_event *perf_event_of(const struct pfm_pmu_reg *reg)
{
	return reg->priv;
}

static bool perf_pmc_is_used(u64 pmc)
{
	return (pmc & (PFM_PERF_RAW | PFM_PERF_TYPE_MASK)) != PFM_PERF_NONE;
}

static u32 perf_pmc_type(u64 pmc)
{
	if (pmc & PFM_PERF_RAW)
		return PERF_TYPE_RAW;
	return (pmc & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT;
}

/*
 * What kind of event a PMC asks for. perf's own copy of the type does not tell:
 * it is rewritten for the clock events since 6.6.
 */
static bool perf_is_software(u64 pmc)
{
	u32 type = perf_pmc_type(pmc);

	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT;
}

/* Clock events count time; their timers go off on their own. */
static bool perf_is_clock(u64 pmc)
{
	u64 id = pmc & PFM_PERF_ID_MASK;

	return perf_pmc_type(pmc) == PERF_TYPE_SOFTWARE &&
	       (id == PERF_COUNT_SW_CPU_CLOCK ||
		id == PERF_COUNT_SW_TASK_CLOCK);
}

/* Events until @value wraps, as a period for perf. */
static u64 perf_period(u64 value)
{
	u64 left = -value;

	return left && left <= PERF_MAX_PERIOD ? left : PERF_MAX_PERIOD;
}

/*
 * The overflow path
 */

/* A clock's timer that was armed for another value is armed for the rest. */
static bool perf_rearm_rest(struct perf_event *event, struct pfm_pmu_reg *reg,
			    s64 value)
{
	if (value >= 0 || !perf_is_clock(reg->pmc_value) ||
	    (u64)-value <= event->hw.sample_period >> 3)
		return false;
	event->hw.sample_period = -value;
	reg->reload = PFM_RELOAD_NONE;
	return true;
}

/*
 * An overflow that perf reports before the PMD has wrapped. Other than an early
 * timer it is two clocks that differ a little, or a skid: the PMD has wrapped
 * just now.
 */
static bool perf_has_wrapped(struct perf_event *event, struct pfm_pmu_reg *reg)
{
	s64 value = local64_read(&event->count) - reg->offset;

	if (perf_rearm_rest(event, reg, value))
		return false;
	if (value < 0)
		reg->offset += value;
	return true;
}

static noinline void perf_overflow_early(struct perf_event *event,
					 struct pfm_pmu_reg *reg,
					 struct pt_regs *regs)
{
	if (perf_has_wrapped(event, reg))
		pfm_overflow(reg, 0, instruction_pointer(regs), regs);
}

static __always_inline void perf_report(struct perf_event *event,
					struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	u64 value = local64_read(&event->count) - reg->offset;

	if (unlikely((s64)value < 0))
		perf_overflow_early(event, reg, regs);
	else
		pfm_overflow(reg, value, instruction_pointer(regs), regs);
}

/*
 * Whole periods for which no timer went off are forgotten: they had no sample.
 */
static void perf_drop_missed_periods(struct perf_event *event)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	s64 value = local64_read(&event->count) - reg->offset;

	if (value >= 0 && reg->reload != PFM_RELOAD_NONE &&
	    unlikely((u64)value >= -reg->reload))
		reg->offset += value - value % -reg->reload;
}

static void notrace perf_overflow(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	perf_report(event, regs);
}

/*
 * The event excludes the kernel, but the interrupt may have come late.
 * Return: the registers at user level, or NULL if there is none.
 */
static __always_inline struct pt_regs *perf_user_regs(struct pt_regs *regs)
{
	if (likely(user_mode(regs)))
		return regs;
	return current->flags & PF_KTHREAD ? NULL : task_pt_regs(current);
}

static void notrace perf_overflow_user(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs)
{
	regs = perf_user_regs(regs);
	if (likely(regs))
		perf_report(event, regs);
}

/* A clock's timer has a shortest period, and may come late. */
static void notrace perf_overflow_clock(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs)
{
	perf_drop_missed_periods(event);
	perf_report(event, regs);
}

/*
 * With a debug-store area: perf's sample is the CPU's record. For a precise
 * event perf has put the CPU's own registers into @regs.
 */
static void notrace perf_overflow_ds(struct perf_event *event,
				     struct perf_sample_data *data,
				     struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	struct pfm_ds_record rec;

	if (perf_is_clock(reg->pmc_value))
		perf_drop_missed_periods(event);
	else if (reg->pmc_value & PFM_PERF_EXCL_KERNEL)
		regs = perf_user_regs(regs);
	if (!regs || !perf_has_wrapped(event, reg))
		return;
	perf_fill_record(&rec, data, regs);
	/*
	 * A register or an address of the kernel's is nobody else's business.
	 */
	if (reg->pmc_value & PFM_PERF_EXCL_KERNEL && (s64)rec.dla < 0)
		rec.dla = 0;
	rec.imprecise = !event->attr.precise_ip;
	pfm_ds_overflow(reg, instruction_pointer(regs), regs, &rec);
}

/* Do overflows of this register go into a debug-store area? */
static bool perf_is_ds(const struct pfm_pmu_reg *reg)
{
	return reg->set->ds && reg->sampling &&
	       reg->desc->num != PFM_REG_CLOCK;
}

/* The clock of a set: what it says is time that has passed, and stays so. */
static void notrace perf_overflow_timeout(struct perf_event *event,
					  struct perf_sample_data *data,
					  struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	s64 value = local64_read(&event->count) - reg->offset;

	if (!perf_rearm_rest(event, reg, value))
		pfm_timeout(reg, regs);
}

static bool perf_is_set_clock(const struct pfm_pmu_reg *reg)
{
	return reg->desc->num == PFM_REG_CLOCK;
}

static perf_overflow_handler_t perf_handler(u64 pmc)
{
	/* perf asks for user level itself before it reports a clock. */
	if (perf_is_clock(pmc))
		return perf_overflow_clock;
	return pmc & PFM_PERF_EXCL_KERNEL ? perf_overflow_user : perf_overflow;
}

static u64 perf_tid(struct task_struct *task)
{
	return task->pid;
}

static u64 perf_resident_pages(struct task_struct *task)
{
	struct mm_struct *mm;
	u64 pages;

	/* Its own memory cannot go while it is interrupted. */
	if (task == current)
		return task->mm ? get_mm_rss(task->mm) : 0;
	mm = get_task_mm(task);
	if (!mm)
		return 0;
	pages = get_mm_rss(mm);
	mmput(mm);
	return pages;
}

/* What the PMDs without an event count; a counter without one stands still. */
static u64 perf_virtual_count(const struct pfm_pmu_reg *reg)
{
	return reg->desc->num == PFM_PMD_ELAPSED ? ktime_get_mono_fast_ns() : 0;
}

/* Context: as the overflow: @task is current, or else one that is held. */
static noinline u64 perf_read_virtual(const struct pfm_pmu_reg *reg,
				      struct task_struct *task)
{
	if (reg->desc->read)
		return reg->desc->read(task);
	return perf_virtual_count(reg) - reg->offset;
}

static void perf_write_virtual(struct pfm_pmu_reg *reg, u64 value)
{
	reg->offset = perf_virtual_count(reg) - value;
}

/* Is the event on a counter of this CPU? Interrupts are off: it stays there. */
static __always_inline bool perf_is_here(const struct perf_event *event)
{
	return event->oncpu == task_cpu(current);
}

/*
 * Interrupts are off so that no command of perf's moves an event off its
 * counter between the question where it is and the reading. Some events are
 * always up to date: they have no update function.
 */
static __flatten void perf_read_pmds_ovfl(struct pfm_pmu_reg *const *regs,
					  u64 *values, unsigned int n);

static void notrace perf_read_pmds_ovfl(struct pfm_pmu_reg *const *regs,
					u64 *values, unsigned int n)
{
	u64 *end = values + n;
	unsigned long flags;

	local_irq_save(flags);
	do {
		const struct pfm_pmu_reg *reg = *regs++;
		perf_event_fn_t update = reg->update;

		if (unlikely(!perf_event_of(reg))) {
			*values++ = perf_read_virtual(reg, current);
			continue;
		}
		if (update && perf_is_here(perf_event_of(reg)))
			update(perf_event_of(reg));
		*values++ = local64_read(&perf_event_of(reg)->count) -
			    reg->offset;
	} while (values < end);
	local_irq_restore(flags);
}

/*
 * Give a hardware event a new period at once, as perf's own frequency code. A
 * period of 1 would ask some CPUs for another facility.
 */
static void perf_rearm_hw(struct perf_event *event, u64 period)
{
	bool active = perf_is_here(event) &&
		      !(event->hw.state & PERF_HES_STOPPED);

	period = max(period, 2ULL);
	if (active)
		event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.sample_period = period;
	event->hw.last_period = period;
	local64_set(&event->hw.period_left, period);
	if (active)
		event->pmu->start(event, PERF_EF_RELOAD);
}

/*
 * A clock that is being reported takes its period when the report is over. The
 * timer of another one is set anew, which an NMI must not do: there it goes off
 * as it was set, and the rest is seen to then.
 */
static void perf_rearm_clock(struct perf_event *event, u64 period)
{
	bool set = perf_is_here(event) && !in_nmi() &&
		   !hrtimer_callback_running(&event->hw.hrtimer);

	if (set)
		event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.sample_period = period;
	local64_set(&event->hw.period_left, 0);
	if (set)
		event->pmu->start(event, 0);
}

static void perf_rearm(const struct pfm_pmu_reg *reg, struct perf_event *event,
		       u64 period)
{
	if (perf_is_clock(reg->pmc_value)) {
		perf_rearm_clock(event, period);
	} else if (perf_is_software(reg->pmc_value)) {
		event->hw.sample_period = period;
		event->hw.last_period = period;
		local64_set(&event->hw.period_left, -(s64)period);
	} else {
		perf_rearm_hw(event, period);
	}
}

/* Has perf re-armed the event with just this period, at the last overflow? */
static bool perf_has_rearmed(const struct pfm_pmu_reg *reg,
			     const struct perf_event *event, u64 value)
{
	u64 now = local64_read(&event->count) - reg->offset;

	return reg->reload == value && now < -value;
}

static void perf_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
	struct perf_event *event = perf_event_of(reg);
	perf_event_fn_t update = reg->update;

	if (!event) {
		perf_write_virtual(reg, value);
		return;
	}
	if (update && perf_is_here(event))
		update(event);
	if (perf_has_rearmed(reg, event, value)) {
		reg->offset -= value;
		return;
	}
	if (event->attr.sample_period) {
		reg->reload = value;
		perf_rearm(reg, event, perf_period(value));
	}
	reg->offset = local64_read(&event->count) - value;
}

/*
 * Process context
 */

static void perf_apply(struct perf_set *ps,
		       perf_event_fn_t fn)
{
	u16 i;

	for (i = 0; i < ps->s->num_regs; i++) {
		struct perf_event *event = perf_event_of(ps->regs[i]);

		if (event)
			fn(event);
	}
}

static void perf_fill_attr(struct perf_event_attr *attr, u64 pmc, u64 period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = perf_pmc_type(pmc);
	attr->config = pmc & PFM_PERF_ID_MASK;
	attr->exclude_user = !!(pmc & PFM_PERF_EXCL_USER);
	attr->exclude_kernel = !!(pmc & PFM_PERF_EXCL_KERNEL);
	attr->exclude_hv = attr->exclude_kernel;
	attr->exclude_idle = !!(pmc & PFM_PERF_EXCL_IDLE);
	attr->precise_ip = (pmc & PFM_PERF_PRECISE_MASK) >>
			   PFM_PERF_PRECISE_SHIFT;
	attr->sample_period = period;
	attr->disabled = 1;
	if (attr->precise_ip) {
		/* Refused without a period; every record is to be reported. */
		attr->sample_period = period ?: PERF_MAX_PERIOD;
		attr->wakeup_events = 1;
	}
	/* A counter, or an error that can be seen: never a share of one. */
	attr->pinned = !perf_is_software(pmc);
}

/* perf's errors in the specification's words. */
static int perf_errno(long err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return -EPERM;
	case -ESRCH:
	case -ENOMEM:
	case -EBUSY:
	case -ENODEV:
		return err;
	default:
		return -EINVAL;
	}
}

static int perf_check_pmc(u16 num, u64 pmc, bool syswide)
{
	struct task_struct *task = syswide ? NULL : current;
	int cpu = syswide ? raw_smp_processor_id() : -1;
	struct perf_event_attr attr;
	struct perf_event *event;
	int ret;

	if (!perf_pmc_is_used(pmc))
		return pmc == PFM_PERF_NONE ? 0 : -EINVAL;
	if (pmc & PFM_PERF_RAW && pmc & PFM_PERF_TYPE_MASK)
		return -EINVAL;
	/* Only perf knows what this machine can count. */
	perf_fill_attr(&attr, pmc, 0);
	event = perf_event_create_kernel_counter(&attr, cpu, task,
						 perf_handler(pmc), NULL);
	if (!IS_ERR(event)) {
		perf_event_release_kernel(event);
		return 0;
	}
	ret = perf_errno(PTR_ERR(event));
	return ret == -EINVAL ? ret : 0;
}

/* A debug-store area may want records that are exact. */
static bool perf_is_exact_enough(const struct pfm_pmu_reg *reg)
{
	return !perf_is_ds(reg) || reg->set->ds->imprecise_ok ||
	       reg->pmc_value & PFM_PERF_PRECISE_MASK;
}

/*
 * The rights that perf checks in perf_event_open() and not for the kernel: to
 * see the kernel, and to see registers when it is locked down.
 */
static bool perf_may_count(const struct pfm_pmu_reg *reg)
{
	/* Time says nothing about the kernel. */
	if (reg->set->user_only && !perf_is_set_clock(reg) &&
	    !(reg->pmc_value & PFM_PERF_EXCL_KERNEL))
		return false;
	return !perf_is_ds(reg) || !security_locked_down(LOCKDOWN_PERF);
}

static void perf_forget_event(struct pfm_pmu_reg *reg)
{
	reg->priv = NULL;
	reg->update = NULL;
	reg->reload = PFM_RELOAD_NONE;
}

/* The event that measures how long the set counts. */
static u64 perf_clock_pmc(const struct pfm_pmu_set *s)
{
	return PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
			      s->task ? PERF_COUNT_SW_TASK_CLOCK :
					PERF_COUNT_SW_CPU_CLOCK);
}

static int perf_create_event(struct pfm_pmu_reg *reg)
{
	struct pfm_pmu_set *s = reg->set;
	perf_overflow_handler_t handler;
	struct perf_event_attr attr;
	struct perf_event *event;

	perf_forget_event(reg);
	if (perf_is_set_clock(reg))
		reg->pmc_value = perf_clock_pmc(s);
	if (!perf_pmc_is_used(reg->pmc_value))
		return 0;
	if (!perf_may_count(reg))
		return -EPERM;
	if (!perf_is_exact_enough(reg))
		return -EINVAL;
	perf_fill_attr(&attr, reg->pmc_value,
		       reg->sampling ? PERF_MAX_PERIOD : 0);
	handler = perf_handler(reg->pmc_value);
	if (perf_is_set_clock(reg))
		handler = perf_overflow_timeout;
	if (perf_is_ds(reg)) {
		attr.sample_type = PERF_RECORD_SAMPLE;
		attr.sample_regs_intr = PERF_RECORD_REGS;
		handler = perf_overflow_ds;
	}
	event = perf_event_create_kernel_counter(&attr, s->task ? -1 : s->cpu,
						 s->task, handler, reg);
	if (IS_ERR(event))
		return perf_errno(PTR_ERR(event));
	reg->priv = event;
	/* Software events but the clocks count as they happen. */
	if (!perf_is_software(reg->pmc_value) || perf_is_clock(reg->pmc_value))
		reg->update = event->pmu->read;
	return 0;
}

static void perf_destroy_event(struct pfm_pmu_reg *reg)
{
	struct perf_event *event = perf_event_of(reg);

	if (event)
		perf_event_release_kernel(event);
	perf_forget_event(reg);
}

static int perf_create_events(struct perf_set *ps)
{
	u16 i;
	int ret;

	for (i = 0; i < ps->s->num_regs; i++) {
		struct pfm_pmu_reg *reg = ps->regs[i];

		perf_forget_event(reg);
		if (!(reg->desc->flags & PFM_REGD_COUNTER))
			continue;
		ret = perf_create_event(reg);
		if (ret) {
			while (i--)
				perf_destroy_event(ps->regs[i]);
			return ret;
		}
	}
	return 0;
}

static int perf_load(struct pfm_pmu_set *s,
		     struct pfm_pmu_reg *const *regs)
{
	struct perf_set *ps = kzalloc(sizeof(*ps), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!ps)
		return -ENOMEM;
	ps->s = s;
	ps->regs = regs;
	ret = perf_create_events(ps);
	if (ret) {
		kfree(ps);
		return ret;
	}
	s->priv = ps;
	return 0;
}

static void perf_unload(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;
	u16 i;

	for (i = 0; i < s->num_regs; i++)
		perf_destroy_event(ps->regs[i]);
	s->priv = NULL;
	kfree(ps);
}

static u64 perf_time_running(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return running;
}

/*
 * A pinned event that finds no free counter is in an error state, which the
 * exit of its thread hides. Then it has counted at no time, other than the
 * set's clock.
 */
static bool perf_is_denied(const struct perf_set *ps,
			   struct perf_event *event)
{
	int state = READ_ONCE(event->state);
	struct perf_event *clock;

	if (state != PERF_EVENT_STATE_EXIT)
		return state == PERF_EVENT_STATE_ERROR;
	clock = perf_event_of(ps->regs[ps->s->num_regs - 1]);
	return !perf_time_running(event) && perf_time_running(clock);
}

/* Note what has no counter. Return: is there such a one? */
static bool perf_find_denied(const struct perf_set *ps)
{
	bool found = false;
	u16 i;

	for (i = 0; i < ps->s->num_regs; i++) {
		struct perf_event *event = perf_event_of(ps->regs[i]);

		if (!event || !perf_is_denied(ps, event))
			continue;
		__set_bit(i, ps->s->denied);
		found = true;
	}
	return found;
}

static int perf_start(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;

	ps->started = true;
	perf_apply(ps, perf_event_enable);
	return perf_find_denied(ps) ? -EBUSY : 0;
}

static void perf_stop(struct pfm_pmu_set *s)
{
	struct perf_set *ps = s->priv;

	if (!ps->started)
		return;
	ps->started = false;
	perf_find_denied(ps);
	perf_apply(ps, perf_event_disable);
}

static int perf_write_pmc(struct pfm_pmu_reg *reg)
{
	if (!(reg->desc->flags & PFM_REGD_COUNTER))
		return 0;
	perf_destroy_event(reg);
	return perf_create_event(reg);
}

static u64 perf_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static int perf_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	struct perf_event *event = perf_event_of(reg);

	if (!event) {
		perf_write_virtual(reg, value);
		return 0;
	}
	reg->offset = perf_count(event) - value;
	if (!event->attr.sample_period)
		return 0;
	reg->reload = value;
	return perf_event_period(event, perf_period(value)) ? -EINVAL : 0;
}

static u64 perf_read_pmd(struct pfm_pmu_reg *reg)
{
	struct perf_event *event = perf_event_of(reg);
	u64 offset, count;

	if (!event)
		return perf_read_virtual(reg, reg->set->task ?: current);
	do {
		offset = READ_ONCE(reg->offset);
		count = perf_count(event);
		/* An overflow meanwhile has reset it. */
	} while (offset != READ_ONCE(reg->offset));
	return count - offset;
}

/*
 * The description
 */

#define PERF_PMC(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PERF, .pmd = (n),	\
	  .dfl = PFM_PERF_NONE, .rsvd = 0, .index = (n),	\
	  .name = "PERFSEL" #n }

#define PERF_PMD(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PERF,		\
	  .flags = PFM_REGD_COUNTER, .pmd = PFM_REGD_NO_PMD,	\
	  .index = (n), .name = "PERFCTR" #n }

#define PERF_VIRTUAL(n, fl, str, fn)				\
	{ .num = (n), .type = PFM_REG_TYPE_VIRTUAL,		\
	  .flags = (fl), .pmd = PFM_REGD_NO_PMD,		\
	  .index = (n), .name = (str), .read = (fn) }

static const struct pfm_reg_desc perf_pmcs[] = {
	PERF_PMC(0), PERF_PMC(1), PERF_PMC(2), PERF_PMC(3),
	PERF_PMC(4), PERF_PMC(5), PERF_PMC(6), PERF_PMC(7),
	PERF_PMC(8), PERF_PMC(9), PERF_PMC(10), PERF_PMC(11),
	PERF_PMC(12), PERF_PMC(13), PERF_PMC(14), PERF_PMC(15),
};
static_assert(ARRAY_SIZE(perf_pmcs) == PERF_NUM_PAIRS);

static const struct pfm_reg_desc perf_pmds[] = {
	PERF_PMD(0), PERF_PMD(1), PERF_PMD(2), PERF_PMD(3),
	PERF_PMD(4), PERF_PMD(5), PERF_PMD(6), PERF_PMD(7),
	PERF_PMD(8), PERF_PMD(9), PERF_PMD(10), PERF_PMD(11),
	PERF_PMD(12), PERF_PMD(13), PERF_PMD(14), PERF_PMD(15),
	PERF_VIRTUAL(PFM_PMD_ELAPSED, PFM_REGD_MONOTONIC, "ELAPSED_NS", NULL),
	PERF_VIRTUAL(PFM_PMD_TID, PFM_REGD_READ_ONLY, "TID", perf_tid),
	PERF_VIRTUAL(PFM_PMD_RESIDENT, PFM_REGD_READ_ONLY, "RESIDENT_PAGES",
		     perf_resident_pages),
};

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
	.start		= perf_start,
	.stop		= perf_stop,
	.write_pmc	= perf_write_pmc,
	.write_pmd	= perf_write_pmd,
	.read_pmd	= perf_read_pmd,
	.read_pmds_ovfl	= perf_read_pmds_ovfl,
	.reset_pmd	= perf_reset_pmd,
};

/* Has this CPU precise events? */
static bool __init perf_is_precise(void)
{
	u64 cycles = PFM_PERF_EVENT(PERF_TYPE_HARDWARE,
				    PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr attr;
	struct perf_event *event;

	perf_fill_attr(&attr, cycles | 1ULL << PFM_PERF_PRECISE_SHIFT, 0);
	event = perf_event_create_kernel_counter(&attr, -1, current,
						 perf_overflow, NULL);
	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

static int __init perf_pmu_init(void)
{
	if (perf_has_records)
		perf_pmu.ds = perf_is_precise() ? PFM_DS_PRECISE :
						  PFM_DS_IMPRECISE;
	return pfm_register_pmu(&perf_pmu);
}

static void __exit perf_pmu_exit(void)
{
	pfm_unregister_pmu(&perf_pmu);
}

module_init(perf_pmu_init);
module_exit(perf_pmu_exit);
MODULE_DESCRIPTION("perfmon2: PMU description over perf_events");
MODULE_VERSION(PFM_PROJECT_VERSION);
MODULE_LICENSE("GPL v2");
