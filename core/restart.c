// SPDX-License-Identifier: GPL-2.0
/*
 * restart.c - PFM_RESTART (3.1.9, 3.5.15)
 */
#include "block.h"
#include "context.h"
#include "evtset_switch.h"
#include "fmt.h"
#include "freeze.h"
#include "load.h"
#include "owner.h"
#include "pause.h"
#include "restart.h"
#include "value.h"

/* Load long reset values into the PMDs that overflowed and were not reset. */
static void pfm_reset_long(struct pfm_context *ctx)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_reset_pmds(ctx->set, ctx->set->to_reset, true);
	bitmap_zero(ctx->set->to_reset, PFM_MAX_PMDS);
	local_irq_restore(flags);
}

/* Make the switch that was due when the context was masked (3.7.7). */
static void pfm_switch_now(struct pfm_context *ctx)
{
	/* An overflow of the set being left may still be in progress. */
	pfm_wait_overflows(ctx);
	pfm_end_evtset(ctx->set);
	pfm_begin_evtset(ctx, ctx->set->next, true);
}

/* Unmask: load the hardware with the values that were kept meanwhile. */
static int pfm_unmask(struct pfm_context *ctx)
{
	int ret;

	pfm_catch_up(ctx->set);
	ctx->fmt_state = (struct pfm_ovfl_state){};
	ret = pfm_program_regs(ctx);
	/* A barrier: overflows that see the bit clear see the new values. */
	set_mask_bits(&ctx->frozen, PFM_MASKED, 0);
	return ret;
}

/*
 * Get the control bits from the format's fmt_restart. Without this function,
 * and in a family (whose buffers pfm_share_restart() restarts), reset if the
 * context is masked. Return: the format's result. pfm_restart_context() checks
 * later whether this is a valid errno: the check may print a message, which
 * takes too long while overflows are kept out.
 */
static int pfm_restart_ctrl(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl)
{
	if (ctx->fmt && ctx->fmt->fmt_restart && !ctx->share)
		return ctx->fmt->fmt_restart(ctx->buf, !pfm_is_masked(ctx),
					     ctrl);
	ctrl->reset_ovfl_pmds = pfm_is_masked(ctx);
	return 0;
}

/*
 * Carry out the control bits of a restart. @was_active: the context was not
 * masked when they were requested; if it is masked now, it stays so. Context:
 * paused.
 */
static int pfm_restart_apply(struct pfm_context *ctx, pfm_ovfl_ctrl_t ctrl,
			     bool was_active)
{
	bool is_masked = pfm_is_masked(ctx);
	bool unmask = is_masked && !ctrl.mask_monitoring && !was_active;

	if (unmask && ctx->switch_due)
		pfm_switch_now(ctx);
	else if (ctrl.reset_ovfl_pmds)
		pfm_reset_long(ctx);
	if (unmask)
		return pfm_unmask(ctx);
	if (ctrl.mask_monitoring && !is_masked)
		pfm_freeze(ctx, PFM_MASKED, pfm_value_read);
	return 0;
}

/* Restart with the PMU stopped. */
static int pfm_restart_paused(struct pfm_context *ctx)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	int ret, err;

	pfm_pause(ctx);
	ret = pfm_restart_ctrl(ctx, &ctrl);
	if (!ret) {
		ret = pfm_restart_apply(ctx, ctrl, !pfm_is_masked(ctx));
		/* End blocking before an overflow can request it again. */
		pfm_block_end(ctx);
	}
	err = pfm_resume(ctx);
	return ret ?: err;
}

/*
 * Restart an active context without stopping the PMU, so that no event is
 * missed. Pause only if the format requests more than "continue".
 */
static int pfm_restart_active(struct pfm_context *ctx)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	unsigned long flags;
	int ret, err;

	pfm_own(ctx, &flags);
	if (pfm_is_masked(ctx)) {
		pfm_disown(ctx, flags);
		return pfm_restart_paused(ctx);
	}
	ret = pfm_restart_ctrl(ctx, &ctrl);
	if (!ret)
		pfm_block_end(ctx);
	pfm_disown(ctx, flags);
	if (ret || !ctrl.val)
		return ret;
	pfm_pause(ctx);
	/*
	 * An overflow may have masked the context before the pause. The context
	 * then stays masked until the next restart.
	 */
	ret = pfm_restart_apply(ctx, ctrl, true);
	err = pfm_resume(ctx);
	return ret ?: err;
}

int pfm_restart_context(struct pfm_context *ctx)
{
	int ret = pfm_check_cpu(ctx);

	if (ret)
		return ret;
	ret = pfm_is_masked(ctx) ? pfm_restart_paused(ctx) :
				   pfm_restart_active(ctx);
	/* Wake the blocked thread only now that the PMU counts again. */
	pfm_block_wake(ctx);
	/*
	 * perfmon's own errors are valid errnos. Only fmt_restart may have
	 * returned another value, so the message blames the format.
	 */
	return ret ? pfm_fmt_result(ctx->fmt, "fmt_restart", ret) : 0;
}
