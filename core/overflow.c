// SPDX-License-Identifier: GPL-2.0
/*
 * overflow.c - handling of counter overflows (3.5.14)
 *
 * The overflow path runs in any context up to NMI, on the monitored CPU and in
 * the monitored thread. It never waits: pfm_context.busy says who owns the
 * context (owner.c). An overflow that does not get it is deferred to the owner
 * with pfm_defer(). The owner is an overflow that it has interrupted or, for a
 * moment, a command.
 */
#include <linux/irqflags.h>
#include <linux/sched/clock.h>
#include "block.h"
#include "context.h"
#include "ds.h"
#include "evtset_switch.h"
#include "freeze.h"
#include "msgq.h"
#include "overflow.h"
#include "owner.h"
#include "pmu.h"
#include "rate.h"
#include "value.h"

/*
 * Outcome of one overflow event, collected over its PMDs. @notify: a
 * notification was requested for a PMD with PFM_REGFL_OVFL_NOTIFY; @asked: for
 * any PMD.
 */
struct pfm_outcome {
	bool	notify;
	bool	asked;
	bool	block;
	bool	mask;
	DECLARE_BITMAP(reset, PFM_MAX_PMDS);
};

DEFINE_PER_CPU(u64, pfm_last_stamp);

/*
 * Take a time stamp that is unique on this CPU (3.5.14), of the clock of perf's
 * samples, which may stand still. There are no concurrent callers: only one
 * context at a time has overflows on a CPU (attach.c), and the caller owns it.
 */
static __always_inline u64 pfm_stamp(void)
{
	u64 now = local_clock();
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);

	*last = max(now, *last + 1);
	return *last;
}

/* Take a time stamp without owning the context; an owner may interrupt. */
static u64 pfm_stamp_unowned(void)
{
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);
	u64 before, stamp;

	do {
		before = READ_ONCE(*last);
		stamp = max(local_clock(), before + 1);
	} while (cmpxchg_local(last, before, stamp) != before);
	return stamp;
}

/* Record the thread and the address of the overflow. */
static __always_inline void pfm_note_place(struct pfm_context *ctx,
					   const struct task_struct *task,
					   u64 ip, struct pt_regs *regs)
{
	ctx->data.regs = regs;
	/* The two fields are adjacent: copy them with one load and store. */
	static_assert(offsetof(struct task_struct, tgid) ==
		      offsetof(struct task_struct, pid) + sizeof(pid_t));
	memcpy(&ctx->data.ids, &task->pid, sizeof(ctx->data.ids));
	ctx->data.ip = ip;
}

static __always_inline void pfm_begin_arg(pfm_ovfl_arg_t *arg, u64 value)
{
	/* One load instead of a per-CPU access. */
	arg->ovfl_cpu = task_cpu(current);
	arg->pmd_value = value;
	arg->ovfl_ctrl.val = 0;
	/* Adjacent to ovfl_ctrl: merged into one store. */
	arg->reserved2 = 0;
}

/* Read the PMDs of the sample, of any width. */
static void pfm_read_smpl_pmds(struct pfm_pmd *pmd)
{
	struct pfm_pmd_ovfl *ovfl = pmd->ovfl;
	struct pfm_pmu_reg **smpl = pfm_smpl_regs(ovfl);
	u16 i;

	for (i = 0; i < ovfl->arg.num_smpl_pmds; i++)
		ovfl->arg.smpl_pmds_values[i] =
			pfm_value_read_ovfl(container_of(smpl[i],
							 struct pfm_pmd, hw));
}

static bool pfm_wants_notify(const struct pfm_pmd *pmd)
{
	return pmd->ovfl && pmd->ovfl->arg.ovfl_notify;
}

/* Collect what the handler, or the core without one, requests for @pmd. */
static void pfm_collect(struct pfm_outcome *out, const struct pfm_pmd *pmd,
			u16 slot, pfm_ovfl_ctrl_t ctrl)
{
	out->notify |= ctrl.notify_user && pfm_wants_notify(pmd);
	out->asked |= ctrl.notify_user;
	out->block |= ctrl.block_thread;
	out->mask |= ctrl.mask_monitoring;
	if (ctrl.reset_ovfl_pmds)
		__set_bit(slot, out->reset);
}

