/* SPDX-License-Identifier: GPL-2.0 */
/*
 * freeze.h - freezing: values are kept, and further counts are discarded
 */
#ifndef PFM_CORE_FREEZE_H
#define PFM_CORE_FREEZE_H

#include <linux/types.h>

struct pfm_context;
struct pfm_pmd;

/* Has a counter that samples wrapped without its overflow being handled? */
bool pfm_has_wrapped(const struct pfm_pmd *pmd);

/* Like pfm_has_wrapped(), for a PMD whose current value is @value. */
bool pfm_is_past_zero(const struct pfm_pmd *pmd, u64 value);

/*
 * Keep the values of the active set, and discard further counts. A pending
 * overflow is counted as lost, but its PMD will be reset. Context: the caller
 * owns the context, or the context is paused. @read must be for that context.
 */
void pfm_freeze(struct pfm_context *ctx, u32 why,
		u64 (*read)(struct pfm_pmd *pmd));

/* Was the active set frozen by an excluded task, which no longer runs? */
bool pfm_exclusion_is_over(const struct pfm_context *ctx);

/* Freeze the active set if it excludes what runs on the CPU. */
void pfm_freeze_excluded(struct pfm_context *ctx);

/*
 * Clear PFM_EXCLUDED. Overflows in excluded tasks are lost, and their PMDs get
 * their short reset values. Context: as pfm_freeze(). Return: true if no other
 * reason is left, and the registers must be loaded.
 */
bool pfm_unfreeze_excluded(struct pfm_context *ctx);

#endif /* PFM_CORE_FREEZE_H */
