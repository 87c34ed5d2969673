// SPDX-License-Identifier: GPL-2.0
/*
 * freeze.c - freezing: keep the values, and discard further counts
 *
 * Masking, a switch of sets, and the start of an excluded task take effect in
 * an interrupt or in the scheduler, where the PMU cannot be stopped.
 * pfm_context.frozen holds the reasons. The code that clears the last reason
 * writes the values back.
 */
#include "context.h"
#include "freeze.h"
#include "value.h"

bool pfm_has_wrapped(const struct pfm_pmd *pmd)
{
	return pfm_is_past_zero(pmd, pmd->value);
}

void pfm_freeze(struct pfm_context *ctx, u32 why,
		u64 (*read)(struct pfm_pmd *pmd))
{
	struct pfm_evtset *set = ctx->set;
	struct pfm_pmd *pmd;
	u16 i;

	pfm_for_each_pmd(set, i, pmd) {
		pmd->value = read(pmd);
		/* pfm_unfreeze_excluded() resets these PMDs itself. */
		if (why != PFM_EXCLUDED && pfm_has_wrapped(pmd) &&
		    !__test_and_set_bit(i, set->to_reset))
			ctx->lost++;
	}
	set_mask_bits(&ctx->frozen, 0, why);
	pfm_publish(set);
}

/* Does the CPU run a task that the active set excludes? */
static bool pfm_is_excluded(const struct pfm_context *ctx)
{
	return ctx->excluded &&
	       (ctx->cgroup || ctx->set->flags & PFM_SETFL_EXCL_IDLE);
}

bool pfm_exclusion_is_over(const struct pfm_context *ctx)
{
	return READ_ONCE(ctx->frozen) & PFM_EXCLUDED && !pfm_is_excluded(ctx);
}

void pfm_freeze_excluded(struct pfm_context *ctx)
{
	if (pfm_is_excluded(ctx) &&
	    !(READ_ONCE(ctx->frozen) & PFM_EXCLUDED))
		pfm_freeze(ctx, PFM_EXCLUDED, pfm_value_read_ovfl);
}

bool pfm_unfreeze_excluded(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	if (set_mask_bits(&ctx->frozen, PFM_EXCLUDED, 0) & ~PFM_EXCLUDED)
		return false;
	pfm_for_each_pmd(ctx->set, i, pmd) {
		if (!pfm_has_wrapped(pmd))
			continue;
		ctx->lost++;
		pmd->value = pfm_next_reset(pmd, pmd->short_reset);
	}
	return true;
}
