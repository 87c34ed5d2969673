// SPDX-License-Identifier: GPL-2.0
/*
 * device.c - /dev/perfmon-oprofile: read the stream, and look up its cookies
 *
 * Only one process can open the device at a time; struct pfm_op_reader exists
 * while it is open. A read() that finds no data runs a sync (reader.h) before
 * it blocks or fails. So a tool that opens the device with O_NONBLOCK, and
 * reads until it gets EAGAIN, has all samples of stopped contexts.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/path.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "reader.h"

/* Module parameters; they apply when the device is next opened. */
struct op_param {
	unsigned int	value;
	unsigned int	min;
	unsigned int	max;
};

static int op_param_set(const char *text, const struct kernel_param *kp)
{
	struct op_param *p = kp->arg;
	unsigned int value;
	int ret = kstrtouint(text, 0, &value);

	if (ret)
		return ret;
	if (value < p->min || value > p->max)
		return -EINVAL;
	WRITE_ONCE(p->value, value);
	return 0;
}

static int op_param_get(char *text, const struct kernel_param *kp)
{
	const struct op_param *p = kp->arg;

	return sysfs_emit(text, "%u\n", READ_ONCE(p->value));
}

static const struct kernel_param_ops op_param_ops = {
	.set = op_param_set,
	.get = op_param_get,
};

static struct op_param op_samples = { 8192, 16, 1 << 20 };
module_param_cb(cpu_buffer_size, &op_param_ops, &op_samples, 0644);
MODULE_PARM_DESC(cpu_buffer_size, "samples per CPU buffer");

static struct op_param op_words = { 131072, 64, 1 << 24 };
module_param_cb(event_buffer_size, &op_param_ops, &op_words, 0644);
MODULE_PARM_DESC(event_buffer_size, "words in the event buffer");

static struct op_param op_depth = { 0, 0, PFM_OP_MAX_DEPTH };
module_param_cb(trace_depth, &op_param_ops, &op_depth, 0644);
MODULE_PARM_DESC(trace_depth, "user-space callers to record");

static int op_open(struct inode *inode, struct file *file)
{
	const struct pfm_op_sizes sizes = {
		.samples = READ_ONCE(op_samples.value),
		.words = READ_ONCE(op_words.value),
		.depth = READ_ONCE(op_depth.value),
	};
	struct pfm_op_reader *rd = pfm_op_reader_open(&sizes);

	if (IS_ERR(rd))
		return PTR_ERR(rd);
	file->private_data = rd;
	return nonseekable_open(inode, file);
}

static int op_release(struct inode *inode, struct file *file)
{
	pfm_op_reader_close(file->private_data);
	return 0;
}

/* Is there data to read? If not, run a sync and look again. */
static bool op_has_words(struct pfm_op_reader *rd)
{
	if (!pfm_op_stream_has_words(&rd->stream))
		pfm_op_sync(rd);
	return pfm_op_stream_has_words(&rd->stream);
}

static int op_wait(struct pfm_op_reader *rd, bool nonblock)
{
	if (op_has_words(rd))
		return 0;
	if (nonblock)
		return -EAGAIN;
	return wait_event_interruptible(rd->wait,
					pfm_op_stream_has_words(&rd->stream));
}

static ssize_t op_read(struct file *file, char __user *buf, size_t count,
		       loff_t *pos)
{
	struct pfm_op_reader *rd = file->private_data;
	ssize_t ret;

	if (count < sizeof(unsigned long))
		return -EINVAL;
	do {
		ret = op_wait(rd, file->f_flags & O_NONBLOCK);
		if (ret)
			return ret;
		mutex_lock(&rd->read_lock);
		ret = pfm_op_stream_read(&rd->stream, buf, count);
		mutex_unlock(&rd->read_lock);
		/* Another thread may have read the words. */
	} while (!ret);
	return ret;
}

static __poll_t op_poll(struct file *file, poll_table *table)
{
	struct pfm_op_reader *rd = file->private_data;

	poll_wait(file, &rd->wait, table);
	return op_has_words(rd) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Copy a file's path to user space, and drop the reference to @path. */
static long op_put_path(const struct pfm_oprofile_cookie *req,
			struct pfm_oprofile_cookie __user *arg,
			struct path *path)
{
	char *page = kmalloc(PATH_MAX, GFP_KERNEL), *name;
	long ret = -ENOMEM;
	u32 length;

	if (!page)
		goto out;
	name = d_path(path, page, PATH_MAX);
	ret = PTR_ERR_OR_ZERO(name);
	if (ret)
		goto out;
	length = strlen(name) + 1;
	if (length > req->size)
		ret = -ERANGE;
	else if (copy_to_user(u64_to_user_ptr(req->path), name, length))
		ret = -EFAULT;
	if (ret != -EFAULT && put_user(length, &arg->length))
		ret = -EFAULT;
out:
	kfree(page);
	path_put(path);
	return ret;
}

static long op_ioctl(struct file *file, unsigned int cmd, unsigned long addr)
{
	struct pfm_oprofile_cookie __user *arg = (void __user *)addr;
	struct pfm_op_reader *rd = file->private_data;
	struct pfm_oprofile_cookie req;
	struct path path;
	int ret;

	if (cmd != PFM_OPROFILE_IOC_COOKIE)
		return -ENOTTY;
	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	ret = pfm_op_cookie_path(&rd->cookies, req.cookie, &path);
	return ret ? ret : op_put_path(&req, arg, &path);
}

static const struct file_operations op_fops = {
	.owner		= THIS_MODULE,
	.open		= op_open,
	.release	= op_release,
	.read		= op_read,
	.poll		= op_poll,
	.unlocked_ioctl	= op_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice op_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= PFM_OPROFILE_DEVICE,
	.fops	= &op_fops,
	.mode	= 0600,
};

int pfm_op_device_add(void)
{
	return misc_register(&op_misc);
}

void pfm_op_device_del(void)
{
	misc_deregister(&op_misc);
}
