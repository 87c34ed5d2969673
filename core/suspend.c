// SPDX-License-Identifier: GPL-2.0
/*
 * suspend.c - contexts while the machine is suspended or hibernated
 *
 * Threads are frozen then and count nothing by themselves. What a CPU counts
 * stops before and goes on afterwards, as does what is counted for the thread
 * that suspends the machine, which runs on. Other CPUs than the first go
 * offline meanwhile; to their contexts that is a hotplug like any other
 * (cpu.c).
 */
#include <linux/cpumask.h>
#include <linux/suspend.h>
#include "attach.h"
#include "context.h"
#include "pause.h"
#include "suspend.h"

/*
 * Stop what was counting on a CPU, or for the calling thread if @cpu is -1, or
 * let it go on: pfm_resume() knows which.
 */
static void pfm_suspend_one(int cpu)
{
	struct pfm_context *ctx = pfm_attach_get(cpu);

	if (!ctx)
		return;
	mutex_lock(&ctx->mutex);
	pfm_pause_and_resume(ctx);
	mutex_unlock(&ctx->mutex);
	pfm_context_put(ctx);
}

void pfm_suspend(bool suspend)
{
	int cpu;

	WRITE_ONCE(pfm_suspended, suspend);
	for_each_possible_cpu(cpu)
		pfm_suspend_one(cpu);
	pfm_suspend_one(-1);
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
