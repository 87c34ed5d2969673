// SPDX-License-Identifier: GPL-2.0
/*
 * suspend.c - contexts while the machine is suspended or hibernated
 *
 * Threads are frozen during a suspend and count nothing. Two kinds of contexts
 * are stopped before a suspend and resumed after it: system-wide ones, and the
 * context of the thread that suspends the machine, which is not frozen. CPUs
 * other than the first go offline meanwhile; for their contexts this is an
 * ordinary hotplug (cpu.c).
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/sched/task.h>
#include <linux/suspend.h>
#include "attach.h"
#include "context.h"
#include "pause.h"
#include "suspend.h"

/* Maximum time, in jiffies, for which commands delay a suspend or a resume */
#define PFM_PATIENCE	HZ

/*
 * Lock a context, or give up at @until, if a command holds the lock until then.
 * Usually giving up does no harm: most commands stop the PMU, and call
 * pfm_resume() at their end. This starts the PMU again only if the machine is
 * not being suspended, so it has the effect that the code here would have.
 */
static bool pfm_lock_until(struct pfm_context *ctx, unsigned long until)
{
	while (!mutex_trylock(&ctx->mutex)) {
		if (time_after(jiffies, until))
			return false;
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/* Stop or resume a context; pfm_resume() decides which. */
static void pfm_follow_suspend(struct pfm_context *ctx, unsigned long until)
{
	if (!ctx)
		return;
	if (pfm_lock_until(ctx, until)) {
		pfm_pause_and_resume(ctx);
		mutex_unlock(&ctx->mutex);
	}
	pfm_context_put(ctx);
}

/* Handle all contexts that are stopped while @by suspends the machine. */
static void pfm_follow_suspend_all(const struct task_struct *by)
{
	unsigned long until = jiffies + PFM_PATIENCE;
	int cpu;

	pfm_begin_hurry();
	for_each_possible_cpu(cpu)
		pfm_follow_suspend(pfm_attach_get_cpu(cpu), until);
	pfm_follow_suspend(pfm_attach_get_thread(by), until);
	pfm_end_hurry();
}

/*
 * With /dev/snapshot, different threads may suspend and resume the machine. So
 * on a resume use the thread that was recorded at the suspend, not the caller.
 */
void pfm_suspend(bool suspend)
{
	struct task_struct *by = pfm_suspender;

	if (suspend == !!by)
		return;
	if (suspend)
		by = get_task_struct(current);
	WRITE_ONCE(pfm_suspender, suspend ? by : NULL);
	pfm_follow_suspend_all(by);
	if (!suspend)
		put_task_struct(by);
}

static int pfm_pm_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		pfm_suspend(true);
		return NOTIFY_OK;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		pfm_suspend(false);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static struct notifier_block pfm_pm_nb = {
	.notifier_call = pfm_pm_event,
};

int pfm_suspend_init(void)
{
	return register_pm_notifier(&pfm_pm_nb);
}

void pfm_suspend_exit(void)
{
	unregister_pm_notifier(&pfm_pm_nb);
}
