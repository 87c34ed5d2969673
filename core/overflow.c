// SPDX-License-Identifier: GPL-2.0
/*
 * overflow.c - what happens when counters overflow (3.5.14)
 *
 * The overflow path runs in any context up to NMI, on the CPU and in the thread
 * that is monitored. It takes no lock: a context's overflows all happen on one
 * CPU at a time, so that a plain byte, pfm_context.busy, tells an overflow that
 * interrupts another one to leave itself to it (pfm_defer()).
 *
 * Commands keep overflows out with pfm_pause(): it closes the gate, stops the
 * PMU, and waits until every handler that may have seen the gate open is done;
 * overflows run with preemption disabled, so that a grace period is that wait.
 * An overflow that meets a closed gate is counted as lost, and its PMD reset,
 * when the gate opens again. A masked context needs no pause: overflows discard
 * themselves, and only the one that masked it may still be finishing.
 */
#include <linux/rcupdate.h>
#include <linux/ktime.h>
#include "core.h"

/* Outcome of one overflow event, collected over its PMDs. */
struct pfm_outcome {
	bool	notify;
	bool	block;
	bool	mask;
	DECLARE_BITMAP(reset, PFM_MAX_PMDS);
};

static u64 pfm_clock(void)
{
	return ktime_get_mono_fast_ns();
}

static __always_inline void pfm_set_data(struct pfm_ovfl_data *data, u64 ip,
					 struct pt_regs *regs)
{
	data->ip = ip;
	data->regs = regs;
	data->tid = current->pid;
	data->tgid = current->tgid;
	data->cpu = raw_smp_processor_id();
}

static void pfm_read_smpl_pmds(struct pfm_pmd *pmd)
{
	struct pfm_pmd_ovfl *ovfl = pmd->ovfl;
	unsigned long flags;
	u16 i;

	local_irq_save(flags);
	for (i = 0; i < ovfl->arg.num_smpl_pmds; i++)
		ovfl->arg.smpl_pmds_values[i] =
			pfm_pmd_get_ovfl(container_of(ovfl->smpl[i],
						      struct pfm_pmd, hw));
	local_irq_restore(flags);
}

static __always_inline int pfm_call_handler(struct pfm_context *ctx,
					    struct pfm_pmd *pmd, u64 value,
					    u64 tstamp)
{
	pfm_ovfl_arg_t *arg = &pmd->ovfl->arg;

	arg->pmd_value = value;
	arg->ovfl_ctrl.val = 0;
	if (arg->num_smpl_pmds)
		pfm_read_smpl_pmds(pmd);
	return ctx->handler(ctx->buf, arg, tstamp, &ctx->data);
}

static bool pfm_wants_notify(const struct pfm_pmd *pmd)
{
	return pmd->flags & PFM_REGFL_OVFL_NOTIFY;
}

/* Take in what a handler, or the lack of one, asks for @pmd. */
static void pfm_collect(struct pfm_outcome *out, const struct pfm_pmd *pmd,
			u16 slot, pfm_ovfl_ctrl_t ctrl)
{
	out->notify |= ctrl.notify_user && pfm_wants_notify(pmd);
	out->block |= ctrl.block_thread;
	out->mask |= ctrl.mask_monitoring;
	if (ctrl.reset_ovfl_pmds)
		__set_bit(slot, out->reset);
}

/* What an error or nonsense from a handler comes to. */
static pfm_ovfl_ctrl_t pfm_checked_ctrl(int err, pfm_ovfl_ctrl_t ctrl)
{
	if (unlikely(err || (ctrl.val & ~PFM_OVFL_CTRL_ALL)))
		ctrl.val = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK |
			   PFM_OVFL_CTRL_MASK;
	return ctrl;
}

/* Without a format, notification masks, and anything else wraps (3.4.3). */
static pfm_ovfl_ctrl_t pfm_ctrl_without_fmt(const struct pfm_pmd *pmd)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };

	if (pfm_wants_notify(pmd))
		ctrl.val = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK |
			   PFM_OVFL_CTRL_MASK;
	return ctrl;
}

