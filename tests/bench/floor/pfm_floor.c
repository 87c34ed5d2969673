// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_floor - the minimum cost of sampling in a module
 *
 * Writing "TYPE CONFIG PERIOD" to /dev/pfm_floor opens a perf event for the
 * calling thread. The event's overflow handler does nothing. Closing the
 * descriptor closes the event. Only the benchmark uses this module.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>

static void floor_overflow(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
}

static int floor_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return 0;
}

static ssize_t floor_write(struct file *file, const char __user *user,
			   size_t size, loff_t *pos)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.exclude_hv = 1,
	};
	struct perf_event *event;
	char line[64];

	if (file->private_data || !size || size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, user, size))
		return -EFAULT;
	line[size] = 0;
	if (sscanf(line, "%u %llu %llu", &attr.type, &attr.config,
		   &attr.sample_period) != 3)
		return -EINVAL;
	event = perf_event_create_kernel_counter(&attr, -1, current,
						 floor_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	file->private_data = event;
	return size;
}

static int floor_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		perf_event_release_kernel(file->private_data);
	return 0;
}

static const struct file_operations floor_fops = {
	.owner		= THIS_MODULE,
	.open		= floor_open,
	.write		= floor_write,
	.release	= floor_release,
};

static struct miscdevice floor_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "pfm_floor",
	.fops	= &floor_fops,
	.mode	= 0600,
};

module_misc_device(floor_dev);
MODULE_DESCRIPTION("perfmon2: benchmark, an empty overflow handler");
MODULE_LICENSE("GPL v2");
