// SPDX-License-Identifier: GPL-2.0
/*
 * work.c - the queues for urgent and for slow work items
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_work.h>
#include "work.h"

struct workqueue_struct *pfm_wq;
EXPORT_SYMBOL_GPL(pfm_wq);
struct workqueue_struct *pfm_slow_wq;

/*
 * Choose a CPU other than this one, if there is one. It may be occupied as
 * well, so take all CPUs in turn.
 */
static int pfm_other_cpu(void)
{
	int cpu = cpumask_any_distribute(cpu_online_mask);

	return cpu == smp_processor_id() ?
		       cpumask_any_distribute(cpu_online_mask) : cpu;
}

/*
 * A work item of an unbound queue starts near the CPU that queued it, in a
 * thread of ordinary priority. If that CPU runs a real-time thread, the work
 * item would wait many milliseconds until the scheduler balances the load.
 */
void pfm_queue_work(struct work_struct *work)
{
	bool occupied = current->prio < MAX_RT_PRIO;

	queue_work_on(occupied ? pfm_other_cpu() : WORK_CPU_UNBOUND, pfm_wq,
		      work);
}
EXPORT_SYMBOL_GPL(pfm_queue_work);

int pfm_work_init(void)
{
	pfm_wq = alloc_workqueue("perfmon", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!pfm_wq)
		return -ENOMEM;
	pfm_slow_wq = alloc_workqueue("perfmon_slow", WQ_UNBOUND, 0);
	if (pfm_slow_wq)
		return 0;
	destroy_workqueue(pfm_wq);
	return -ENOMEM;
}

void pfm_work_exit(void)
{
	destroy_workqueue(pfm_slow_wq);
	destroy_workqueue(pfm_wq);
}