static void pfm_post_msg(struct pfm_context *ctx, const unsigned long *ovfl)
{
	pfm_ovfl_msg_t msg = {
		.msg_type = PFM_MSG_OVFL,
		.msg_ovfl_pid = ctx->data.tgid,
		.msg_active_set = ctx->set->id,
		.msg_ovfl_cpu = ctx->data.cpu,
		.msg_ovfl_tid = ctx->data.tid,
		.msg_ovfl_ip = ctx->data.ip,
	};
	unsigned int slot;

	if (!(ctx->flags & PFM_FL_OVFL_NO_MSG)) {
		for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
			u16 num = ctx->pmu->pmds[slot].num;

			msg.msg_ovfl_pmds[num / 64] |= 1ULL << (num % 64);
		}
		pfm_msgq_put_ovfl(&ctx->msgq, &msg);
	}
	set_bit(PFM_END_NOTIFY, &ctx->ovfl_end);
}

/* Reset @reset and all PMDs that go with them, each once, short values. */
static void pfm_reset_short(struct pfm_context *ctx, const unsigned long *reset)
{
	DECLARE_BITMAP(all, PFM_MAX_PMDS);
	struct pfm_pmd *pmd;
	unsigned int slot;

	bitmap_copy(all, reset, PFM_MAX_PMDS);
	for_each_set_bit(slot, reset, ctx->pmu->num_pmds)
		bitmap_or(all, all, ctx->set->pmds[slot].reset_pmds,
			  PFM_MAX_PMDS);
	for_each_set_bit(slot, all, ctx->pmu->num_pmds) {
		pmd = &ctx->set->pmds[slot];
		pfm_pmd_set_ovfl(pmd, pfm_reset_value(pmd, pmd->short_reset));
	}
}

/*
 * Mask monitoring: keep the values as they are, discard what is counted on.
 * Context: the owner of the overflow path; @get as fits the context.
 */
void pfm_mask(struct pfm_context *ctx, u64 (*get)(struct pfm_pmd *pmd))
{
	struct pfm_pmd *pmd;
	u16 i;

	pfm_for_each_pmd(ctx, ctx->set, i, pmd)
		pmd->value = get(pmd);
	WRITE_ONCE(ctx->masked, 1);
	if (ctx->pmu->mask)
		ctx->pmu->mask(&ctx->session);
}

/* The core's part after the handlers, interrupts off. */
static void pfm_ovfl_finish(struct pfm_context *ctx, const unsigned long *ovfl,
			    struct pfm_outcome *out)
{
	bitmap_or(ctx->to_reset, ctx->to_reset, ovfl, PFM_MAX_PMDS);
	if (out->mask) {
		pfm_mask(ctx, pfm_pmd_get_ovfl);
	} else {
		pfm_reset_short(ctx, out->reset);
		bitmap_andnot(ctx->to_reset, ctx->to_reset, out->reset,
			      PFM_MAX_PMDS);
	}
	if (out->block && ctx->flags & PFM_FL_NOTIFY_BLOCK) {
		WRITE_ONCE(ctx->blocked, true);
		set_bit(PFM_END_BLOCK, &ctx->ovfl_end);
	}
	if (out->notify)
		pfm_post_msg(ctx, ovfl);
	if (ctx->ovfl_end)
		irq_work_queue(&ctx->irq_work);
}

/* Overflows without notification and without format only wrap. */
static void pfm_event_without_fmt(struct pfm_context *ctx,
				  const unsigned long *ovfl)
{
	struct pfm_outcome out = {};
	DECLARE_BITMAP(notify, PFM_MAX_PMDS);
	unsigned int slot;

	bitmap_zero(notify, PFM_MAX_PMDS);
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		const struct pfm_pmd *pmd = &ctx->set->pmds[slot];

		if (pfm_wants_notify(pmd))
			__set_bit(slot, notify);
		pfm_collect(&out, pmd, slot, pfm_ctrl_without_fmt(pmd));
	}
	if (!out.mask)
		return;
	pfm_ovfl_finish(ctx, ovfl, &out);
	bitmap_and(ctx->to_reset, ctx->to_reset, notify, PFM_MAX_PMDS);
}

static void pfm_event_with_fmt(struct pfm_context *ctx,
			       const unsigned long *ovfl)
{
	struct pfm_outcome out = {};
	u64 tstamp = pfm_clock();
	unsigned int slot;
	int err = 0;

	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = &ctx->set->pmds[slot];

		if (err || !pmd->ovfl) {
			ctx->lost++;
			continue;
		}
		err = pfm_call_handler(ctx, pmd, pfm_pmd_get_ovfl(pmd), tstamp);
		if (err)
			ctx->lost++;
		pfm_collect(&out, pmd, slot,
			    pfm_checked_ctrl(err, pmd->ovfl->arg.ovfl_ctrl));
	}
	pfm_ovfl_finish(ctx, ovfl, &out);
}

