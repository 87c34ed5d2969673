/* SPDX-License-Identifier: GPL-2.0 */
/*
 * overflow.h - what happens when counters overflow
 */
#ifndef PFM_CORE_OVERFLOW_H
#define PFM_CORE_OVERFLOW_H

#include <linux/percpu.h>
#include "context.h"

/* The last time stamp that a CPU's overflows had. */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/*
 * See to the overflows that came while the context had another owner. If it has
 * one again by now, that one does, unless it is a command.
 * Context: as the overflow, which has left.
 */
void pfm_see_to_deferred(struct pfm_context *ctx);

/* What pfm_enter() has taken: give it up, and see to what came meanwhile. */
static __always_inline void pfm_leave(struct pfm_context *ctx)
{
	/* Pairs with the acquire in pfm_own(). */
	smp_store_release(&ctx->busy, 0);
	barrier();
	if (unlikely(READ_ONCE(ctx->deferred)))
		pfm_see_to_deferred(ctx);
}

/*
 * The handler of contexts without a format: with notification the overflow
 * masks; without it the counter wraps (3.4.3), unless it is there to switch
 * event sets (3.7.6). Context: as the overflow. Return: 0.
 */
int pfm_no_fmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		       struct pfm_ovfl_data *data);

/* Stops, wakes, signals, and blocks for an NMI: what an overflow may not do. */
void pfm_irq_work(struct irq_work *work);

/*
 * Stop the PMU of a context that was masked, or whose CPU goes offline.
 * Context: a work item, pfm_context.stop.
 */
void pfm_stop_work(struct work_struct *work);

#endif /* PFM_CORE_OVERFLOW_H */
