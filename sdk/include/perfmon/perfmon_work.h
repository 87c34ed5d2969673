/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Work items that measuring waits for
 *
 * A real-time thread may occupy a monitored CPU for as long as it likes, and a
 * work item that is bound to this CPU does not run meanwhile. Work that must be
 * done before a measurement can begin or continue is therefore queued with
 * pfm_queue_work(): it runs on any CPU, with high priority.
 */
#ifndef PERFMON_PERFMON_WORK_H
#define PERFMON_PERFMON_WORK_H

struct work_struct;
struct workqueue_struct;

/* The queue of pfm_queue_work(), for delayed work items. */
extern struct workqueue_struct *pfm_wq;

/**
 * pfm_queue_work() - queue a work item that measuring waits for
 * @work: the work item; no effect if it is queued already
 *
 * Context: any but NMI, preemption off.
 */
void pfm_queue_work(struct work_struct *work);

#endif /* PERFMON_PERFMON_WORK_H */
