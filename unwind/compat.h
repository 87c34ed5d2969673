/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between the supported kernels (6.1 to 7.3)
 */
#ifndef PFM_UNWIND_COMPAT_H
#define PFM_UNWIND_COMPAT_H

#include <linux/fs.h>
#include <linux/version.h>

/* inode_get_mtime() exists since commit 077c212f0344 ("fs: new accessor methods
 * for atime and mtime"), in 6.7.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline struct timespec64 inode_get_mtime(const struct inode *inode)
{
	return inode->i_mtime;
}
#endif

#endif /* PFM_UNWIND_COMPAT_H */
