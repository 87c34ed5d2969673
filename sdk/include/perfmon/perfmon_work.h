/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Urgent work items
 *
 * A real-time thread may occupy a monitored CPU for a long time. Threads of
 * ordinary priority that wait for this CPU do not run meanwhile, and the
 * scheduler may leave a single waiting thread there although other CPUs are
 * idle. Therefore pfm_queue_work() uses a worker thread of real-time priority
 * if a real-time thread is running on this CPU. Use pfm_queue_work() for work
 * that must be done before a measurement can begin or continue.
 */
#ifndef PERFMON_PERFMON_WORK_H
#define PERFMON_PERFMON_WORK_H

#include <linux/kthread.h>
#include <linux/workqueue.h>

/* The workqueue of pfm_queue_work(). Use it for delayed work items, too. */
extern struct workqueue_struct *pfm_wq;

struct pfm_work;

/**
 * typedef pfm_work_func_t - the function of an urgent work item
 * @w:        the work item
 * @may_wait: whether the function may wait for a lock that a command may hold
 *            for a long time
 *
 * The function may run on two CPUs at once. Context: process, may sleep.
 *
 * Return: true if the work is done; false if the function must wait. In this
 * case the function is called again with @may_wait set.
 */
typedef bool (*pfm_work_func_t)(struct pfm_work *w, bool may_wait);

/**
 * struct pfm_work - an urgent work item
 * @func:   function of the work item
 * @work:   calls @func in a thread of pfm_wq, which is not a real-time thread
 * @urgent: calls @func in a thread of real-time priority, which all work items
 *          share, so @func must not wait for long
 */
struct pfm_work {
	pfm_work_func_t		func;
	struct work_struct	work;
	struct kthread_work	urgent;
};

/* The functions of pfm_work.work and pfm_work.urgent. */
void pfm_work_run(struct work_struct *work);
void pfm_work_run_urgent(struct kthread_work *urgent);

/**
 * pfm_work_prepare() - prepare a work item
 * @w: the work item
 * @f: function of the work item
 *
 * This is a macro, so that lockdep distinguishes the work items of callers.
 *
 * Context: any.
 */
#define pfm_work_prepare(w, f)						\
	do {								\
		struct pfm_work *work_ = (w);				\
									\
		work_->func = (f);					\
		INIT_WORK(&work_->work, pfm_work_run);			\
		kthread_init_work(&work_->urgent, pfm_work_run_urgent);	\
	} while (0)

/**
 * pfm_queue_work() - queue an urgent work item
 * @w: the work item; no effect if it is queued already
 *
 * The item runs on any CPU, in a thread of pfm_wq with high priority, or in the
 * real-time thread (see above).
 *
 * Context: any but NMI.
 */
void pfm_queue_work(struct pfm_work *w);

/**
 * pfm_cancel_work() - cancel a work item, or wait until it has run
 * @w: the work item, which must not be queued again during the call
 *
 * Context: process, may sleep.
 */
void pfm_cancel_work(struct pfm_work *w);

#endif /* PERFMON_PERFMON_WORK_H */
