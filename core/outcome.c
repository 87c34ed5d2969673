// SPDX-License-Identifier: GPL-2.0
/*
 * outcome.c - carrying out what the handlers request (3.5.14, 4.4.4)
 */
#include "block.h"
#include "context.h"
#include "evtset_switch.h"
#include "freeze.h"
#include "msgq.h"
#include "outcome.h"
#include "owner.h"
#include "pmu.h"
#include "rate.h"
#include "share.h"
#include "stamp.h"
#include "value.h"

static bool pfm_wants_notify(const struct pfm_pmd *pmd)
{
	return pmd->ovfl && pmd->ovfl->arg.ovfl_notify;
}

static void pfm_add_ctrl(struct pfm_outcome *out, const struct pfm_pmd *pmd,
			 pfm_ovfl_ctrl_t ctrl)
{
	out->notify |= ctrl.notify_user && pfm_wants_notify(pmd);
	out->asked |= ctrl.notify_user;
	out->block |= ctrl.block_thread;
	out->mask |= ctrl.mask_monitoring;
	if (ctrl.reset_ovfl_pmds)
		__set_bit(pmd->slot, out->reset);
}

/*
 * Get the control bits to carry out: those that the handler has set, or
 * PFM_OVFL_CTRL_HOLD if it has returned an error or set an unknown bit. Count
 * invalid results.
 */
static pfm_ovfl_ctrl_t pfm_checked_ctrl(struct pfm_context *ctx, int err,
					pfm_ovfl_ctrl_t ctrl)
{
	if (ctx->fmt)
		pfm_count_odd(&ctx->odd, err, ctrl.val);
	if (unlikely(err || (ctrl.val & ~PFM_OVFL_CTRL_ALL)))
		ctrl.val = PFM_OVFL_CTRL_HOLD;
	return ctrl;
}

void pfm_collect(struct pfm_outcome *out, const struct pfm_pmd *pmd, int err)
{
	struct pfm_context *ctx = pmd->ctx;

	pfm_add_ctrl(out, pmd,
		     pfm_checked_ctrl(ctx, err, pmd->ovfl->arg.ovfl_ctrl));
}

/*
 * A limit on overflows is exceeded: request masking and a notification, as a
 * handler would.
 */
static void pfm_throttle(struct pfm_context *ctx, const unsigned long *ovfl,
			 struct pfm_outcome *out)
{
	const pfm_ovfl_ctrl_t ctrl = {
		.val = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_MASK,
	};
	unsigned int slot;

	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds)
		pfm_add_ctrl(out, pfm_pmd_at(ctx->set, slot), ctrl);
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
 * Must the tool be notified because this event masks the context? Usually a
 * notification is sent only if it was requested for a PMD with
 * PFM_REGFL_OVFL_NOTIFY. But a handler that finds the buffer full requests the
 * notification for the PMD that happened to fill the buffer, and after an error
 * the handler is not called for the remaining PMDs. So if masking and a
 * notification were requested, it suffices that any of the PMDs that overflowed
 * at the same time has the flag (3.6.5).
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

	pfm_bv_from_slots(ctx->pmu, ovfl, msg.msg_ovfl_pmds);
	if (ctx->share) {
		pfm_share_tell(ctx->share, &msg);
		return;
	}
	if (!(ctx->flags & PFM_FL_OVFL_NO_MSG))
		pfm_msgq_put_ovfl(&ctx->msgq, &msg);
	set_bit(PFM_END_NOTIFY, &ctx->ovfl_end);
}

/*
 * Load short reset values into the PMDs in @reset; the other PMDs in @ovfl
 * continue to count.
 */
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

void pfm_conclude(struct pfm_context *ctx, const unsigned long *ovfl,
		  struct pfm_outcome *out)
{
	struct pfm_evtset *set = ctx->set;
	bool switch_due = pfm_count_triggers(ctx, ovfl);

	/* A limit on overflows is exceeded: mask until PFM_RESTART (4.4.4). */
	if (unlikely(!ctx->credit) &&
	    pfm_rate_account(ctx, pfm_since_stamp(ctx)))
		pfm_throttle(ctx, ovfl, out);
	/*
	 * Note which PMDs remain to be reset. Without a format and without
	 * masking, these are only the PMDs whose reset was requested: the
	 * others count on, and may wrap (3.4.3).
	 */
	bitmap_or(set->to_reset, set->to_reset,
		  out->mask || ctx->fmt ? ovfl : out->reset, PFM_MAX_PMDS);
	if (out->mask) {
		pfm_freeze(ctx, PFM_MASKED, pfm_value_read_ovfl);
		if (ctx->share)
			WRITE_ONCE(ctx->share->masked, true);
		ctx->switch_due = switch_due;
		set_bit(PFM_END_STOP, &ctx->ovfl_end);
	} else if (!switch_due) {
		/*
		 * If a switch is due, the PMDs are reset when the set becomes
		 * active again (3.7.7).
		 */
		pfm_reset_short(set, ovfl, out->reset);
	}
	if (out->block && ctx->flags & PFM_FL_NOTIFY_BLOCK)
		pfm_block_want(ctx);
	if (out->notify || pfm_masks_with_notice(ctx, ovfl, out))
		pfm_post_msg(ctx, ovfl);
	if (switch_due && !out->mask)
		pfm_switch(ctx, ctx->data.regs && user_mode(ctx->data.regs));
	if (ctx->ovfl_end)
		pfm_kick(ctx);
}