/* Mask and notify, as a handler can. */
static void pfm_throttle(struct pfm_context *ctx, const unsigned long *ovfl,
			 struct pfm_outcome *out)
{
	const pfm_ovfl_ctrl_t ctrl = {
		.val = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_MASK,
	};
	unsigned int slot;

	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds)
		pfm_collect(out, pfm_pmd_at(ctx->set, slot), slot, ctrl);
}

/* Count invalid results of a handler; -ENOBUFS is valid, and a loss. */
static void pfm_count_odd(struct pfm_odd_answers *odd, int err, u32 ctrl)
{
	if (err && err != -ENOBUFS) {
		odd->errors++;
		odd->last_error = err;
	}
	if (err)
		return;
	if (!ctrl)
		odd->no_ctrl++;
	else if (ctrl & ~PFM_OVFL_CTRL_ALL)
		odd->bad_ctrl++;
}

/* Validate the control bits; PFM_OVFL_CTRL_HOLD replaces invalid ones. */
static pfm_ovfl_ctrl_t pfm_checked_ctrl(struct pfm_context *ctx, int err,
					pfm_ovfl_ctrl_t ctrl)
{
	if (ctx->fmt)
		pfm_count_odd(&ctx->odd, err, ctrl.val);
	if (unlikely(err || (ctrl.val & ~PFM_OVFL_CTRL_ALL)))
		ctrl.val = PFM_OVFL_CTRL_HOLD;
	return ctrl;
}

int pfm_no_fmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		       struct pfm_ovfl_data *data)
{
	if (arg->ovfl_notify)
		arg->ovfl_ctrl.val = PFM_OVFL_CTRL_HOLD;
	else if (container_of(arg, struct pfm_pmd_ovfl, arg)->trigger)
		arg->ovfl_ctrl.val = PFM_OVFL_CTRL_RESET;
	return 0;
}

/*
 * A full buffer requests a notification together with the PMD that happened to
 * fill it, and an error ends the calls. So any other PMD of the event may be
 * the one with PFM_REGFL_OVFL_NOTIFY (3.6.5).
 */
static bool pfm_masks_with_notice(const struct pfm_context *ctx,
				  const unsigned long *ovfl,
				  const struct pfm_outcome *out)
{
	unsigned int slot;

	if (!out->mask || !out->asked)
		return false;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds)
		if (pfm_wants_notify(pfm_pmd_at(ctx->set, slot)))
			return true;
	return false;
}

static void pfm_post_msg(struct pfm_context *ctx, const unsigned long *ovfl)
{
	pfm_ovfl_msg_t msg = {
		.msg_type = PFM_MSG_OVFL,
		.msg_ovfl_pid = ctx->data.tgid,
		.msg_active_set = ctx->set->id,
		.msg_ovfl_cpu = task_cpu(current),
		.msg_ovfl_tid = ctx->data.tid,
		.msg_ovfl_ip = ctx->data.ip,
	};

	if (!(ctx->flags & PFM_FL_OVFL_NO_MSG)) {
		pfm_bv_from_slots(ctx->pmu, ovfl, msg.msg_ovfl_pmds);
		pfm_msgq_put_ovfl(&ctx->msgq, &msg);
	}
	set_bit(PFM_END_NOTIFY, &ctx->ovfl_end);
}

/* Reset @reset with short values; the others of @ovfl keep counting. */
static void pfm_reset_short(struct pfm_evtset *set, const unsigned long *ovfl,
			    const unsigned long *reset)
{
	unsigned int slot;

	for_each_set_bit(slot, ovfl, PFM_MAX_PMDS)
		if (!test_bit(slot, reset))
			pfm_count_on(pfm_pmd_at(set, slot));
	pfm_reset_pmds(set, reset, false);
	bitmap_andnot(set->to_reset, set->to_reset, reset, PFM_MAX_PMDS);
}

