// SPDX-License-Identifier: GPL-2.0
/*
 * owner.c - who may touch a context now
 *
 * pfm_context.busy names the owner: an overflow (pfm_enter()) or, for moments,
 * a command (pfm_own()). All overflows of a context happen on one CPU at a
 * time, so whoever finds it owned by an overflow has interrupted that one.
 * What an overflow leaves to an interrupt may come when the thread is elsewhere
 * by then: it owns the context as a command does (overflow.c).
 *
 * Most commands stop the PMU to keep overflows out (pause.c). An active restart
 * must not, or events would be missed: it becomes the owner.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
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

bool pfm_is_here(const struct pfm_context *ctx)
{
	if (ctx->target.task)
		return ctx->target.task == current;
	return ctx->target.cpu == raw_smp_processor_id();
}

/* Is an overflow of a thread's under way? */
struct pfm_look {
	const struct task_struct	*task;
	bool				maybe;
};

/*
 * Has this interrupted it where preemption is disabled, as it is during an
 * overflow? Context: interrupt; or a CPU that asks itself, which the thread is
 * not on.
 */
static void pfm_look_here(void *arg)
{
	struct pfm_look *look = arg;

	look->maybe = current == look->task &&
		      (!IS_ENABLED(CONFIG_PREEMPT_COUNT) ||
		       preempt_count() != HARDIRQ_OFFSET);
}

/*
 * Where the thread is now, it was when its overflow began, if that is still
 * under way: it could not be moved since.
 */
static bool pfm_may_be_under_way(const struct task_struct *task)
{
	struct pfm_look look = { .task = task };

	smp_call_function_single(task_cpu(task), pfm_look_here, &look, true);
	return look.maybe;
}

/*
 * Any user may have this done at will. A grace period would do it, but waits
 * for all CPUs, or, if it is expedited, interrupts them.
 */
static void pfm_wait_thread(const struct task_struct *task)
{
	int i;

	for (i = 0; i < 3; i++)
		if (!pfm_may_be_under_way(task))
			return;
	synchronize_rcu();
}

void pfm_wait_overflows(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (!ctx->unsettled)
		return;
	if (!pfm_is_here(ctx)) {
		if (ctx->target.task)
			pfm_wait_thread(ctx->target.task);
		else
			synchronize_rcu_expedited();
	}
	ctx->unsettled = false;
}
