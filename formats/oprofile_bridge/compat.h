/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between the supported kernels (6.1 to 7.3)
 *
 * The only file of the bridge that tests the kernel version.
 */
#ifndef PFM_OP_COMPAT_H
#define PFM_OP_COMPAT_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/version.h>

/*
 * Get the file that an address space executes, or NULL. The caller must call
 * fput(). get_mm_exe_file() does the same, but is not exported to modules.
 *
 * Since commit 0ede61d8589c ("file: convert to SLAB_TYPESAFE_BY_RCU"), in 6.7,
 * get_file_rcu() takes a pointer to the pointer.
 */
static inline struct file *pfm_op_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#else
	file = get_file_rcu(&mm->exe_file);
#endif
	rcu_read_unlock();
	return file;
}

/* file_user_path() was added by commit def3ae83da02 ("fs: store real path
 * instead of fake path in backing file f_path"), in 6.7.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline const struct path *file_user_path(const struct file *file)
{
	return &file->f_path;
}
#endif

/* system_dfl_wq was added by commit 128ea9f6ccfb ("workqueue: Add
 * system_percpu_wq and system_dfl_wq"), in 6.17. It replaces system_unbound_wq.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq	system_unbound_wq
#endif

#endif /* PFM_OP_COMPAT_H */
