/* SPDX-License-Identifier: GPL-2.0 */
/*
 * freeze.h - values are kept, and what is counted from now on is discarded
 */
#ifndef PFM_CORE_FREEZE_H
#define PFM_CORE_FREEZE_H

#include <linux/types.h>

struct pfm_context;
struct pfm_pmd;

/* Has a counter that samples overflowed, and is its overflow still to come? */
bool pfm_has_wrapped(const struct pfm_pmd *pmd);

/* The same, of a PMD whose value is @value now. */
bool pfm_is_past_zero(const struct pfm_pmd *pmd, u64 value);

/*
 * Keep the values of the active set as they are, discard what is counted on. An
 * overflow that is discarded with it is lost, but its PMD will be reset.
 * Context: the owner of the overflow path; or paused. @read fits the context.
 */
void pfm_freeze(struct pfm_context *ctx, u32 why,
		u64 (*read)(struct pfm_pmd *pmd));

/* The idle thread has ended, which the active set did not count. */
bool pfm_idle_is_over(const struct pfm_context *ctx);

/* Freeze the active set if the CPU is idle, and the set excludes that. */
void pfm_freeze_idle(struct pfm_context *ctx);

/*
 * The idle thread is no reason any more. What overflowed unseen is lost, and
 * has its short reset value. Context: as pfm_freeze().
 * Return: true if there is no other reason: the registers are to be loaded.
 */
bool pfm_unfreeze_idle(struct pfm_context *ctx);

#endif /* PFM_CORE_FREEZE_H */
