// SPDX-License-Identifier: GPL-2.0
/*
 * owner.c - ownership of a context
 *
 * pfm_context.busy names the owner: an overflow (pfm_enter()) or, for a moment,
 * a command (pfm_own()). All overflows of a context happen on one CPU at a
 * time, so an overflow that finds the context owned by an overflow has
 * interrupted it. Work that an overflow leaves to an interrupt may run when the
 * thread is already elsewhere; then it owns the context like a command
 * (defer.c).
 *
 * Most commands stop the PMU to keep overflows out (pause.c). The restart of an
 * active context must not, or it would miss events: it takes ownership.
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

/* Is an overflow of a thread in progress? */
struct pfm_look {
	const struct task_struct	*task;
	bool				maybe;
};

/*
 * Did this interrupt the thread with preemption off, as in an overflow?
 * Context: interrupt; or a call on the local CPU, where the thread does not run
 * then.
 */
static void pfm_look_here(void *arg)
{
	struct pfm_look *look = arg;

	look->maybe = current == look->task &&
		      (!IS_ENABLED(CONFIG_PREEMPT_COUNT) ||
		       preempt_count() != HARDIRQ_OFFSET);
}

/*
 * May an overflow of the thread be in progress? If so, the thread is still on
 * the CPU where the overflow began, as it cannot migrate.
 */
static bool pfm_may_be_under_way(const struct task_struct *task)
{
	struct pfm_look look = { .task = task };

	smp_call_function_single(task_cpu(task), pfm_look_here, &look, true);
	return look.maybe;
}

/*
 * Wait for the overflows of a thread. Any user can trigger this at will, so
 * avoid a grace period: it waits for all CPUs or, if expedited, interrupts
 * them.
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