/* Do the core's work after the handlers, interrupts off. */
static void pfm_conclude(struct pfm_context *ctx, const unsigned long *ovfl,
			 struct pfm_outcome *out)
{
	struct pfm_evtset *set = ctx->set;
	bool switch_due = pfm_count_triggers(ctx, ovfl);

	/* Too many overflows: stay masked until PFM_RESTART (4.4.4). */
	if (unlikely(!ctx->credit) && pfm_rate_is_exceeded(ctx))
		pfm_throttle(ctx, ovfl, out);
	/* Without a format, a PMD that wraps unmasked is not reset. */
	bitmap_or(set->to_reset, set->to_reset,
		  out->mask || ctx->fmt ? ovfl : out->reset, PFM_MAX_PMDS);
	if (out->mask) {
		pfm_freeze(ctx, PFM_MASKED, pfm_value_read_ovfl);
		ctx->switch_due = switch_due;
		set_bit(PFM_END_STOP, &ctx->ovfl_end);
	} else if (!switch_due) {
		pfm_reset_short(set, ovfl, out->reset);
	}
	if (out->block && ctx->flags & PFM_FL_NOTIFY_BLOCK)
		pfm_block_want(ctx);
	if (out->notify || pfm_masks_with_notice(ctx, ovfl, out))
		pfm_post_msg(ctx, ovfl);
	/* The overflowed PMDs are reset in the set's next turn (3.7.7). */
	if (switch_due && !out->mask)
		pfm_switch(ctx, ctx->data.regs && user_mode(ctx->data.regs));
	if (ctx->ovfl_end)
		pfm_kick(ctx);
}

/* Call the handler for one of the PMDs that overflowed in one instant. */
static int pfm_handle_one(struct pfm_context *ctx, u16 slot, u64 tstamp,
			  struct pfm_outcome *out)
{
	struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);
	pfm_ovfl_arg_t *arg;
	int err;

	/* See the invariants in context.h. */
	if (WARN_ON_ONCE(!pmd->ovfl))
		return 0;
	arg = &pmd->ovfl->arg;
	pfm_begin_arg(arg, pfm_value_read_ovfl(pmd));
	pfm_read_smpl_pmds(pmd);
	err = ctx->handler(ctx->buf, arg, tstamp, &ctx->data);
	pfm_collect(out, pmd, slot, pfm_checked_ctrl(ctx, err, arg->ovfl_ctrl));
	return err;
}

/*
 * Handle one overflow event. @ovfl: bitmap of the PMDs' slots. @tstamp: 0 if
 * the overflow happened just now. The caller owns @ctx.
 */
static void pfm_event(struct pfm_context *ctx, const unsigned long *ovfl,
		      u64 tstamp, u64 ip, struct pt_regs *regs)
{
	struct pfm_outcome out = {};
	unsigned long flags;
	unsigned int slot;
	int err = 0;

	tstamp = tstamp ?: pfm_stamp();

	local_irq_save(flags);
	/* A deferred overflow may be handled in another thread. */
	pfm_note_place(ctx, ctx->target.task ?: current, ip, regs);
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		/* The first error ends the calls; the rest is lost. */
		if (!err)
			err = pfm_handle_one(ctx, slot, tstamp, &out);
		if (err)
			ctx->lost++;
	}
	pfm_conclude(ctx, ovfl, &out);
	local_irq_restore(flags);
}

/*
 * Does the overflow interrupt? With a debug-store area it only writes a record
 * until the area is filled to its threshold. Without one, every overflow
 * interrupts.
 */
static bool pfm_store_or_interrupt(struct pfm_context *ctx,
				   const unsigned long *ovfl,
				   struct pfm_ds_record *rec)
{
	unsigned long flags;
	bool interrupts;

