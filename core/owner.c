// SPDX-License-Identifier: GPL-2.0
/*
 * owner.c - who may touch a context now
 *
 * pfm_context.busy names the owner: an overflow (pfm_enter()) or, for moments,
 * a command (pfm_own()). All overflows of a context happen on one CPU at a
 * time, so whoever finds it owned by an overflow has interrupted that one.
 *
 * Most commands stop the PMU to keep overflows out (pause.c). An active restart
 * must not, or events would be missed: it becomes the owner.
 */
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include "context.h"
#include "owner.h"

void pfm_own(struct pfm_context *ctx, unsigned long *flags)
{
	lockdep_assert_held(&ctx->mutex);
	local_irq_save(*flags);
	while (cmpxchg_acquire(&ctx->busy, 0, PFM_BUSY_COMMAND))
		cpu_relax();
}

void pfm_disown(struct pfm_context *ctx, unsigned long flags)
{
	/* Pairs with the acquire of the next owner. */
	smp_store_release(&ctx->busy, 0);
	local_irq_restore(flags);
}

/* Is the caller what is monitored: this thread, or something on this CPU? */
static bool pfm_is_here(const struct pfm_context *ctx)
{
	if (ctx->target.task)
		return ctx->target.task == current;
	return ctx->target.cpu == raw_smp_processor_id();
}

void pfm_wait_overflows(struct pfm_context *ctx)
{
	if (!pfm_is_here(ctx))
		synchronize_rcu_expedited();
}
