// SPDX-License-Identifier: GPL-2.0
/*
 * restart.c - PFM_RESTART (3.1.9, 3.5.15)
 */
#include "core.h"

/* Reset with long values what overflowed and was not reset since. */
static int pfm_reset_long(struct pfm_context *ctx)
{
	DECLARE_BITMAP(all, PFM_MAX_PMDS);
	struct pfm_pmd *pmd;
	unsigned int slot;
	int ret = 0;

	pfm_with_reset_pmds(ctx, ctx->to_reset, all);
	for_each_set_bit(slot, all, ctx->pmu->num_pmds) {
		int err;

		pmd = &ctx->set->pmds[slot];
		err = pfm_pmd_set(pmd, pfm_reset_value(pmd, pmd->long_reset));
		ret = ret ?: err;
	}
	bitmap_zero(ctx->to_reset, PFM_MAX_PMDS);
	return ret;
}

/* Load the hardware with the values that were kept while masked. */
static int pfm_unmask(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	int ret = 0;
	u16 i;

	pfm_for_each_pmd(ctx, ctx->set, i, pmd) {
		int err = pfm_pmd_load(pmd);

		ret = ret ?: err;
	}
	/* Overflows find the new values. */
	smp_store_release(&ctx->masked, 0);
	return ret;
}

/* What the restart does: the format's word, or reset if masked. */
static int pfm_restart_ctrl(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl)
{
	int ret = 0;

	if (ctx->fmt && ctx->fmt->fmt_restart)
		ret = ctx->fmt->fmt_restart(ctx->buf, !ctx->masked, ctrl);
	else
		ctrl->reset_ovfl_pmds = ctx->masked;
	/* Positive is no errno: a broken format. */
	return ret > 0 ? -EINVAL : ret;
}

/* Do what the restart asks for. Context: paused. */
static int pfm_restart_apply(struct pfm_context *ctx, pfm_ovfl_ctrl_t ctrl,
			     bool was_active)
{
	int ret = 0;

	if (ctrl.reset_ovfl_pmds)
		ret = pfm_reset_long(ctx);
	if (ctrl.mask_monitoring && !ctx->masked)
		pfm_mask(ctx, pfm_pmd_get);
	else if (!ctrl.mask_monitoring && ctx->masked && !was_active)
		ret = pfm_unmask(ctx) ?: ret;
	return ret;
}

/* Restart with everything stopped. */
static int pfm_restart_paused(struct pfm_context *ctx)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	int ret, err;

	pfm_pause(ctx);
	ret = pfm_restart_ctrl(ctx, &ctrl);
	if (!ret) {
		ret = pfm_restart_apply(ctx, ctrl, !ctx->masked);
		/* Before the next overflow may want to block again. */
		WRITE_ONCE(ctx->blocked, false);
	}
	err = pfm_resume(ctx);
	return ret ?: err;
}

/*
 * An active context goes on while its format restarts: no event is missed. What
 * else the format may ask for is done with the context paused.
 */
static int pfm_restart_active(struct pfm_context *ctx)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	unsigned long flags;
	int ret, err;

	pfm_own(ctx, &flags);
	if (ctx->masked) {
		pfm_disown(ctx, flags);
		return pfm_restart_paused(ctx);
	}
	ret = pfm_restart_ctrl(ctx, &ctrl);
	if (!ret)
		WRITE_ONCE(ctx->blocked, false);
	pfm_disown(ctx, flags);
	if (ret || !ctrl.val)
		return ret;
	pfm_pause(ctx);
	/* An overflow may have masked it by now: that is for the next restart. */
	ret = pfm_restart_apply(ctx, ctrl, true);
	err = pfm_resume(ctx);
	return ret ?: err;
}

/*
 * PFM_RESTART. Context: process, pfm_context.mutex held.
 * Return: 0; -EBUSY if not attached; what the format or the PMU says.
 */
int pfm_restart_context(struct pfm_context *ctx)
{
	int ret = pfm_check_cpu(ctx);

	if (ret)
		return ret;
	ret = READ_ONCE(ctx->masked) ? pfm_restart_paused(ctx) :
				       pfm_restart_active(ctx);
	/* Once what the thread does is counted. */
	pfm_wake_blocked(ctx);
	return ret;
}