	if (!ctx->target.ds)
		return true;
	local_irq_save(flags);
	interrupts = pfm_ds_store(ctx, ovfl, rec);
	/* Limit the rate: perf, unlike the CPU, interrupts per record. */
	if (unlikely(!ctx->credit) && pfm_rate_is_exceeded(ctx))
		interrupts = true;
	local_irq_restore(flags);
	return interrupts;
}

/* Handle the overflows of one instant. The caller owns @ctx. */
static void pfm_instant(struct pfm_context *ctx, const unsigned long *ovfl,
			u64 tstamp, u64 ip, struct pt_regs *regs,
			struct pfm_ds_record *rec)
{
	ctx->credit--;
	if (pfm_store_or_interrupt(ctx, ovfl, rec))
		pfm_event(ctx, ovfl, tstamp, ip, regs);
}

/* The owner is a command: handle what is deferred in an interrupt after it. */
static void pfm_queue_deferred(struct pfm_context *ctx)
{
	set_bit(PFM_END_DEFERRED, &ctx->ovfl_end);
	pfm_kick(ctx);
}

/* Have the owner add @n overflows to pfm_context.lost. */
static void pfm_miss(struct pfm_context *ctx, int n, u32 owner)
{
	atomic_add(n, &ctx->missed);
	WRITE_ONCE(ctx->deferred, 1);
	if (owner == PFM_BUSY_COMMAND)
		pfm_queue_deferred(ctx);
}

/*
 * Defer an overflow to the overflow that it interrupted or, if @owner is a
 * command, to an interrupt that follows at once. If the PMD already has a
 * deferred overflow, the second one is lost.
 */
static void pfm_defer(struct pfm_pmd *pmd, u64 ip, u32 owner)
{
	struct pfm_context *ctx = pmd->ctx;

	/* Another overflow may interrupt this function. */
	if (cmpxchg(&pmd->deferred, 0, PFM_DEFERRING)) {
		atomic_inc(&ctx->missed);
	} else {
		pmd->ovfl_ip = ip;
		/* The interrupted owner may be taking a time stamp. */
		pmd->ovfl_tstamp = owner == PFM_BUSY_COMMAND ?
					   pfm_stamp_unowned() : 0;
		/* Pairs with the acquire in pfm_take_note(). */
		smp_store_release(&pmd->deferred, PFM_DEFERRED);
	}
	WRITE_ONCE(ctx->deferred, 1);
	if (owner == PFM_BUSY_COMMAND)
		pfm_queue_deferred(ctx);
}

/* Place and time of a deferred overflow */
struct pfm_note {
	u64	ip;
	u64	tstamp;
};

/*
 * Take the deferred overflow of @pmd, if there is one. With @first, take it
 * only if it happened at the same address.
 */
static bool pfm_take_note(struct pfm_pmd *pmd, const struct pfm_note *first,
			  struct pfm_note *note)
{
	/* Pairs with the release in pfm_defer(). */
	if (smp_load_acquire(&pmd->deferred) != PFM_DEFERRED)
		return false;
	if (first && pmd->ovfl_ip != first->ip)
		return false;
	note->ip = pmd->ovfl_ip;
	note->tstamp = pmd->ovfl_tstamp;
	/* Pairs with the cmpxchg() in pfm_defer(). */
	smp_store_release(&pmd->deferred, 0);
	return true;
}

/*
 * Take the deferred overflows of one instant: all PMDs from @first on that
 * overflowed at the same address as @first. Return: false if @first has none.
 */
static bool pfm_take_instant(struct pfm_pmd *first, unsigned long *ovfl,
			     struct pfm_note *note)
{
	struct pfm_pmd *other;
	struct pfm_note its;
	u16 i;

	if (!pfm_take_note(first, NULL, note))
		return false;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(first->slot, ovfl);
	pfm_for_each_real_pmd(pfm_evtset_of(first), i, other)
		if (i > first->slot && pfm_take_note(other, note, &its))
			__set_bit(i, ovfl);
	return true;
}

/* Handle a deferred timeout of the active set. */
static void pfm_take_timeout(struct pfm_context *ctx)
{
	struct pfm_pmd *clock = pfm_clock_of(ctx->set);
	struct pfm_note note;

	if (pfm_take_note(clock, NULL, &note))
		pfm_time_is_up(clock, false);
}

