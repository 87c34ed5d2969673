// SPDX-License-Identifier: GPL-2.0
/*
 * pause.c - excluding overflows during commands
 *
 * pfm_pause() stops the PMU, waits until no handler is running
 * (pfm_wait_overflows()), and waits for the irq_work that overflows have
 * queued. If the context is masked, pfm_pause() need not wait for handlers:
 * while the context is paused (pfm_context.paused), late overflows return
 * without an effect and do not touch the counters. Only the overflow that
 * masked the context may still be in progress. The probe of exclude.c keeps
 * running, but only records whether the CPU runs an excluded task; pfm_resume()
 * then freezes or unfreezes the set accordingly.
 */
#include "context.h"
#include "freeze.h"
#include "owner.h"
#include "pause.h"
#include "value.h"

struct task_struct *pfm_suspender;

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

/* Program the PMU with the active set after a switch. Context: paused. */
static void pfm_follow_switch(struct pfm_context *ctx)
{
	struct pfm_pmd *last = pfm_clock_of(ctx->on_pmu);
	s64 since = ctx->pmu->read_pmd(&last->hw) - ctx->left_at;

	/*
	 * Until now the clock of the previous set has run instead of that of
	 * the active set, while the counters were frozen. The clocks of two
	 * CPUs may differ, so @since may be negative.
	 */
	ctx->set->unmeasured += max_t(s64, since, 0);
	if (pfm_program_regs(ctx))
		ctx->sets_denied++;
	set_mask_bits(&ctx->frozen, PFM_SWITCHING, 0);
}

void pfm_pause(struct pfm_context *ctx)
{
	unsigned long flags;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->many && ctx->paused)
		return;
	if (ctx->loaded && ctx->started) {
		ctx->pmu->stop(&ctx->on_pmu->pmu_set);
		if (!pfm_is_masked(ctx))
			pfm_wait_overflows(ctx);
		/* Wait for the irq_work, which handles deferred overflows. */
		pfm_wait_kicks(ctx);
	}
	pfm_own(ctx, &flags);
	ctx->paused = true;
	pfm_disown(ctx, flags);
	if (ctx->frozen & PFM_SWITCHING)
		pfm_follow_switch(ctx);
}

bool pfm_try_stop(struct pfm_context *ctx)
{
	if (!ctx->loaded || !ctx->started || pfm_is_offline(ctx))
		return true;
	ctx->pmu->stop(&ctx->on_pmu->pmu_set);
	return pfm_is_masked(ctx) || pfm_look_for_overflows(ctx);
}

/*
 * If the set was frozen because of an excluded task, and the exclusion has
 * ended during the pause, unfreeze the set and load its registers.
 */
static void pfm_load_after_exclusion(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	if (!pfm_unfreeze_excluded(ctx))
		return;
	pfm_for_each_real_pmd(ctx->set, i, pmd)
		pfm_value_write(pmd, pmd->value);
}

/*
 * End the pause. From then on the probe of exclude.c itself freezes and
 * unfreezes the set.
 */
static void pfm_end_pause(struct pfm_context *ctx)
{
	unsigned long flags;

	pfm_own(ctx, &flags);
	while (pfm_exclusion_is_over(ctx)) {
		pfm_disown(ctx, flags);
		/*
		 * This may sleep, and the CPU may switch to an excluded task
		 * meanwhile.
		 */
		pfm_load_after_exclusion(ctx);
		pfm_own(ctx, &flags);
	}
	if (ctx->loaded)
		pfm_freeze_excluded(ctx);
	ctx->paused = false;
	pfm_disown(ctx, flags);
}

static bool pfm_is_suspended(const struct pfm_context *ctx)
{
	const struct task_struct *by = READ_ONCE(pfm_suspender);

	return by && (pfm_is_syswide(ctx) || ctx->target.task == by);
}

int pfm_resume(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (ctx->many)
		return 0;
	/*
	 * The command may have changed which PMDs sample, and which record
	 * values. A context that is not loaded does not need this yet: the load
	 * calls pfm_begin_evtset(), which calls pfm_note_sampling().
	 */
	if (ctx->loaded)
		pfm_note_sampling(ctx);
	pfm_end_pause(ctx);
	pfm_publish_active(ctx);
	if (!ctx->loaded || !ctx->started || ctx->frozen & ~PFM_EXCLUDED ||
	    pfm_is_suspended(ctx))
		return 0;
	ctx->on_pmu = ctx->set;
	ctx->unsettled = true;
	return ctx->pmu->start(&ctx->set->pmu_set);
}

void pfm_begin_many(struct pfm_context *ctx, const struct pfm_many *many)
{
	lockdep_assert_held(&ctx->mutex);
	ctx->many = many;
}

int pfm_end_many(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	ctx->many = NULL;
	return ctx->paused ? pfm_resume(ctx) : 0;
}

void pfm_pause_and_resume(struct pfm_context *ctx)
{
	u64 denied = ctx->sets_denied;

	lockdep_assert_held(&ctx->mutex);
	if (!ctx->loaded || pfm_is_offline(ctx))
		return;
	pfm_pause(ctx);
	/* Count once, even if both calls have been denied counters. */
	if (pfm_resume(ctx))
		ctx->sets_denied = denied + 1;
}
