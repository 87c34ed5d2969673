// SPDX-License-Identifier: GPL-2.0
/*
 * work.c - urgent work items, and the queue for slow ones
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <perfmon/perfmon_work.h>
#include "compat.h"
#include "work.h"

struct workqueue_struct *pfm_wq;
EXPORT_SYMBOL_GPL(pfm_wq);
struct workqueue_struct *pfm_slow_wq;
static struct kthread_worker *pfm_urgent;

void pfm_work_run(struct work_struct *work)
{
	struct pfm_work *w = container_of(work, struct pfm_work, work);

	w->func(w, true);
}
EXPORT_SYMBOL_GPL(pfm_work_run);

void pfm_work_run_urgent(struct kthread_work *urgent)
{
	struct pfm_work *w = container_of(urgent, struct pfm_work, urgent);

	if (!w->func(w, false))
		queue_work(pfm_wq, &w->work);
}
EXPORT_SYMBOL_GPL(pfm_work_run_urgent);

/*
 * The scheduler may choose this CPU when it wakes a thread of pfm_wq. If a
 * real-time thread occupies this CPU, the woken thread has to wait. Therefore
 * real-time threads use pfm_urgent: its thread has real-time priority, so the
 * scheduler wakes it on a CPU where it can run at once.
 */
void pfm_queue_work(struct pfm_work *w)
{
	if (current->prio < MAX_RT_PRIO)
		kthread_queue_work(pfm_urgent, &w->urgent);
	else
		queue_work(pfm_wq, &w->work);
}
EXPORT_SYMBOL_GPL(pfm_queue_work);

void pfm_cancel_work(struct pfm_work *w)
{
	kthread_cancel_work_sync(&w->urgent);
	cancel_work_sync(&w->work);
}
EXPORT_SYMBOL_GPL(pfm_cancel_work);

static int pfm_urgent_init(void)
{
	pfm_urgent = kthread_run_worker(0, "perfmon");
	if (IS_ERR(pfm_urgent))
		return PTR_ERR(pfm_urgent);
	sched_set_fifo_low(pfm_urgent->task);
	return 0;
}

int pfm_work_init(void)
{
	int ret = -ENOMEM;

	pfm_wq = alloc_workqueue("perfmon", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!pfm_wq)
		return ret;
	pfm_slow_wq = alloc_workqueue("perfmon_slow", WQ_UNBOUND, 0);
	if (!pfm_slow_wq)
		goto out_wq;
	ret = pfm_urgent_init();
	if (!ret)
		return 0;
	destroy_workqueue(pfm_slow_wq);
out_wq:
	destroy_workqueue(pfm_wq);
	return ret;
}

void pfm_work_exit(void)
{
	kthread_destroy_worker(pfm_urgent);
	destroy_workqueue(pfm_slow_wq);
	destroy_workqueue(pfm_wq);
}