/* @here: the overflows of this CPU belong to @ctx. */
static void pfm_handle_deferred(struct pfm_context *ctx, bool here)
{
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_note note;
	struct pfm_pmd *pmd;
	u16 i;

	WRITE_ONCE(ctx->deferred, 0);
	barrier();
	ctx->lost += atomic_xchg(&ctx->missed, 0);
	pfm_for_each_real_pmd(ctx->set, i, pmd) {
		if (!pfm_take_instant(pmd, ovfl, &note))
			continue;
		/* Handled after later overflows: take a later stamp. */
		if (here)
			note.tstamp = 0;
		else if (!note.tstamp)
			note.tstamp = pfm_stamp_unowned();
		if (!READ_ONCE(ctx->frozen))
			pfm_instant(ctx, ovfl, note.tstamp, note.ip, NULL,
				    NULL);
	}
	pfm_take_timeout(ctx);
}

noinline void pfm_see_to_deferred(struct pfm_context *ctx)
{
	u32 owner;

	while (READ_ONCE(ctx->deferred)) {
		owner = pfm_enter(ctx);
		if (owner == PFM_BUSY_COMMAND)
			pfm_queue_deferred(ctx);
		if (owner)
			return;
		pfm_handle_deferred(ctx, true);
		/* Pairs with the acquire in pfm_own(). */
		smp_store_release(&ctx->busy, 0);
		barrier();
	}
}

/* The handler requests more than to continue: do that. */
static noinline void pfm_conclude_one(struct pfm_pmd *pmd, int err)
{
	struct pfm_context *ctx = pmd->ctx;
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_outcome out = {};
	unsigned long flags;

	if (WARN_ON_ONCE(pfm_evtset_of(pmd) != ctx->set))
		return;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	if (err)
		ctx->lost++;
	pfm_collect(&out, pmd, pmd->slot,
		    pfm_checked_ctrl(ctx, err, pmd->ovfl->arg.ovfl_ctrl));
	local_irq_save(flags);
	ctx->reported = pmd;
	pfm_conclude(ctx, ovfl, &out);
	ctx->reported = NULL;
	local_irq_restore(flags);
}

/*
 * Was the reported overflow already handled, with another PMD's? Then the PMU
 * has counted little since. A report that never came is not confused with the
 * next overflow, which comes a whole period later.
 */
static bool pfm_is_known(struct pfm_pmd *pmd, u64 value)
{
	if (!pmd->due)
		return false;
	pmd->due = false;
	return value - pmd->due_from <= -pmd->last_reset >> 1;
}

bool pfm_overflow_is_known(struct pfm_pmu_reg *reg, u64 value)
{
	return pfm_is_known(container_of(reg, struct pfm_pmd, hw), value);
}
EXPORT_SYMBOL_GPL(pfm_overflow_is_known);

/* Has the PMD overflowed without being handled or reported? */
static bool pfm_is_still_to_come(struct pfm_pmd *pmd)
{
	return pmd->hw.sampling &&
	       !test_bit(pmd->slot, pfm_evtset_of(pmd)->to_reset) &&
	       !READ_ONCE(pmd->deferred) &&
	       pfm_is_past_zero(pmd, pfm_value_read_ovfl(pmd));
}

/* Find other PMDs that have overflowed too. @ovfl: bitmap of their slots. */
static bool pfm_find_others(const struct pfm_pmd *pmd, unsigned long *ovfl)
{
	struct pfm_pmd *other;
	bool found = false;
	u16 i;

	bitmap_zero(ovfl, PFM_MAX_PMDS);
	pfm_for_each_real_pmd(pfm_evtset_of(pmd), i, other) {
		if (other == pmd || !pfm_is_still_to_come(other))
			continue;
		__set_bit(i, ovfl);
		found = true;
	}
	return found;
}

