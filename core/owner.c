// SPDX-License-Identifier: GPL-2.0
/*
 * owner.c - ownership of a context
 *
 * pfm_context.busy names the owner: an overflow (pfm_enter()) or, for a moment,
 * a command (pfm_own()). All overflows of a context happen on one CPU at a
 * time. So an overflow that finds another overflow as the owner has interrupted
 * that overflow. An interrupt that handles deferred overflows may run when the
 * thread is already on another CPU; in this case it owns the context as a
 * command does (defer.c).
 *
 * Most commands stop the PMU to keep overflows out (pause.c). The restart of an
 * active context and PFM_SET_FMT_ARG would miss events if they did so. They
 * take ownership instead.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>
#include <perfmon/perfmon_defect.h>
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

/*
 * A check of whether an overflow is in progress in @task, or in any thread if
 * @task is NULL. @maybe: out: an overflow may be in progress.
 */
struct pfm_look {
	const struct task_struct	*task;
	bool				maybe;
};

/*
 * Can this interrupt tell that it has not interrupted an overflow? Overflows
 * increment the preemption count, so this is certain if the count was 0, or 1
 * in the idle loop, which has incremented it itself. On a kernel without a
 * preemption count it is certain only if the interrupt arrived in user mode.
 * Context: hard interrupt.
 */
static bool pfm_is_between_overflows(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return user_mode(get_irq_regs());
	return preempt_count() ==
	       HARDIRQ_OFFSET +
		       (is_idle_task(current) ? PREEMPT_DISABLE_OFFSET : 0);
}

/*
 * Check whether an overflow may be in progress on this CPU. Context: hard
 * interrupt; or called directly, by smp_call_function_single() if the caller is
 * on this CPU, or by the idle loop. In a direct call no overflow is in
 * progress.
 */
static void pfm_look_here(void *arg)
{
	struct pfm_look *look = arg;

	look->maybe = in_hardirq() &&
		      (!look->task || current == look->task) &&
		      !pfm_is_between_overflows();
}

/*
 * Has pfm_owner_init() found that an interrupt can tell whether it has
 * interrupted an overflow?
 */
static bool pfm_can_look = true;

/*
 * May an overflow be in progress? If so, it is still on the CPU where it began:
 * the interrupted thread cannot migrate.
 */
static bool pfm_may_be_under_way(const struct pfm_pmu_set *target)
{
	struct pfm_look look = { .task = target->task };

	smp_call_function_single(target->task ? task_cpu(target->task) :
						target->cpu,
				 pfm_look_here, &look, true);
	return look.maybe;
}

/*
 * Number of checks before resorting to a grace period; the first
 * PFM_QUICK_LOOKS are made without a delay.
 */
#define PFM_LOOKS	25
#define PFM_QUICK_LOOKS	3

/* Check until no overflow is in progress. Return: false if one still may be. */
static bool pfm_look_elsewhere(const struct pfm_pmu_set *target)
{
	int i;

	for (i = 0; pfm_can_look && i < PFM_LOOKS; i++) {
		if (i >= PFM_QUICK_LOOKS)
			usleep_range(50, 100);
		if (!pfm_may_be_under_way(target))
			return true;
	}
	return false;
}

bool pfm_look_for_overflows(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (ctx->unsettled && !pfm_is_here(ctx) &&
	    !pfm_look_elsewhere(&ctx->target))
		return false;
	ctx->unsettled = false;
	return true;
}

/*
 * Avoid the grace period if possible: it waits for all CPUs or, if expedited,
 * interrupts them, and any user could cause that at will. A real-time thread
 * that occupies a CPU may delay the grace period for as long as it runs.
 */
void pfm_wait_overflows(struct pfm_context *ctx)
{
	if (pfm_look_for_overflows(ctx))
		return;
	if (ctx->target.task)
		synchronize_rcu();
	else
		synchronize_rcu_expedited();
	ctx->unsettled = false;
}

/* A test of pfm_look_here() in an interrupt on this CPU */
struct pfm_trial {
	struct irq_work	work;
	struct pfm_look	look;
	bool		over;
};

static void pfm_trial_interrupt(struct irq_work *work)
{
	struct pfm_trial *trial = container_of(work, struct pfm_trial, work);

	pfm_look_here(&trial->look);
	WRITE_ONCE(trial->over, true);
}

/*
 * Test pfm_look_here(): call it in an interrupt of this code, which is not an
 * overflow. @preemptible: leave preemption on meanwhile, as it never is in an
 * overflow. Return: true if the interrupt takes this code for an overflow.
 */
static bool pfm_trial_look(bool preemptible)
{
	struct pfm_trial trial = {
		.work = IRQ_WORK_INIT_HARD(pfm_trial_interrupt),
		.look.task = current,
	};

	if (!preemptible)
		preempt_disable();
	/*
	 * irq_work_queue() disables preemption: delay the interrupt until that
	 * function has returned.
	 */
	local_irq_disable();
	irq_work_queue(&trial.work);
	local_irq_enable();
	while (!READ_ONCE(trial.over))
		cpu_relax();
	if (!preemptible)
		preempt_enable();
	irq_work_sync(&trial.work);
	return trial.look.maybe;
}

bool pfm_owner_judge(bool seen, bool mistaken)
{
	pfm_can_look = seen && !mistaken;
	pfm_set_defect(PFM_DEFECT_OWNER,
		       pfm_can_look ? NULL :
		       "an interrupt cannot tell whether preemption is off: commands on running threads take longer");
	return pfm_can_look;
}

bool pfm_owner_init(void)
{
	/*
	 * Without a preemption count, an interrupt must take any kernel code
	 * for an overflow in progress. It would have to do so in the second
	 * trial as well, with preemption on, so skip this trial.
	 */
	return pfm_owner_judge(pfm_trial_look(false),
			       IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
				       pfm_trial_look(true));
}