/* One overflow event: @ovfl by place in the table. The caller owns @ctx. */
static void pfm_event(struct pfm_context *ctx, const unsigned long *ovfl,
		      u64 ip, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_set_data(&ctx->data, ip, regs);
	if (ctx->handler)
		pfm_event_with_fmt(ctx, ovfl);
	else
		pfm_event_without_fmt(ctx, ovfl);
	local_irq_restore(flags);
}

static void pfm_event_one(struct pfm_pmd *pmd, u64 ip, struct pt_regs *regs)
{
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);

	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(pmd - pmd->ctx->set->pmds, ovfl);
	pfm_event(pmd->ctx, ovfl, ip, regs);
}

/* Leave the overflow to whom it interrupted; a second one is lost. */
static void pfm_defer(struct pfm_pmd *pmd, u64 ip)
{
	struct pfm_context *ctx = pmd->ctx;

	if (pmd->deferred) {
		ctx->lost++;
		return;
	}
	pmd->ovfl_ip = ip;
	WRITE_ONCE(pmd->deferred, true);
	WRITE_ONCE(ctx->deferred, 1);
}

/* May the overflow be handled? If not: masked, discard it; frozen, lose it. */
static bool pfm_gate_is_open(struct pfm_pmd *pmd, u64 ip)
{
	struct pfm_context *ctx = pmd->ctx;

	if (likely(!READ_ONCE(ctx->gate)))
		return true;
	if (!READ_ONCE(ctx->masked))
		pfm_defer(pmd, ip);
	return false;
}

static __always_inline bool pfm_enter(struct pfm_context *ctx)
{
	if (unlikely(READ_ONCE(ctx->busy)))
		return false;
	WRITE_ONCE(ctx->busy, 1);
	/* The gate is read after busy is set: an interrupt may close it. */
	barrier();
	return true;
}

static void pfm_handle_deferred(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	WRITE_ONCE(ctx->deferred, 0);
	barrier();
	pfm_for_each_pmd(ctx, ctx->set, i, pmd) {
		if (!READ_ONCE(pmd->deferred))
			continue;
		WRITE_ONCE(pmd->deferred, false);
		barrier();
		if (pfm_gate_is_open(pmd, pmd->ovfl_ip))
			pfm_event_one(pmd, pmd->ovfl_ip, NULL);
	}
}

/* Give up the context, and see to what came meanwhile. */
static __always_inline void pfm_leave(struct pfm_context *ctx)
{
	/* Pairs with the acquire in pfm_wait_idle(). */
	smp_store_release(&ctx->busy, 0);
	barrier();
	while (unlikely(READ_ONCE(ctx->deferred)) &&
	       !READ_ONCE(ctx->frozen) && pfm_enter(ctx)) {
		pfm_handle_deferred(ctx);
		smp_store_release(&ctx->busy, 0);
		barrier();
	}
}

static noinline void pfm_overflow_slow(struct pfm_pmd *pmd, u64 ip,
				       struct pt_regs *regs)
{
	if (pfm_gate_is_open(pmd, ip))
		pfm_event_one(pmd, ip, regs);
	pfm_leave(pmd->ctx);
}

/* A handler wants more than to go on: do what it says. */
static noinline void pfm_overflow_finish(struct pfm_pmd *pmd, int err)
{
	struct pfm_context *ctx = pmd->ctx;
	u16 slot = pmd - ctx->set->pmds;
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_outcome out = {};
	unsigned long flags;

	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(slot, ovfl);
	if (err)
		ctx->lost++;
	pfm_collect(&out, pmd, slot,
		    pfm_checked_ctrl(err, pmd->ovfl->arg.ovfl_ctrl));
	local_irq_save(flags);
	pfm_ovfl_finish(ctx, ovfl, &out);
	local_irq_restore(flags);
}

/*
 * The way of nearly every sample, and written for few instructions: one
 * counter, a format that records and goes on, and a hardware counter that has
 * re-armed itself. All else is pfm_event(), which comes to the same.
 */
