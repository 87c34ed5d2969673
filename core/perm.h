/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perm.h - who may create contexts and attach them to whom
 */
#ifndef PFM_CORE_PERM_H
#define PFM_CORE_PERM_H

#include <linux/types.h>

struct task_struct;

/**
 * pfm_may_measure() - what does the level allow the caller at this moment?
 * @ctx_flags: PFM_FL_* of the context
 * @user_only: out: no event may count in the kernel
 *
 * Context: process, may sleep.
 * Return: 0, -EPERM or -ENOMEM.
 */
int pfm_may_measure(u32 ctx_flags, bool *user_only);

/**
 * pfm_may_create() - may the caller create a context?
 * @ctx_flags: PFM_FL_* of the context
 *
 * Context: process, may sleep.
 * Return: 0, -EPERM or -ENOMEM.
 */
int pfm_may_create(u32 ctx_flags);

/**
 * pfm_may_attach_begin() - may the caller monitor a thread?
 * @task: the thread
 * @stop: may it also stop the thread?
 *
 * On success no exec of @task can complete until pfm_may_attach_end().
 *
 * Context: process, may sleep; pfm_context.mutex not held.
 * Return: 0; -EPERM; -ENOMEM; -ESRCH if the thread exits; -EINTR if killed
 * meanwhile.
 */
int pfm_may_attach_begin(struct task_struct *task, bool stop);
void pfm_may_attach_end(struct task_struct *task);

/*
 * May threads read their counters at user level? The administrator says so, of
 * all that perf counts (arm64: kernel.perf_user_access).
 * Context: process, may sleep.
 */
bool pfm_may_read_counters(void);

#endif /* PFM_CORE_PERM_H */
