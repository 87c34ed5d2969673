/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner.h - who may touch a context now
 */
#ifndef PFM_CORE_OWNER_H
#define PFM_CORE_OWNER_H

#include "context.h"

/* An overflow becomes the owner. Return: 0, or who is: PFM_BUSY_*. */
static __always_inline u32 pfm_enter(struct pfm_context *ctx)
{
	/* Whether it is masked is read later: the last owner may do that. */
	return cmpxchg_acquire(&ctx->busy, 0, PFM_BUSY_OVERFLOW);
}

/*
 * A command owns an active context for a moment, without stopping anything:
 * overflows wait. What comes before pfm_disown() may not sleep: interrupts are
 * off.
 * Context: process, pfm_context.mutex held.
 */
void pfm_own(struct pfm_context *ctx, unsigned long *flags);
void pfm_disown(struct pfm_context *ctx, unsigned long flags);

/*
 * Wait until no overflow is under way that came before. Overflows happen in the
 * monitored thread, or on the monitored CPU: one is over when that does
 * something else, such as this. Context: process, may sleep.
 */
void pfm_wait_overflows(struct pfm_context *ctx);

#endif /* PFM_CORE_OWNER_H */