void notrace pfm_overflow(struct pfm_pmu_reg *reg, u64 value, u64 ip,
			  struct pt_regs *regs)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	int err;

	if (unlikely(!pfm_enter(ctx))) {
		pfm_defer(pmd, ip);
		return;
	}
	if (unlikely(READ_ONCE(ctx->gate) || pmd->slow)) {
		pfm_overflow_slow(pmd, ip, regs);
		return;
	}
	pfm_set_data(&ctx->data, ip, regs);
	err = pfm_call_handler(ctx, pmd, value, pfm_clock());
	if (likely(!err && !pmd->resets_more &&
		   pmd->ovfl->arg.ovfl_ctrl.val == PFM_OVFL_CTRL_RESET &&
		   pmd->short_reset == reg->reload))
		reg->offset -= reg->reload;
	else
		pfm_overflow_finish(pmd, err);
	pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_overflow);

/* Carry hardware overflows into the software part; drop those below 2^64. */
static void pfm_carry(struct pfm_context *ctx, unsigned long *ovfl)
{
	u64 step = pfm_hw_mask(ctx->pmu) + 1;
	unsigned int slot;

	if (!step)
		return;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = &ctx->set->pmds[slot];
		u64 upper = (pmd->value & ~(step - 1)) + step;

		pmd->value = upper | (pmd->value & (step - 1));
		if (upper)
			__clear_bit(slot, ovfl);
	}
}

void pfm_overflow_many(struct pfm_pmu_session *s, const unsigned long *pmds,
		       u64 ip, struct pt_regs *regs)
{
	struct pfm_context *ctx =
		container_of(s, struct pfm_context, session);
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_pmd *pmd;
	bool nested, open;
	u16 i;

	if (READ_ONCE(ctx->masked))
		return;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	pfm_for_each_pmd(ctx, ctx->set, i, pmd)
		if (test_bit(pmd->hw.desc->num, pmds))
			__set_bit(i, ovfl);
	pfm_carry(ctx, ovfl);
	nested = !pfm_enter(ctx);
	open = !nested && !READ_ONCE(ctx->gate);
	if (open && !bitmap_empty(ovfl, PFM_MAX_PMDS))
		pfm_event(ctx, ovfl, ip, regs);
	if (!open && !READ_ONCE(ctx->masked))
		for_each_set_bit(i, ovfl, ctx->pmu->num_pmds)
			pfm_defer(&ctx->set->pmds[i], ip);
	if (!nested)
		pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_overflow_many);

/* Wakes, signals and blocks: what the overflow path may not do itself. */
void pfm_irq_work(struct irq_work *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, irq_work);

	if (test_and_clear_bit(PFM_END_BLOCK, &ctx->ovfl_end))
		pfm_block_request(ctx);
	if (test_and_clear_bit(PFM_END_NOTIFY, &ctx->ovfl_end))
		pfm_tell_readers(ctx);
}

/* Wait until the overflow that masked @ctx is through. */
void pfm_wait_idle(struct pfm_context *ctx)
{
	/* Pairs with the release in pfm_leave(). */
	while (smp_load_acquire(&ctx->busy))
		cpu_relax();
}

static bool pfm_is_counting(const struct pfm_context *ctx)
{
	return ctx->loaded && ctx->started && !READ_ONCE(ctx->masked);
}

/*
 * Keep the overflow path out of @ctx until pfm_resume().
 * Context: process, pfm_context.mutex held, may sleep.
 */
void pfm_pause(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	WRITE_ONCE(ctx->frozen, 1);
	if (ctx->loaded && ctx->started) {
		ctx->pmu->stop(&ctx->session);
		if (!READ_ONCE(ctx->masked) && ctx->session.task != current)
			synchronize_rcu_expedited();
	}
	pfm_wait_idle(ctx);
}

/* Overflows that met the closed gate: not recorded, but the PMD goes on. */
static void pfm_lose_deferred(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	ctx->deferred = 0;
	pfm_for_each_pmd(ctx, ctx->set, i, pmd) {
		if (!pmd->deferred)
			continue;
		pmd->deferred = false;
		ctx->lost++;
		pfm_pmd_set(pmd, pfm_reset_value(pmd, pmd->short_reset));
	}
}

/*
 * Let overflows in again, and count on if @ctx was counting.
 * Context: as pfm_pause(). Return: 0, or what the PMU says.
 */
int pfm_resume(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (ctx->deferred)
		pfm_lose_deferred(ctx);
	smp_store_release(&ctx->frozen, 0);
	return pfm_is_counting(ctx) ? ctx->pmu->start(&ctx->session) : 0;
}
