// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_nmi - a perf PMU whose overflows are NMIs, for tests
 *
 * Events of the type that /sys/bus/event_source/devices/pfm_nmi/type contains
 * count NMIs. rig.h describes their config. The debugfs directory pfm_nmi
 * contains these files:
 *
 * fire	"CPU N": send N NMIs, one after the other, to this CPU, or to the
 *	writing thread if CPU is -1; wait until all were received
 * rate	number of NMIs to send per second to each CPU with an active counter;
 *	0 for none
 * late	1: a wrap at one NMI is reported at the next one
 * mute	1: a wrap begins the next period without being reported
 * shortest
 *	the shortest period that is not refused; 0: no limit
 * addr, latency, weight2, weight3, source, transaction
 *	values in the first sample of a precise event
 * branches, branch_from, branch_to, branch_flags
 *	number of branches in each sample, and values of the newest branch in
 *	the first sample; if branches is 0, events that ask for branches are
 *	refused
 * branch_type
 *	branch_sample_type of the last sample with branches
 * stats	statistics of all CPUs
 *
 * Each of rate, late, mute and shortest returns to 0 when the file is closed.
 * So a setting ends with the test that made it, even if the test fails.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "rig.h"

static struct dentry *rig_dir;

static ssize_t rig_fire_write(struct file *file, const char __user *text,
			      size_t size, loff_t *pos)
{
	char line[64] = "";
	u64 n;
	int cpu, ret;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	if (sscanf(line, "%d %llu", &cpu, &n) != 2)
		return -EINVAL;
	ret = rig_fire(cpu, n);
	return ret ?: size;
}

static const struct file_operations rig_fire_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= rig_fire_write,
};

static void rig_set_late(u64 value)
{
	WRITE_ONCE(rig_late, value);
}

static void rig_set_mute(u64 value)
{
	WRITE_ONCE(rig_mute, value);
}

static void rig_set_shortest(u64 value)
{
	WRITE_ONCE(rig_shortest, value);
}

/*
 * In the files that use rig_setting_fops, file->private_data is the function
 * that sets the value.
 */

static ssize_t rig_setting_write(struct file *file, const char __user *text,
				 size_t size, loff_t *pos)
{
	void (*set)(u64 value) = file->private_data;
	u64 value;
	int ret = kstrtou64_from_user(text, size, 0, &value);

	if (ret)
		return ret;
	set(value);
	return size;
}

static int rig_setting_release(struct inode *inode, struct file *file)
{
	void (*set)(u64 value) = file->private_data;

	set(0);
	return 0;
}

static const struct file_operations rig_setting_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= rig_setting_write,
	.release	= rig_setting_release,
};

static void rig_create_setting(const char *name, void (*set)(u64 value))
{
	debugfs_create_file(name, 0200, rig_dir, set, &rig_setting_fops);
}

static int rig_stats_show(struct seq_file *file, void *unused)
{
	struct rig_stats sum = {};
	u64 sent = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct rig_stats *s = &per_cpu(rig_cpus, cpu).stats;

		sent += atomic64_read(&s->sent);
		sum.received += READ_ONCE(s->received);
		sum.irqs_off += READ_ONCE(s->irqs_off);
		sum.kernel += READ_ONCE(s->kernel);
		sum.idle += READ_ONCE(s->idle);
		sum.wrapped += READ_ONCE(s->wrapped);
		sum.reported += READ_ONCE(s->reported);
		sum.throttled += READ_ONCE(s->throttled);
	}
	seq_printf(file, "sent: %llu\nreceived: %llu\nirqs_off: %llu\n", sent,
		   sum.received, sum.irqs_off);
	seq_printf(file, "kernel: %llu\nidle: %llu\nwrapped: %llu\n",
		   sum.kernel, sum.idle, sum.wrapped);
	seq_printf(file, "reported: %llu\nthrottled: %llu\n", sum.reported,
		   sum.throttled);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(rig_stats);

static void rig_create_files(void)
{
	rig_dir = debugfs_create_dir("pfm_nmi", NULL);
	debugfs_create_file("fire", 0200, rig_dir, NULL, &rig_fire_fops);
	debugfs_create_file("stats", 0400, rig_dir, NULL, &rig_stats_fops);
	rig_create_setting("rate", rig_set_rate);
	rig_create_setting("late", rig_set_late);
	rig_create_setting("mute", rig_set_mute);
	rig_create_setting("shortest", rig_set_shortest);
	debugfs_create_u64("addr", 0600, rig_dir, &rig_record.addr);
	debugfs_create_u64("latency", 0600, rig_dir, &rig_record.latency);
	debugfs_create_u64("weight2", 0600, rig_dir, &rig_record.weight2);
	debugfs_create_u64("weight3", 0600, rig_dir, &rig_record.weight3);
	debugfs_create_x64("source", 0600, rig_dir, &rig_record.source);
	debugfs_create_x64("transaction", 0600, rig_dir,
			   &rig_record.transaction);
	debugfs_create_u64("branches", 0600, rig_dir, &rig_record.branches);
	debugfs_create_x64("branch_from", 0600, rig_dir,
			   &rig_record.branch_from);
	debugfs_create_x64("branch_to", 0600, rig_dir, &rig_record.branch_to);
	debugfs_create_x64("branch_flags", 0600, rig_dir,
			   &rig_record.branch_flags);
	debugfs_create_u64("branch_type", 0400, rig_dir,
			   &rig_record.branch_type);
}

static int __init rig_init(void)
{
	int ret = rig_counters_init();

	if (ret)
		return ret;
	ret = rig_fire_init();
	if (ret)
		rig_counters_exit();
	else
		rig_create_files();
	return ret;
}

static void __exit rig_exit(void)
{
	debugfs_remove(rig_dir);
	rig_fire_exit();
	rig_counters_exit();
}

module_init(rig_init);
module_exit(rig_exit);
MODULE_DESCRIPTION("perfmon2: test, a perf PMU whose overflows are NMIs");
MODULE_LICENSE("GPL v2");