/* Mark the PMDs that were handled together: their reports are still to come. */
static void pfm_await_reports(struct pfm_context *ctx,
			      const unsigned long *others)
{
	unsigned int slot;

	/* A report that finds the context frozen is discarded. */
	if (READ_ONCE(ctx->frozen))
		return;
	for_each_set_bit(slot, others, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);

		pmd->due_from = pfm_value_read_ovfl(pmd);
		pmd->due = true;
	}
}

/*
 * The context is frozen, but the PMU counts until a thread has stopped it. A
 * counter that overflows again at once would leave no time for that. So make
 * the reported overflow its last; the counter is reloaded before it counts
 * again. During a pause leave it alone: the PMU is stopped, and a command may
 * be loading it.
 */
static void pfm_silence(struct pfm_pmd *pmd)
{
	unsigned long flags;

	if (pmd->ctx->paused)
		return;
	local_irq_save(flags);
	pmd->ctx->pmu->reset_pmd(&pmd->hw, 0, true);
	local_irq_restore(flags);
}

/*
 * The PMU reports counters one by one, even if they overflowed in one instant.
 * All are one event with the first that is reported (3.5.14). Return: true if
 * the overflow has been handled.
 */
static noinline bool pfm_look_closer(struct pfm_pmd *pmd, u64 value, u64 ip,
				     struct pt_regs *regs)
{
	struct pfm_context *ctx = pmd->ctx;
	DECLARE_BITMAP(others, PFM_MAX_PMDS);
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);

	if (READ_ONCE(ctx->frozen)) {
		pfm_silence(pmd);
		return true;
	}
	if (WARN_ON_ONCE(pfm_evtset_of(pmd) != ctx->set || !pmd->ovfl) ||
	    pfm_is_known(pmd, value))
		return true;
	if (!pfm_find_others(pmd, others))
		return false;
	bitmap_copy(ovfl, others, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	ctx->reported = pmd;
	pfm_instant(ctx, ovfl, 0, ip, regs, NULL);
	ctx->reported = NULL;
	pfm_await_reports(ctx, others);
	return true;
}

static noinline notrace void pfm_conclude_and_leave(struct pfm_pmd *pmd,
						    int err)
{
	pfm_conclude_one(pmd, err);
	pfm_leave(pmd->ctx);
}

static __always_inline void pfm_begin_record(struct pfm_context *ctx,
					     struct pfm_pmd *pmd, u64 value,
					     struct pt_regs *regs, u64 ip)
{
	pfm_begin_arg(&pmd->ovfl->arg, value);
	pfm_note_place(ctx, current, ip, regs);
}

static __always_inline void pfm_read_values(struct pfm_context *ctx,
					    struct pfm_pmd_ovfl *ovfl)
{
	if (ovfl->arg.num_smpl_pmds)
		ctx->read_pmds(pfm_smpl_regs(ovfl), ovfl->arg.smpl_pmds_values,
			       ovfl->arg.num_smpl_pmds);
}

static __always_inline void pfm_end_record(struct pfm_context *ctx,
					   struct pfm_pmd *pmd)
{
	struct pfm_pmu_reg *reg = &pmd->hw;
	u64 offset, reload;
	struct pfm_pmd_ovfl *ovfl;
	u64 tstamp = pfm_stamp();
	u32 ctrl;
	int err;

	err = ctx->handler(ctx->buf, &pmd->ovfl->arg, tstamp, &ctx->data);
	if (unlikely(err)) {
		ctx->credit--;
		pfm_conclude_and_leave(pmd, err);
		return;
	}
	if (unlikely(!--ctx->credit))
		goto odd;
	ovfl = pmd->ovfl;
	ctrl = ovfl->arg.ovfl_ctrl.val;
	if (unlikely(ctrl != PFM_OVFL_CTRL_RESET))
		goto odd;
	/* Read both together, as late as possible: interrupts may change it. */
	offset = reg->offset;
	reload = reg->reload;
	if (unlikely(pmd->plain_reset != reload))
		goto odd;
	reg->offset = offset - reload;
	pfm_leave(ctx);
	return;
odd:
	pfm_conclude_and_leave(pmd, 0);
}

