// SPDX-License-Identifier: GPL-2.0
/*
 * pause.c - commands keep overflows out of a context
 *
 * pfm_pause() stops the PMU and waits until every handler that was under way is
 * done: overflows run with preemption disabled, so that a grace period is that
 * wait. What they have left to an interrupt is waited for, too. A masked
 * context needs no grace period: overflows discard themselves, and only the one
 * that masked it may still be finishing.
 */
#include <linux/irq_work.h>
#include "context.h"
#include "owner.h"
#include "pause.h"
#include "value.h"

bool pfm_suspended;

void pfm_publish_active(struct pfm_context *ctx)
{
	unsigned long flags;

	lockdep_assert_held(&ctx->mutex);
	if (likely(!ctx->set->page))
		return;
	pfm_own(ctx, &flags);
	pfm_page_write(ctx->set);
	pfm_disown(ctx, flags);
}

/* The PMU gets the active set. Context: paused. */
static void pfm_follow_switch(struct pfm_context *ctx)
{
	if (pfm_program_regs(ctx))
		ctx->sets_denied++;
	set_mask_bits(&ctx->frozen, PFM_SWITCHING, 0);
}

void pfm_pause(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (ctx->loaded && ctx->started) {
		ctx->pmu->stop(&ctx->on_pmu->pmu_set);
		if (!pfm_is_masked(ctx))
			pfm_wait_overflows(ctx);
		/* Overflows that met a command are still to come. */
		irq_work_sync(&ctx->irq_work);
	}
	pfm_wait_idle(ctx);
	if (ctx->frozen & PFM_SWITCHING)
		pfm_follow_switch(ctx);
}

int pfm_resume(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	pfm_publish_active(ctx);
	if (!ctx->loaded || !ctx->started || ctx->frozen & ~PFM_IDLE ||
	    READ_ONCE(pfm_suspended))
		return 0;
	ctx->on_pmu = ctx->set;
	return ctx->pmu->start(&ctx->set->pmu_set);
}

void pfm_pause_and_resume(struct pfm_context *ctx)
{
	u64 denied = ctx->sets_denied;

	lockdep_assert_held(&ctx->mutex);
	if (!ctx->loaded || pfm_is_offline(ctx))
		return;
	pfm_pause(ctx);
	/* Refused when loaded and when started, it is one turn. */
	if (pfm_resume(ctx))
		ctx->sets_denied = denied + 1;
}
