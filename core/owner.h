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
 * The same in fewer instructions, for nearly every sample. Who is not let in
 * has overwritten what the owner is, and must call pfm_not_entered() at once.
 * Until then a command that owns the context looks like an overflow: to whoever
 * interrupts this one, and only leaves a note. What this one leaves to the
 * command brings an interrupt, which finds that note, too.
 */
static __always_inline u32 pfm_enter_fast(struct pfm_context *ctx)
{
	return xchg_acquire(&ctx->busy, PFM_BUSY_OVERFLOW);
}

/* @owner: what pfm_enter_fast() has returned. It may have left by now. */
static inline void pfm_not_entered(struct pfm_context *ctx, u32 owner)
{
	if (owner == PFM_BUSY_COMMAND)
		cmpxchg(&ctx->busy, PFM_BUSY_OVERFLOW, owner);
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
 * The PMU is stopped: wait until no overflow is under way, if nobody has waited
 * since it was. Overflows happen in the monitored thread, or on the monitored
 * CPU: one is over when that does something else, such as this.
 * Context: process, pfm_context.mutex held, may sleep.
 */
void pfm_wait_overflows(struct pfm_context *ctx);

/* Is the caller what is monitored: this thread, or something on this CPU? */
bool pfm_is_here(const struct pfm_context *ctx);

/* Have the irq_work run. Context: as the overflow. */
static inline void pfm_kick(struct pfm_context *ctx)
{
	pfm_irq_work_queue(&ctx->irq_work);
}

/* It has run: the last thing that it does to the context. */
static inline void pfm_kicked(struct pfm_context *ctx)
{
	pfm_irq_work_done(&ctx->irq_work);
}

/*
 * Wait until it has run, on all CPUs. What is queued later is not waited for:
 * no overflow is under way, or it is masked.
 * Context: process.
 */
static inline void pfm_wait_kicks(struct pfm_context *ctx)
{
	pfm_irq_work_wait(&ctx->irq_work);
}

#endif /* PFM_CORE_OWNER_H */