static noinline notrace void pfm_overflow_rare(struct pfm_pmd *pmd, u64 value,
					       struct pt_regs *regs, u64 ip,
					       u32 owner)
{
	struct pfm_context *ctx = pmd->ctx;

	if (owner) {
		pfm_not_entered(ctx, owner);
		pfm_defer(pmd, ip, owner);
	} else if (pfm_look_closer(pmd, value, ip, regs)) {
		pfm_leave(ctx);
	} else {
		pfm_begin_record(ctx, pmd, value, regs, ip);
		pfm_read_values(ctx, pmd->ovfl);
		pfm_end_record(ctx, pmd);
	}
}

/*
 * The fast path, for nearly every sample, written for few instructions: a
 * 64-bit counter, a format that records and continues, and a hardware counter
 * that has re-armed itself. pfm_event() handles the other cases with the same
 * result. Few values live across calls, and the rare cases are tail calls, so
 * that few registers are saved. Code is repeated below to be compiled without a
 * branch.
 */
void notrace pfm_overflow(struct pfm_pmu_reg *reg, u64 value,
			  struct pt_regs *regs, u64 ip)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter_fast(ctx);

	if (likely(!owner && !READ_ONCE(ctx->unusual))) {
		pfm_begin_record(ctx, pmd, value, regs, ip);
	} else if (likely(!owner && !READ_ONCE(ctx->frozen) &&
			  !ctx->several)) {
		pfm_begin_record(ctx, pmd, value, regs, ip);
		pfm_read_values(ctx, pmd->ovfl);
	} else {
		pfm_overflow_rare(pmd, value, regs, ip, owner);
		return;
	}
	pfm_end_record(ctx, pmd);
}
EXPORT_SYMBOL_GPL(pfm_overflow);

void pfm_overflow_lost(struct pfm_pmu_reg *reg, u64 n)
{
	struct pfm_context *ctx = container_of(reg, struct pfm_pmd, hw)->ctx;
	u32 owner = pfm_enter(ctx);

	/* A frozen context does not count, so it cannot lose overflows. */
	if (READ_ONCE(ctx->frozen))
		n = 0;
	if (!owner) {
		ctx->lost += n;
		pfm_leave(ctx);
	} else if (n) {
		pfm_miss(ctx, n, owner);
	}
}
EXPORT_SYMBOL_GPL(pfm_overflow_lost);

static void pfm_ds_event(struct pfm_pmd *pmd, u64 ip, struct pt_regs *regs,
			 struct pfm_ds_record *rec)
{
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);

	if (WARN_ON_ONCE(pfm_evtset_of(pmd) != pmd->ctx->set))
		return;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	pfm_instant(pmd->ctx, ovfl, 0, ip, regs, rec);
}

void pfm_ds_overflow(struct pfm_pmu_reg *reg, u64 ip, struct pt_regs *regs,
		     struct pfm_ds_record *rec)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter(ctx);

	if (owner) {
		pfm_defer(pmd, ip, owner);
		return;
	}
	ctx->reported = pmd;
	if (READ_ONCE(ctx->frozen))
		pfm_silence(pmd);
	else
		pfm_ds_event(pmd, ip, regs, rec);
	ctx->reported = NULL;
	pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_ds_overflow);

void pfm_timeout(struct pfm_pmu_reg *clock, struct pt_regs *regs)
{
	struct pfm_pmd *pmd = container_of(clock, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter(ctx);

	if (owner) {
		pfm_defer(pmd, 0, owner);
		return;
	}
	ctx->reported = pmd;
	pfm_time_is_up(pmd, regs && user_mode(regs));
	ctx->reported = NULL;
	pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_timeout);

/* Carry hardware overflows into pfm_pmd.value; clear those below 2^64. */
static void pfm_carry(struct pfm_context *ctx, unsigned long *ovfl)
{
	u64 step = pfm_hw_mask(ctx->pmu) + 1;
	unsigned int slot;

	if (!step)
		return;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);
		u64 upper = (pmd->value & ~(step - 1)) + step;

		pmd->value = upper;
		if (upper)
			__clear_bit(slot, ovfl);
	}
}

