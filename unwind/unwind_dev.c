// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_dev.c - the device /dev/perfmon_unwind, with which tools create sets
 *		  of unwind tables; init and exit of the module
 */
#include <linux/elf-em.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_unwind.h>
#include <perfmon/perfmon_pmu.h>
#include "unwind_live.h"
#include "unwind_set.h"

/*
 * Maximum size in bytes of all copies of mappings in a set, enough for about
 * 150 processes
 */
#define ROOM	(256 << 10)

#define MACHINE	(IS_ENABLED(CONFIG_ARM64) ? EM_AARCH64 : EM_X86_64)

static int unwind_open(struct inode *inode, struct file *file)
{
	struct pfm_unwind_set *set = pfm_unwind_set_create(ROOM);

	if (!set)
		return -ENOMEM;
	file->private_data = set;
	return 0;
}

static int unwind_release(struct inode *inode, struct file *file)
{
	pfm_unwind_set_put(file->private_data);
	return 0;
}

/*
 * Get the identity of the file to which a descriptor refers; for
 * PFM_UNWIND_VDSO it is all zero. Return: 0; -EBADF if the descriptor is not
 * open; -EINVAL if its file is not a regular one, or is not open for reading.
 */
static int key_of_fd(int fd, struct pfm_unwind_key *key)
{
	struct file *file;
	int ret = -EINVAL;

	*key = (struct pfm_unwind_key) {};
	if (fd == PFM_UNWIND_VDSO)
		return 0;
	file = fget(fd);
	if (!file)
		return -EBADF;
	if (file->f_mode & FMODE_READ && S_ISREG(file_inode(file)->i_mode)) {
		*key = pfm_unwind_key_of(file);
		ret = 0;
	}
	fput(file);
	return ret;
}

/*
 * Copy a table from user space, and add it to the set. The caller has already
 * charged for it.
 */
static long copy_table(struct pfm_unwind_set *set,
		       const struct pfm_unwind_key *key,
		       const struct pfm_unwind_add *add)
{
	void *bytes = kvmalloc(add->size, PFM_GFP);
	long ret = -EFAULT;

	if (!bytes)
		return -ENOMEM;
	if (!copy_from_user(bytes, u64_to_user_ptr(add->table), add->size))
		ret = pfm_unwind_set_add(set, key, bytes, add->size, MACHINE);
	if (ret)
		kvfree(bytes);
	return ret;
}

static long add_table(struct pfm_unwind_set *set,
		      const struct pfm_unwind_add *add)
{
	struct pfm_unwind_key key;
	long ret = key_of_fd(add->fd, &key);

	if (ret)
		return ret;
	if (add->size < sizeof(struct pfm_unwind_head) ||
	    add->size > PFM_UNWIND_MAX_SIZE)
		return -EINVAL;
	if (!pfm_unwind_set_charge(set, add->size))
		return -ENOMEM;
	ret = copy_table(set, &key, add);
	if (ret)
		pfm_unwind_set_uncharge(set, add->size);
	return ret;
}

static long copy_by_number(struct pfm_unwind_set *set, pid_t number)
{
	struct pid *pid = find_get_pid(number);
	long ret = pid ? pfm_unwind_set_copy_of(set, pid) : -ESRCH;

	put_pid(pid);
	return ret;
}

static long unwind_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	union {
		struct pfm_unwind_add add;
		s32 pid;
	} in;

	if (cmd != PFM_UNWIND_ADD && cmd != PFM_UNWIND_COPY)
		return -ENOTTY;
	if (copy_from_user(&in, (void __user *)arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	/*
	 * Check the permission again: udev may have changed the device's mode
	 * since open().
	 */
	if (file_permission(file, MAY_READ) ||
	    !pfm_unwind_set_is_own(file->private_data))
		return -EPERM;
	return cmd == PFM_UNWIND_ADD ?
		add_table(file->private_data, &in.add) :
		copy_by_number(file->private_data, in.pid);
}

static const struct file_operations unwind_fops = {
	.owner		= THIS_MODULE,
	.open		= unwind_open,
	.release	= unwind_release,
	.unlocked_ioctl	= unwind_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

struct pfm_unwind_set *pfm_unwind_set_of_fd(int fd)
{
	struct pfm_unwind_set *set;
	struct file *file;

	if (!fd)
		return NULL;
	file = fget(fd);
	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op == &unwind_fops) {
		set = file->private_data;
		pfm_unwind_set_get(set);
	} else {
		set = ERR_PTR(-EINVAL);
	}
	fput(file);
	return set;
}
EXPORT_SYMBOL_GPL(pfm_unwind_set_of_fd);

static struct miscdevice unwind_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "perfmon_unwind",
	.fops	= &unwind_fops,
	.mode	= 0666,
};

static int __init pfm_unwind_init(void)
{
	int ret = pfm_unwind_lives_init();

	if (ret)
		return ret;
	ret = misc_register(&unwind_dev);
	if (ret)
		pfm_unwind_lives_exit();
	return ret;
}

static void __exit pfm_unwind_exit(void)
{
	misc_deregister(&unwind_dev);
	pfm_unwind_lives_exit();
	/* A task work may have unpinned the module, but not yet returned. */
	synchronize_rcu_tasks();
	/* Wait for RCU call-backs of this module, which free copies. */
	rcu_barrier();
}

module_init(pfm_unwind_init);
module_exit(pfm_unwind_exit);
MODULE_DESCRIPTION("perfmon2: user stacks by unwind tables");
MODULE_VERSION(PFM_PROJECT_VERSION);
MODULE_LICENSE("GPL v2");
