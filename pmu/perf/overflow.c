// SPDX-License-Identifier: GPL-2.0
/*
 * overflow.c - the overflow path between perf and the core
 */
#include <perfmon/perfmon_user_regs.h>
#include "event.h"
#include "hw_count.h"
#include "overflow.h"
#include "perf_record.h"
#include "sample.h"
#include "user_read.h"
#include "virtual.h"

/*
 * Has the PMD, whose value is @value, wrapped? For a clock, accept an overflow
 * that is early by up to an eighth of the period, because perf's timer and the
 * set's time are different clocks.
 */
static bool perf_is_in_time(const struct perf_event *event,
			    const struct pfm_pmu_reg *reg, s64 value)
{
	if (value >= 0)
		return true;
	return perf_is_clock(reg->pmc_value) && !perf_is_unarmed(reg) &&
	       (u64)-value <= perf_timer_tolerance(event);
}

/*
 * Does perf report an overflow before the PMD has wrapped? This happens if the
 * PMD needs several of perf's periods to wrap, or if the event was armed for an
 * older value of the PMD. If the overflow is early, arm the event for the rest
 * of the PMD's period.
 */
static bool perf_is_early(struct perf_event *event, struct pfm_pmu_reg *reg)
{
	u64 value = local64_read(&event->count) - reg->offset;

	if (reg->limit && perf_is_in_time(event, reg, value))
		return false;
	perf_arm_for_rest(event, reg, value);
	return true;
}

/*
 * Has the PMD wrapped? If so, raise its value to at least 0: the value may
 * still be negative if the PMD counts a clock (see perf_is_in_time()).
 */
static bool perf_has_wrapped(struct perf_event *event, struct pfm_pmu_reg *reg)
{
	s64 value;

	if (perf_is_early(event, reg))
		return false;
	value = local64_read(&event->count) - reg->offset;
	if (value < 0)
		reg->offset += value;
	return true;
}

/*
 * Get the length of the periods that follow the current one. The current one
 * may be only the rest of a period; the following ones are whole.
 */
static u64 perf_whole_period(const struct pfm_pmu_reg *reg)
{
	return max(-reg->reload, pfm_usual_period(reg));
}

/*
 * Get the number of whole periods that have passed since the last reported one.
 * If one software event completes several periods, perf calls the handler for
 * each of them. Those that perf has not reported when the next event is counted
 * are unreported. For other events perf reports only one period, however many
 * have passed.
 */
static u64 perf_unreported(struct perf_event *event, struct pfm_pmu_reg *reg)
{
	struct perf_set *ps = reg->set->priv;
	u64 *seen = &ps->seen[perf_place(reg)];
	u64 count = local64_read(&event->count);
	s64 open = *seen - reg->offset;
	bool again = *seen == count;

	if (!perf_is_counted_at_once(reg->pmc_value))
		return (count - reg->offset) / perf_whole_period(reg);
	*seen = count;
	return again || open < 0 ? 0 : open / perf_whole_period(reg) + 1;
}

/*
 * Count unreported overflows as lost if more than one period has passed. For a
 * clock, do not count any as lost: perf may report a clock late, because its
 * timers have a minimum period, or because the CPU was at a privilege level
 * that the clock does not count.
 */
static void perf_drop_unreported(struct perf_event *event,
				 struct pfm_pmu_reg *reg)
{
	u64 periods = perf_unreported(event, reg);

	reg->offset += periods * perf_whole_period(reg);
	if (!perf_is_clock(reg->pmc_value))
		pfm_overflow_lost(reg, periods);
}

static bool perf_is_late(const struct pfm_pmu_reg *reg, u64 value)
{
	return (s64)(value + reg->reload) >= 0;
}

/*
 * Is there an overflow to be handled? If so, set *@value to the PMD's value,
 * which is less than one period past the overflow.
 */
static __always_inline bool perf_is_overflow(struct pfm_pmu_reg *reg,
					     u64 *value)
{
	struct perf_event *event = perf_event_of(reg);

	/* The event is being released: see perf_forget_event(). */
	if (!event)
		return false;
	*value = local64_read(&event->count) - reg->offset;
	/* Was the overflow handled together with another counter's? */
	if (pfm_overflow_discard_known(reg, *value) ||
	    !perf_has_wrapped(event, reg))
		return false;
	*value = local64_read(&event->count) - reg->offset;
	if (perf_is_late(reg, *value)) {
		perf_drop_unreported(event, reg);
		*value = local64_read(&event->count) - reg->offset;
	}
	return true;
}

/*
 * Handle an overflow that is not ordinary: see perf_expect(). Read again all
 * values that perf_report() has read. If they were passed as arguments,
 * perf_report() would have to save registers.
 */