void pfm_overflow_many(struct pfm_pmu_set *s, const unsigned long *pmds,
		       u64 ip, struct pt_regs *regs,
		       struct pfm_ds_record *rec)
{
	struct pfm_context *ctx =
		pfm_context_of(container_of(s, struct pfm_evtset, pmu_set));
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	u32 owner = pfm_enter(ctx);
	u16 i;

	if (READ_ONCE(ctx->frozen))
		goto leave;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	for (i = 0; i < ctx->pmu->num_pmds; i++)
		if (test_bit(ctx->pmu->pmds[i].num, pmds) && ctx->set->regs[i])
			__set_bit(i, ovfl);
	pfm_carry(ctx, ovfl);
	if (owner)
		for_each_set_bit(i, ovfl, ctx->pmu->num_pmds)
			pfm_defer(pfm_pmd_at(ctx->set, i), ip, owner);
	else if (!bitmap_empty(ovfl, PFM_MAX_PMDS))
		pfm_instant(ctx, ovfl, 0, ip, regs, rec);
leave:
	if (!owner)
		pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_overflow_many);

/*
 * Stop the PMU after masking: this takes process context, which a work item
 * queued by an irq_work provides. Until then overflows find the context masked.
 * For a CPU that is going offline, perf stops the events before it is gone.
 */
void pfm_stop_work(struct work_struct *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, stop);

	mutex_lock(&ctx->mutex);
	if (ctx->loaded && (pfm_is_masked(ctx) || pfm_is_offline(ctx)))
		ctx->pmu->stop(&ctx->on_pmu->pmu_set);
	mutex_unlock(&ctx->mutex);
}

/*
 * Handle what was deferred to a command. If another overflow is in progress,
 * this has interrupted it, and it will handle that.
 */
static void pfm_take_deferred_here(struct pfm_context *ctx)
{
	u32 owner;

	while ((owner = pfm_enter(ctx)) == PFM_BUSY_COMMAND)
		cpu_relax();
	if (!owner)
		pfm_leave(ctx);
}

/*
 * Handle what was deferred if the thread was switched out with interrupts off.
 * It may run and overflow on another CPU: such an overflow finds a command as
 * the owner, and queues another interrupt. Any owner is on another CPU, so wait
 * for it.
 */
static void pfm_take_deferred_elsewhere(struct pfm_context *ctx)
{
	while (cmpxchg_acquire(&ctx->busy, 0, PFM_BUSY_COMMAND))
		cpu_relax();
	pfm_handle_deferred(ctx, false);
	/* Pairs with the acquire of the next owner. */
	smp_store_release(&ctx->busy, 0);
}

static void pfm_take_deferred(struct pfm_context *ctx)
{
	if (pfm_is_here(ctx))
		pfm_take_deferred_here(ctx);
	else
		pfm_take_deferred_elsewhere(ctx);
}

void pfm_irq_work(struct irq_work *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, irq_work.work);

	if (test_and_clear_bit(PFM_END_DEFERRED, &ctx->ovfl_end))
		pfm_take_deferred(ctx);
	if (test_and_clear_bit(PFM_END_BLOCK, &ctx->ovfl_end))
		pfm_block_request(ctx);
	if (test_and_clear_bit(PFM_END_STOP, &ctx->ovfl_end))
		queue_work(system_highpri_wq, &ctx->stop);
	if (test_and_clear_bit(PFM_END_SWITCH, &ctx->ovfl_end))
		pfm_switch_request(ctx, false);
	if (test_and_clear_bit(PFM_END_SWITCH_HERE, &ctx->ovfl_end))
		pfm_switch_request(ctx, true);
	if (test_and_clear_bit(PFM_END_NOTIFY, &ctx->ovfl_end))
		pfm_msgq_tell_readers(&ctx->msgq);
	pfm_kicked(ctx);
}
