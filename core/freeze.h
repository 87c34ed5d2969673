/* SPDX-License-Identifier: GPL-2.0 */
/*
 * freeze.h - freezing: keep the values, and discard further counts
 */
#ifndef PFM_CORE_FREEZE_H
#define PFM_CORE_FREEZE_H

#include "context.h"

/* Has a PMD that samples wrapped without its overflow being handled yet? */
bool pfm_has_wrapped(const struct pfm_pmd *pmd);

/* Like pfm_has_wrapped(), for a PMD whose current value is @value. */
static inline bool pfm_is_past_zero(const struct pfm_pmd *pmd, u64 value)
{
	return !pfm_is_clock(pmd) && pmd->hw.sampling &&
	       (s64)pmd->last_reset < 0 && (s64)value >= 0;
}

/*
 * Keep the values of the active set, and discard further counts. A pending
 * overflow is lost, but its PMD will be reset. @why: PFM_MASKED, PFM_SWITCHING
 * or PFM_EXCLUDED. @read: pfm_value_read_ovfl() or, if the context is paused,
 * pfm_value_read(). Context: the caller owns the context, or the context is
 * paused.
 */
void pfm_freeze(struct pfm_context *ctx, u32 why,
		u64 (*read)(struct pfm_pmd *pmd));

/*
 * Was the active set frozen because of an excluded task that no longer runs, or
 * that only the previous set excludes?
 */
bool pfm_exclusion_is_over(const struct pfm_context *ctx);

/* Freeze the active set if the CPU runs a task that the set excludes. */
void pfm_freeze_excluded(struct pfm_context *ctx);

/*
 * Clear PFM_EXCLUDED. Overflows in excluded tasks are lost; their PMDs get
 * their short reset values. Context: as pfm_freeze(). Return: true if the set
 * is no longer frozen, and the caller must load the registers.
 */
bool pfm_unfreeze_excluded(struct pfm_context *ctx);

#endif /* PFM_CORE_FREEZE_H */