static noinline void perf_overflow_odd(struct pfm_pmu_reg *reg,
				       struct pt_regs *regs)
{
	u64 value;

	if (perf_is_overflow(reg, &value))
		pfm_overflow(reg, value, regs, instruction_pointer(regs));
}

static __always_inline void perf_report(struct perf_event *event,
					struct pt_regs *regs)
{
	/* This order of accesses needs the fewest registers. */
	u64 value = local64_read(&event->count);
	struct pfm_pmu_reg *reg = READ_ONCE(event->overflow_handler_context);
	u64 offset = reg->offset, limit = reg->limit;

	value -= offset;
	/* Not wrapped, or wrapped more than a period ago: see perf_expect(). */
	if (unlikely(value >= limit))
		perf_overflow_odd(reg, regs);
	else
		pfm_overflow(reg, value, regs, instruction_pointer(regs));
}

static void notrace perf_overflow(struct perf_event *event,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	perf_report(event, regs);
}

/* The address 0 in user space, for when the address is not known */
static struct pt_regs perf_unknown_regs = {
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
	.cs = __USER_CS,
#endif
};

/*
 * Get the registers to report for an event that excludes the kernel. If the
 * interrupt came late, when the thread was in the kernel already, these are the
 * thread's saved user registers. Return: NULL for a kernel thread, and for a
 * thread that has released its memory because it exits. Such a thread may be
 * using another process's memory, so formats must not follow its registers.
 */
static __always_inline struct pt_regs *perf_user_regs(struct pt_regs *regs)
{
	if (likely(user_mode(regs)))
		return regs;
	if (current->flags & PF_KTHREAD || !current->mm)
		return NULL;
	return pfm_user_regs_of(regs) ?: &perf_unknown_regs;
}

/* Begin a whole period, even if the last one was only the rest of a period. */
static void perf_begin_period(struct perf_event *event, struct pfm_pmu_reg *reg)
{
	u64 period = perf_whole_period(reg), value;

	reg->offset += period;
	value = local64_read(&event->count) - reg->offset;
	if (reg->reload != -period && (s64)value < 0)
		perf_arm_for_rest(event, reg, value);
}

/* Count an overflow in a thread without user memory as lost. */
static noinline void perf_overflow_unseen(struct perf_event *event,
					  struct pfm_pmu_reg *reg)
{
	if (!perf_has_wrapped(event, reg))
		return;
	pfm_overflow_lost(reg, 1);
	if (reg->reload != PFM_RELOAD_NONE)
		perf_begin_period(event, reg);
}

static void notrace perf_overflow_user(struct perf_event *event,
				       struct perf_sample_data *data,
				       struct pt_regs *regs)
{
	regs = perf_user_regs(regs);
	if (likely(regs))
		perf_report(event, regs);
	else
		perf_overflow_unseen(event, event->overflow_handler_context);
}

/* Must the overflow be reported with user registers? */
static bool perf_wants_user(u64 pmc)
{
	/* perf itself checks the privilege level before it reports a clock. */
	return pmc & PFM_PERF_EXCL_KERNEL && !perf_is_clock(pmc);
}

/* Report perf's sample as a debug-store record. */
static void perf_report_record(struct perf_event *event,
			       struct pfm_pmu_reg *reg,
			       struct perf_sample_data *data,
			       struct pt_regs *regs, bool precise)
{
	struct pfm_ds_record rec;

	perf_fill_record(&rec, data, regs);
	rec.dla = perf_visible_address(reg, rec.dla);
	rec.imprecise = !precise;
	pfm_ds_overflow(reg, instruction_pointer(regs), regs, &rec);
}

/*
 * Overflow handler of a counter for which perf supplies data with each sample,
 * such as an address (pfm_pmu_reg.wants).
 */
static void notrace perf_overflow_sample(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	const struct perf_sampled sample = { .reg = reg, .data = data };
	u64 value;

	if (perf_wants_user(reg->pmc_value))
		regs = perf_user_regs(regs);
	if (!regs)
		perf_overflow_unseen(event, reg);
	else if (perf_is_overflow(reg, &value))
		pfm_overflow_sample(reg, value, regs, instruction_pointer(regs),
				    &sample);
}

/*
 * Overflow handler of the counters of a set with a debug-store area. For a
 * precise event @interrupted contains the registers that the CPU recorded. If
 * perf drains several records but reports only one overflow, the other records
 * count as unreported periods.
 */
static void notrace perf_overflow_ds(struct perf_event *event,
				     struct perf_sample_data *data,
				     struct pt_regs *interrupted)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	struct pt_regs *regs = interrupted;
	bool precise;

	if (perf_wants_user(reg->pmc_value))
		regs = perf_user_regs(regs);
	if (!regs) {
		perf_overflow_unseen(event, reg);
		return;
	}
	if (!perf_has_wrapped(event, reg))
		return;
	if (perf_is_late(reg, local64_read(&event->count) - reg->offset))
		perf_drop_unreported(event, reg);
	precise = event->attr.precise_ip && perf_has_exact_regs() &&
		  regs == interrupted;
	perf_report_record(event, reg, data, regs, precise);
}

