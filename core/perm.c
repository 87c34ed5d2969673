// SPDX-License-Identifier: GPL-2.0
/*
 * perm.c - access rights: creating contexts, and attaching them (chapter 4;
 *	    Eranian 2006, 7)
 *
 * perf checks little for events that the kernel itself creates: Linux 6.1
 * checks only CPU events against kernel.perf_event_paranoid. So perfmon rejects
 * what perf_event_open() would reject for the caller, unless the administrator
 * sets a different paranoid level for perfmon.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "compat.h"
#include "config.h"
#include "perm.h"
#include "proc.h"

/* Use kernel.perf_event_paranoid, with its current value */
#define PFM_AS_KERNEL	INT_MAX

static int pfm_paranoid = PFM_AS_KERNEL;

static int pfm_paranoid_set(const char *text, const struct kernel_param *kp)
{
	int level = PFM_AS_KERNEL;

	if (!sysfs_streq(text, "kernel") && kstrtoint(text, 0, &level))
		return -EINVAL;
	WRITE_ONCE(pfm_paranoid, level);
	return 0;
}

static int pfm_paranoid_get(char *text, const struct kernel_param *kp)
{
	int level = READ_ONCE(pfm_paranoid);

	if (level == PFM_AS_KERNEL)
		return sysfs_emit(text, "kernel\n");
	return sysfs_emit(text, "%d\n", level);
}

static const struct kernel_param_ops pfm_paranoid_param = {
	.set	= pfm_paranoid_set,
	.get	= pfm_paranoid_get,
};

module_param_cb(paranoid, &pfm_paranoid_param, NULL, 0644);
__MODULE_PARM_TYPE(paranoid, "int");
MODULE_PARM_DESC(paranoid,
		 "restricts users without CAP_PERFMON: 0 or less allows all, 1 forbids measuring whole CPUs, 2 also forbids measuring the kernel, 3 requires CAP_SYS_ADMIN for everything; kernel (default): the level is kernel.perf_event_paranoid");

/*
 * Get the paranoid level. If it cannot be read, return a level above 3, at
 * which only CAP_SYS_ADMIN allows measuring.
 * Return: 0 or -ENOMEM.
 */
static int pfm_paranoid_level(int *level)
{
	int ret = 0;

	*level = READ_ONCE(pfm_paranoid);
	if (*level == PFM_AS_KERNEL)
		ret = pfm_proc_read_int("sys/kernel/perf_event_paranoid",
					level);
	return ret == -ENOMEM ? ret : 0;
}

/*
 * Is the caller in the configured group? Administrators must be in it, too.
 * PFM_GROUP_ANY accepts all callers.
 */
static bool pfm_is_in_group(u32 ctx_flags)
{
	gid_t gid = ctx_flags & PFM_FL_SYSTEM_WIDE ?
			    READ_ONCE(pfm_config.sys_gid) :
			    READ_ONCE(pfm_config.thread_gid);

	return gid == PFM_GROUP_ANY || in_egroup_p(KGIDT_INIT(gid));
}

/*
 * Level 3 comes from Debian's kernels. There perf requires CAP_SYS_ADMIN at
 * this level: CAP_PERFMON does not suffice.
 */
int pfm_may_measure(u32 ctx_flags, bool *user_only)
{
	int paranoid, ret;

	*user_only = false;
	if (capable(CAP_SYS_ADMIN))
		return 0;
	ret = pfm_paranoid_level(&paranoid);
	if (ret)
		return ret;
	if (paranoid >= 3)
		return -EPERM;
	if (perfmon_capable())
		return 0;
	if (paranoid >= 1 && ctx_flags & PFM_FL_SYSTEM_WIDE)
		return -EPERM;
	*user_only = paranoid >= 2;
	return 0;
}

int pfm_may_create(u32 ctx_flags)
{
	bool user_only;

	if (!pfm_is_in_group(ctx_flags))
		return -EPERM;
	return pfm_may_measure(ctx_flags, &user_only);
}

/*
 * Check the right to monitor a thread or, with @stop, the right to stop it. On
 * opening /proc/<pid>/maps the kernel makes its ptrace check for reading,
 * including the checks of its security modules, as perf_event_open() does. On
 * opening /proc/<pid>/mem it makes the check for attaching, as ptrace() does.
 */
static int pfm_ask_proc(struct task_struct *task, bool stop)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "%d/%s",
		 task_pid_nr_ns(task, pfm_proc_ns()), stop ? "mem" : "maps");
	ret = pfm_proc_may_open(name);
	return !ret || ret == -ENOMEM || ret == -ESRCH ? ret : -EPERM;
}

