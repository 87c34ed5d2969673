/* SPDX-License-Identifier: GPL-2.0 */
/*
 * defer.h - overflows that are left to the context's owner or to an irq_work
 */
#ifndef PFM_CORE_DEFER_H
#define PFM_CORE_DEFER_H

#include "context.h"

/*
 * Leave an overflow to @owner, PFM_BUSY_*: to the overflow that this one has
 * interrupted, or, if the owner is a command, to an interrupt that follows the
 * command at once. If the PMD already has a deferred overflow, this one is
 * lost. An overflow that was already handled together with another PMD's
 * overflow is not deferred. Context: an overflow.
 */
void pfm_defer(struct pfm_pmd *pmd, u64 ip, u32 owner);

/*
 * Have @owner add @n overflows to pfm_context.lost, and handle what was
 * deferred. Context: as pfm_defer().
 */
void pfm_miss(struct pfm_context *ctx, int n, u32 owner);

/*
 * Handle the deferred overflows of @ctx. If another overflow owns the context
 * now, that overflow handles them; if a command owns it, an interrupt that
 * follows the command does. Context: an overflow that does not own, or no
 * longer owns, its perfmon context.
 */
void pfm_see_to_deferred(struct pfm_context *ctx);

/* Release the ownership that pfm_enter() took; handle what was deferred. */
static __always_inline void pfm_leave(struct pfm_context *ctx)
{
	/* Pairs with the acquire in pfm_own(). */
	smp_store_release(&ctx->busy, 0);
	barrier();
	if (unlikely(READ_ONCE(ctx->deferred)))
		pfm_see_to_deferred(ctx);
}

/* Do what an overflow must not do itself: stop, wake, signal, block. */
void pfm_irq_work(struct irq_work *work);

/* Wake and signal the readers of a family's root: pfm_share.tell. */
void pfm_share_irq_work(struct irq_work *work);

/*
 * Stop the PMU of a context that was masked, or whose CPU is going offline.
 * Context: a work item, pfm_context.stop.
 */
bool pfm_stop_work(struct pfm_work *w, bool may_wait);

/* Wake readers and send signals. Context: a work item, pfm_context.tell. */
bool pfm_tell_work(struct pfm_work *w, bool may_wait);

#endif /* PFM_CORE_DEFER_H */
