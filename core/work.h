/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work.h - the queue for work items that measuring waits for
 */
#ifndef PFM_CORE_WORK_H
#define PFM_CORE_WORK_H

/* Create pfm_wq. Context: process. Return: 0 or -ENOMEM. */
int pfm_work_init(void);

/* Destroy it; no work item is left. Context: process, may sleep. */
void pfm_work_exit(void);

#endif /* PFM_CORE_WORK_H */