/*
 * The functions from here to pfm_may_ptrace() make the checks of
 * __ptrace_may_access() for PTRACE_MODE_READ_REALCREDS and
 * PTRACE_MODE_ATTACH_REALCREDS, except those of the security modules, which can
 * be made only through /proc. The checks here use the caller's real IDs, as
 * perf_event_open() does; the checks of /proc use its file system IDs.
 */
static bool pfm_ids_match(const struct cred *cred, const struct cred *tcred)
{
	return uid_eq(cred->uid, tcred->euid) &&
	       uid_eq(cred->uid, tcred->suid) &&
	       uid_eq(cred->uid, tcred->uid) &&
	       gid_eq(cred->gid, tcred->egid) &&
	       gid_eq(cred->gid, tcred->sgid) && gid_eq(cred->gid, tcred->gid);
}

/* Does the caller have all permitted capabilities of the thread? */
static bool pfm_caps_match(const struct cred *cred, const struct cred *tcred)
{
	return cred->user_ns == tcred->user_ns &&
	       cap_issubset(tcred->cap_permitted, cred->cap_permitted);
}

static bool pfm_creds_allow(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *tcred;
	bool ok;

	rcu_read_lock();
	tcred = __task_cred(task);
	ok = (pfm_ids_match(cred, tcred) && pfm_caps_match(cred, tcred)) ||
	     ns_capable(tcred->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
	return ok;
}

/*
 * May the caller ptrace the thread? Return: 0; -EPERM, also for kernel threads;
 * -ESRCH for exiting threads.
 */
static int pfm_may_ptrace(struct task_struct *task)
{
	const struct mm_struct *mm;
	int ret = -EPERM;

	if (!pfm_creds_allow(task))
		return -EPERM;
	/* Pairs with commit_creds(), which writes dumpable last. */
	smp_rmb();
	/*
	 * Do not take a reference to the mm: if it became the last one, this
	 * function would have to free the mm.
	 */
	task_lock(task);
	rcu_read_lock();
	mm = task->flags & PF_KTHREAD ? NULL : task->mm;
	if (!mm && READ_ONCE(task->flags) & PF_EXITING)
		ret = -ESRCH;
	if (mm && (pfm_is_dumpable(task, mm) ||
		   ns_capable(pfm_dump_ns(task, mm), CAP_SYS_PTRACE)))
		ret = 0;
	rcu_read_unlock();
	task_unlock(task);
	return ret;
}

/*
 * perf_event_open() makes its check with exec_update_lock held. Opening a file
 * in /proc takes that lock, so this function can take it only afterwards. If
 * self_exec_id has changed in between, the check was about another program.
 *
 * CAP_PERFMON is the right to observe a thread, not to stop it.
 */
int pfm_may_attach_begin(struct task_struct *task, bool stop,
			 struct pfm_program *program)
{
	bool trusted = same_thread_group(task, current) ||
		       (!stop && perfmon_capable());
	u64 exec_id = READ_ONCE(task->self_exec_id);
	int ret = 0;

	*program = (struct pfm_program){ trusted, exec_id };
	if (!trusted) {
		ret = pfm_ask_proc(task, stop);
		if (ret)
			return ret;
	}
	if (down_read_killable(&task->signal->exec_update_lock))
		return -EINTR;
	if (!trusted)
		ret = READ_ONCE(task->self_exec_id) == exec_id ?
			      pfm_may_ptrace(task) : -EPERM;
	if (ret)
		up_read(&task->signal->exec_update_lock);
	return ret;
}

void pfm_may_attach_end(struct task_struct *task)
{
	up_read(&task->signal->exec_update_lock);
}

/*
 * Is @program still running? An exec first changes self_exec_id, and then
 * removes the thread's events if the new program is not dumpable. So an exec
 * that this test does not see removes all events created before the test.
 */
bool pfm_runs_still(const struct task_struct *task,
		    const struct pfm_program *program)
{
	/*
	 * Read self_exec_id only after the events are visible to an exec. In
	 * the exec, perf's locks order the write of self_exec_id before the
	 * removal of events.
	 */
	smp_mb();
	return program->any || READ_ONCE(task->self_exec_id) ==
				       program->exec_id;
}

bool pfm_may_read_counters(void)
{
	int allowed;

	return !pfm_proc_read_int("sys/kernel/perf_user_access", &allowed) &&
	       allowed == 1;
}
