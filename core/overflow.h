/* SPDX-License-Identifier: GPL-2.0 */
/*
 * overflow.h - handling of counter overflows
 */
#ifndef PFM_CORE_OVERFLOW_H
#define PFM_CORE_OVERFLOW_H

#include <linux/percpu.h>
#include "context.h"

/* The last time stamp of an overflow on this CPU */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/*
 * Handle overflows that were deferred to the caller. If another overflow owns
 * the context now, that overflow handles them; if a command owns it, an
 * interrupt that follows the command does. Context: as the overflow, which no
 * longer owns the context.
 */
void pfm_see_to_deferred(struct pfm_context *ctx);

/* Release the ownership of pfm_enter(), and handle what was deferred. */
static __always_inline void pfm_leave(struct pfm_context *ctx)
{
	/* Pairs with the acquire in pfm_own(). */
	smp_store_release(&ctx->busy, 0);
	barrier();
	if (unlikely(READ_ONCE(ctx->deferred)))
		pfm_see_to_deferred(ctx);
}

/*
 * Handler for contexts without a format. With notification the overflow masks;
 * without it the counter wraps (3.4.3), unless it counts towards a switch of
 * sets (3.7.6). Context: as the overflow. Return: 0.
 */
int pfm_no_fmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		       struct pfm_ovfl_data *data);

/* Stop, wake, signal and block: what an overflow may not do itself. */
void pfm_irq_work(struct irq_work *work);

/*
 * Stop the PMU of a context that was masked, or whose CPU is going offline.
 * Context: a work item, pfm_context.stop.
 */
void pfm_stop_work(struct work_struct *work);

#endif /* PFM_CORE_OVERFLOW_H */
