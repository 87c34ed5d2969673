/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner.h - ownership of a context
 */
#ifndef PFM_CORE_OWNER_H
#define PFM_CORE_OWNER_H

#include "context.h"

/* Take ownership as an overflow. Return: 0, or the owner: PFM_BUSY_*. */
static __always_inline u32 pfm_enter(struct pfm_context *ctx)
{
	/*
	 * Read the context's state only after this: the last owner may have
	 * masked it.
	 */
	return cmpxchg_acquire(&ctx->busy, 0, PFM_BUSY_OVERFLOW);
}

/*
 * Take ownership as pfm_enter() does, in fewer instructions. After a failure
 * the caller must call pfm_not_entered() at once, to restore the overwritten
 * owner. If the owner is a command, an overflow in an NMI before that call
 * takes the command for another overflow, and leaves a note without queuing an
 * irq_work. The note is not lost: the interrupted overflow then calls
 * pfm_defer(), which queues an irq_work or handles the note.
 */
static __always_inline u32 pfm_enter_fast(struct pfm_context *ctx)
{
	return xchg_acquire(&ctx->busy, PFM_BUSY_OVERFLOW);
}

/* Restore @owner (see pfm_enter_fast()), unless it has left already. */
static inline void pfm_not_entered(struct pfm_context *ctx, u32 owner)
{
	if (owner == PFM_BUSY_COMMAND)
		cmpxchg(&ctx->busy, PFM_BUSY_OVERFLOW, owner);
}

/*
 * Let a command own an active context for a moment, without stopping the PMU;
 * overflows are deferred. Interrupts are off until pfm_disown(). Context:
 * process, pfm_context.mutex held.
 */
void pfm_own(struct pfm_context *ctx, unsigned long *flags);
void pfm_disown(struct pfm_context *ctx, unsigned long flags);

/*
 * After the PMU was stopped, wait until no overflow is in progress. Overflows
 * happen in the monitored thread, or on the monitored CPU, so an overflow is
 * over when that thread or CPU does something else, such as running the caller.
 * Context: process, pfm_context.mutex held, may sleep.
 */
void pfm_wait_overflows(struct pfm_context *ctx);

/*
 * Check for about 2 ms at most, without a grace period, whether overflows are
 * in progress. Context: as pfm_wait_overflows(). Return: false if one may be.
 */
bool pfm_look_for_overflows(struct pfm_context *ctx);

/*
 * Test whether an interrupt can tell that it may have interrupted an overflow.
 * If it cannot, pfm_wait_overflows() always waits for a grace period. Context:
 * process, the module is being loaded. Return: true if an interrupt can tell.
 */
bool pfm_owner_init(void);

/*
 * Evaluate the test of pfm_owner_init(). @seen: while preemption was off, the
 * interrupt recognized this; @mistaken: while preemption was on, the interrupt
 * took it for off. Return: as pfm_owner_init().
 */
bool pfm_owner_judge(bool seen, bool mistaken);

/* Is the caller the monitored thread, or on the monitored CPU? */
bool pfm_is_here(const struct pfm_context *ctx);

/* Queue the irq_work. Context: an overflow. */
static inline void pfm_kick(struct pfm_context *ctx)
{
	pfm_irq_work_queue(&ctx->irq_work);
}

/* Record that the irq_work has run, and no longer uses the context. */
static inline void pfm_kicked(struct pfm_context *ctx)
{
	pfm_irq_work_done(&ctx->irq_work);
}

/*
 * Wait until the irq_work has run on all CPUs. The caller ensures that it is
 * not queued again: no overflow is in progress, or the context is masked.
 * Context: process.
 */
static inline void pfm_wait_kicks(struct pfm_context *ctx)
{
	pfm_irq_work_wait(&ctx->irq_work);
}

#endif /* PFM_CORE_OWNER_H */
