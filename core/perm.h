/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perm.h - access rights: creating contexts, and attaching them
 */
#ifndef PFM_CORE_PERM_H
#define PFM_CORE_PERM_H

#include <linux/types.h>

struct task_struct;

/**
 * pfm_may_measure() - Check the caller against the paranoid level
 * @ctx_flags: PFM_FL_* of the context
 * @user_only: out: events must not count in the kernel
 *
 * Context: process, may sleep.
 * Return: 0, -EPERM or -ENOMEM.
 */
int pfm_may_measure(u32 ctx_flags, bool *user_only);

/**
 * pfm_may_create() - Check whether the caller may create a context
 * @ctx_flags: PFM_FL_* of the context
 *
 * Context: process, may sleep.
 * Return: 0, -EPERM or -ENOMEM.
 */
int pfm_may_create(u32 ctx_flags);

/**
 * struct pfm_program - which program of a thread the caller may monitor
 * @any: the caller may monitor any program
 * @exec_id: if not @any: the caller may monitor the thread as long as this is
 *           the thread's self_exec_id
 */
struct pfm_program {
	bool	any;
	u64	exec_id;
};

/**
 * pfm_may_attach_begin() - Check whether the caller may monitor a thread
 * @task:    the thread
 * @stop:    check also for the right to stop the thread
 * @program: out: the program that the caller may monitor
 *
 * On success no exec of @task can complete until pfm_may_attach_end().
 *
 * Context: process, may sleep; pfm_context.mutex not held.
 * Return: 0; -EPERM; -ENOMEM; -ESRCH if the thread is exiting; -EINTR if the
 * caller is being killed.
 */
int pfm_may_attach_begin(struct task_struct *task, bool stop,
			 struct pfm_program *program);
void pfm_may_attach_end(struct task_struct *task);

/*
 * Does @task still run @program, as set by pfm_may_attach_begin()? Then the
 * permission also applies to the events that were created for @task since that
 * call. Context: process.
 */
bool pfm_runs_still(const struct task_struct *task,
		    const struct pfm_program *program);

/*
 * Does the administrator allow threads to read their counters in user mode? The
 * setting is perf's (arm64: kernel.perf_user_access). Context: process, may
 * sleep.
 */
bool pfm_may_read_counters(void);

#endif /* PFM_CORE_PERM_H */
