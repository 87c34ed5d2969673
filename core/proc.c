// SPDX-License-Identifier: GPL-2.0
/*
 * proc.c - a private mount of /proc
 *
 * The kernel exports no functions for some of the checks that perfmon needs,
 * but opening certain files in /proc makes these checks. The caller's /proc
 * cannot be trusted, since users can mount over it in their own mount
 * namespaces. The private mount is in no namespace.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/mount.h>
#include <linux/proc_fs.h>
#include "proc.h"

static struct vfsmount *pfm_proc;

int pfm_proc_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	if (!type)
		return -ENODEV;
	pfm_proc = kern_mount(type);
	return PTR_ERR_OR_ZERO(pfm_proc);
}

void pfm_proc_exit(void)
{
	kern_unmount(pfm_proc);
}

struct pid_namespace *pfm_proc_ns(void)
{
	return proc_pid_ns(pfm_proc->mnt_sb);
}

static struct file *pfm_proc_open(const char *name)
{
	struct file *place = file_open_root_mnt(pfm_proc, name, O_PATH, 0);
	struct file *file;

	if (IS_ERR(place))
		return place;
	file = dentry_open(&place->f_path, O_RDONLY, current_cred());
	fput(place);
	return file;
}

int pfm_proc_may_open(const char *name)
{
	struct file *file = pfm_proc_open(name);

	if (IS_ERR(file))
		return PTR_ERR(file);
	fput(file);
	return 0;
}

int pfm_proc_read_int(const char *name, int *value)
{
	struct file *file = pfm_proc_open(name);
	char text[16];
	loff_t pos = 0;
	ssize_t size;

	if (IS_ERR(file))
		return PTR_ERR(file);
	size = kernel_read(file, text, sizeof(text) - 1, &pos);
	fput(file);
	if (size < 0)
		return size;
	text[size] = '\0';
	return kstrtoint(text, 10, value) ? -EINVAL : 0;
}