/* Overflow handler of the counters that count a clock. */
static void notrace perf_overflow_clock(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	s64 value = local64_read(&event->count) - reg->offset;

	if (unlikely(value > (s64)perf_timer_tolerance(event)))
		perf_correct_timer(event, reg);
	if (unlikely(perf_is_ds(reg)))
		perf_overflow_ds(event, data, regs);
	else
		perf_report(event, regs);
}

/*
 * Overflow handler of a set's clock. It does not correct the PMD's value as
 * other handlers do, because the value is the elapsed time.
 */
static void notrace perf_overflow_timeout(struct perf_event *event,
					  struct perf_sample_data *data,
					  struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;

	if (!perf_is_early(event, reg))
		pfm_timeout(reg, regs);
}

perf_overflow_handler_t perf_handler(const struct pfm_pmu_reg *reg)
{
	if (perf_is_set_clock(reg))
		return perf_overflow_timeout;
	if (perf_is_clock(reg->pmc_value))
		return perf_overflow_clock;
	if (perf_is_ds(reg))
		return perf_overflow_ds;
	if (reg->wants)
		return perf_overflow_sample;
	if (reg->user_read)
		return perf_overflow_live;
	return perf_wants_user(reg->pmc_value) ? perf_overflow_user :
						 perf_overflow;
}

/*
 * Return the current count of an event. Events without an update function are
 * always up to date, or cannot be updated here. In a sample that is taken when
 * the thread exits, perf has already removed the event: for a clock, add the
 * time since then.
 */
static __always_inline u64 perf_count_now(const struct pfm_pmu_reg *reg,
					  struct perf_event *event)
{
	perf_update_t update = reg->update;

	if (update && perf_is_here(event)) {
		if (perf_asks_counter(reg))
			return perf_counter_count(event);
		update(event);
	} else if (update && unlikely(perf_has_ended_here(reg->set, event)) &&
		   perf_is_clock(reg->pmc_value)) {
		return local64_read(&event->count) + perf_time_ended(event);
	}
	return local64_read(&event->count);
}

/*
 * Interrupts are off so that perf cannot move an event off its counter after
 * perf_is_here() has found the event on this CPU, and before the counter is
 * read.
 */
__flatten void perf_read_pmds_ovfl(struct pfm_pmu_reg *const *regs,
				   u64 *values, unsigned int n);

void notrace perf_read_pmds_ovfl(struct pfm_pmu_reg *const *regs, u64 *values,
				 unsigned int n)
{
	u64 *end = values + n;
	unsigned long flags;

	local_irq_save(flags);
	do {
		const struct pfm_pmu_reg *reg = *regs++;
		struct perf_event *event = perf_event_of(reg);
		u64 value;

		if (likely(event))
			value = perf_count_now(reg, event) - reg->offset;
		else
			value = perf_read_virtual(reg, reg->set->task ?:
						       current);
		*values++ = value;
	} while (values < end);
	local_irq_restore(flags);
}

/*
 * Has the PMD wrapped, and did perf re-arm its event with the period that the
 * new value, @value, requires?
 */
static bool perf_has_rearmed(const struct pfm_pmu_reg *reg,
			     const struct perf_event *event, u64 value)
{
	return reg->reload == value &&
	       local64_read(&event->count) - reg->offset < -value;
}

static void perf_reset_reported(struct pfm_pmu_reg *reg,
				struct perf_event *event, u64 value)
{
	/* If several periods have passed, perf will report the others, too. */
	bool goes_on = reg->reload == value &&
		       perf_is_counted_at_once(reg->pmc_value);

	if (goes_on || perf_has_rearmed(reg, event, value)) {
		reg->offset -= value;
		return;
	}
	perf_arm_reported(reg, event, value);
	reg->offset = local64_read(&event->count) - value;
}

static void perf_reset_other(struct pfm_pmu_reg *reg, struct perf_event *event,
			     u64 value)
{
	perf_update(reg, event);
	if (perf_has_rearmed(reg, event, value)) {
		reg->offset -= value;
		return;
	}
	reg->offset = local64_read(&event->count) - value;
	if (perf_is_armed(reg, event))
		perf_arm_later(reg, event, value);
}

void notrace perf_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
	struct perf_event *event = perf_event_of(reg);

	if (!event)
		perf_write_virtual(reg, value);
	else if (reported)
		perf_reset_reported(reg, event, value);
	else
		perf_reset_other(reg, event, value);
}
