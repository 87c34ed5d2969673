/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Urgent work items
 *
 * A real-time thread may occupy a monitored CPU for a long time, and work items
 * bound to this CPU do not run meanwhile. Therefore work that must be done
 * before a measurement can begin or continue is queued with pfm_queue_work().
 * It runs on any CPU, with high priority.
 */
#ifndef PERFMON_PERFMON_WORK_H
#define PERFMON_PERFMON_WORK_H

struct work_struct;
struct workqueue_struct;

/* The queue of pfm_queue_work(), for delayed work items. */
extern struct workqueue_struct *pfm_wq;

/**
 * pfm_queue_work() - queue an urgent work item
 * @work: the work item; no effect if it is queued already
 *
 * Context: any but NMI, preemption off.
 */
void pfm_queue_work(struct work_struct *work);

#endif /* PERFMON_PERFMON_WORK_H */
