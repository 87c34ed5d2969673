// SPDX-License-Identifier: GPL-2.0
/*
 * perm.c - who may create contexts and attach them to whom (chapter 4; 2006
 *	    paper, 7)
 *
 * perf checks little for events that the kernel itself creates (6.1 checks CPU
 * events against kernel.perf_event_paranoid, and nothing else). What
 * perf_event_open() would refuse to a caller is refused here, Debian's strict
 * default included, unless the administrator lowers the parameter.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/moduleparam.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include "core.h"

static int pfm_paranoid = 3;
module_param_named(paranoid, pfm_paranoid, int, 0644);
MODULE_PARM_DESC(paranoid,
		 "what users without CAP_PERFMON may not do: 3 anything, 2 see the kernel, 1 monitor CPUs, 0 and less all is allowed");

/*
 * The administrator's group is asked of everybody: who may change the
 * configuration can change that, too. Any group is good for PFM_GROUP_ANY.
 */
static bool pfm_is_in_group(u32 ctx_flags)
{
	gid_t gid = ctx_flags & PFM_FL_SYSTEM_WIDE ?
			    READ_ONCE(pfm_config.sys_gid) :
			    READ_ONCE(pfm_config.thread_gid);

	return gid == PFM_GROUP_ANY || in_egroup_p(KGIDT_INIT(gid));
}

/**
 * pfm_may_create() - may the caller create a context?
 * @ctx_flags: PFM_FL_* of the context
 * @user_only: out: the context must not see the kernel
 *
 * Context: process.
 * Return: 0 or -EPERM.
 */
int pfm_may_create(u32 ctx_flags, bool *user_only)
{
	int paranoid = READ_ONCE(pfm_paranoid);

	*user_only = false;
	if (!pfm_is_in_group(ctx_flags))
		return -EPERM;
	if (perfmon_capable())
		return 0;
	if (paranoid >= 3 || (paranoid >= 1 && ctx_flags & PFM_FL_SYSTEM_WIDE))
		return -EPERM;
	*user_only = paranoid >= 2;
	return 0;
}

/* Is this file maps in the directory of @vpid, in our /proc? */
static bool pfm_is_maps_of(struct file *file, pid_t vpid)
{
	const struct dentry *dir = file->f_path.dentry->d_parent;
	struct super_block *sb = file_inode(file)->i_sb;
	char name[16];

	snprintf(name, sizeof(name), "%d", vpid);
	return sb->s_magic == PROC_SUPER_MAGIC &&
	       proc_pid_ns(sb) == task_active_pid_ns(current) &&
	       dir->d_parent == sb->s_root && !strcmp(dir->d_name.name, name);
}

/*
 * Opening /proc/<pid>/maps runs the kernel's own ptrace check for reading, with
 * its security modules, as perf_event_open() does. What somebody has mounted over
 * /proc or over the thread's directory, and the /proc of another pid name space,
 * prove nothing.
 */
static int pfm_open_maps(pid_t vpid)
{
	char path[32];
	struct file *file;
	bool real;

	snprintf(path, sizeof(path), "/proc/%d/maps", vpid);
	file = filp_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (IS_ERR(file))
		return -EPERM;
	real = pfm_is_maps_of(file, vpid);
	fput(file);
	return real ? 0 : -EPERM;
}

/* The part of the ptrace check that an exec can change, once more. */
static int pfm_same_user(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *tcred;
	struct mm_struct *mm;
	bool ok;

	rcu_read_lock();
	tcred = __task_cred(task);
	ok = uid_eq(cred->uid, tcred->euid) && uid_eq(cred->uid, tcred->suid) &&
	     uid_eq(cred->uid, tcred->uid) && gid_eq(cred->gid, tcred->egid) &&
	     gid_eq(cred->gid, tcred->sgid) && gid_eq(cred->gid, tcred->gid);
	rcu_read_unlock();
	mm = get_task_mm(task);
	ok = ok && mm && get_dumpable(mm) == SUID_DUMP_USER;
	if (mm)
		mmput(mm);
	return ok ? 0 : -EPERM;
}

/**
 * pfm_may_attach_begin() - may the caller monitor a thread?
 * @task: the thread
 *
 * On success no exec of @task can complete until pfm_may_attach_end().
 *
 * Context: process, may sleep.
 * Return: 0; -EPERM; -EINTR if killed meanwhile.
 */
int pfm_may_attach_begin(struct task_struct *task)
{
	bool trusted = same_thread_group(task, current) || perfmon_capable();
	int ret = 0;

	if (!trusted) {
		ret = pfm_open_maps(task_pid_vnr(task));
		if (ret)
			return ret;
	}
	if (down_read_killable(&task->signal->exec_update_lock))
		return -EINTR;
	if (!trusted)
		ret = pfm_same_user(task);
	if (ret)
		up_read(&task->signal->exec_update_lock);
	return ret;
}

void pfm_may_attach_end(struct task_struct *task)
{
	up_read(&task->signal->exec_update_lock);
}
