/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work.h - the queues for urgent and for slow work items
 */
#ifndef PFM_CORE_WORK_H
#define PFM_CORE_WORK_H

struct workqueue_struct;

/* Queue for work items that take long, so that pfm_wq's items need not wait. */
extern struct workqueue_struct *pfm_slow_wq;

/* Create the queues. Context: process. Return: 0 or an errno. */
int pfm_work_init(void);

/* Destroy the queues, which must be empty. Context: process, may sleep. */
void pfm_work_exit(void);

#endif /* PFM_CORE_WORK_H */
