/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread_work.h - task works that pin this module
 */
#ifndef PFM_CORE_THREAD_WORK_H
#define PFM_CORE_THREAD_WORK_H

#include <linux/module.h>
#include <linux/task_work.h>
#include "compat.h"

/*
 * Queue a task work, and pin this module until the task work has run. The
 * objects that the task work uses must stay valid until then. The task work's
 * function must call pfm_thread_work_done() at its end. Context: any but NMI.
 * Return: false if @task no longer runs task works, or the module is being
 * unloaded.
 */
static inline bool pfm_thread_work_add(struct task_struct *task,
				       struct callback_head *work,
				       enum task_work_notify_mode notify)
{
	if (!try_module_get(THIS_MODULE))
		return false;
	if (!pfm_task_work_add(task, work, notify))
		return true;
	module_put(THIS_MODULE);
	return false;
}

/*
 * Unpin this module, at the end of a task work. pfm_exit() waits until the
 * thread has left the module's code, too.
 */
static inline void pfm_thread_work_done(void)
{
	module_put(THIS_MODULE);
}

#endif /* PFM_CORE_THREAD_WORK_H */
