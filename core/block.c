// SPDX-License-Identifier: GPL-2.0
/*
 * block.c - PFM_FL_NOTIFY_BLOCK: the monitored thread waits for PFM_RESTART
 *
 * The overflow path queues a task work, an NMI through irq_work; it holds the
 * thread on its way back to user level. It stays killable and freezable. The
 * task work holds the context and this module.
 */
#include <linux/freezer.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include "core.h"

static void pfm_block_here(struct callback_head *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, block_work);

	do {
		/* Killed: nothing to do, the thread exits. */
		wait_event_state(ctx->block_wait, !READ_ONCE(ctx->blocked),
				 (TASK_KILLABLE | TASK_FREEZABLE));
		clear_bit_unlock(0, &ctx->block_queued);
		/* An overflow that came before the bit was clear queued nothing. */
		smp_mb__after_atomic();
	} while (READ_ONCE(ctx->blocked) && !fatal_signal_pending(current) &&
		 !test_and_set_bit_lock(0, &ctx->block_queued));
	pfm_context_put(ctx);
	module_put(THIS_MODULE);
}

void pfm_block_init(struct pfm_context *ctx)
{
	init_waitqueue_head(&ctx->block_wait);
	init_task_work(&ctx->block_work, pfm_block_here);
}

/* Context: any but NMI, interrupts off. */
void pfm_block_request(struct pfm_context *ctx)
{
	if (test_and_set_bit_lock(0, &ctx->block_queued))
		return;
	kref_get(&ctx->ref);
	__module_get(THIS_MODULE);
	if (!task_work_add(ctx->session.task, &ctx->block_work, TWA_RESUME))
		return;
	/* The thread exits: there is nobody to block. */
	clear_bit_unlock(0, &ctx->block_queued);
	pfm_context_put(ctx);
	module_put(THIS_MODULE);
}

/* Let the thread go on, if it is not asked to wait again. Context: process. */
void pfm_wake_blocked(struct pfm_context *ctx)
{
	wake_up(&ctx->block_wait);
}
