// SPDX-License-Identifier: GPL-2.0
/*
 * stats.c - counters of delivered and lost samples
 */
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "stats.h"

DEFINE_PER_CPU(struct pfm_op_stats, pfm_op_stats);

/* A file that shows one counter */
struct pfm_op_stat_attr {
	struct kobj_attribute	attr;
	enum pfm_op_stat	stat;
};

unsigned long pfm_op_total(enum pfm_op_stat stat)
{
	unsigned long total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu(pfm_op_stats, cpu).count[stat]);
	return total;
}

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	const struct pfm_op_stat_attr *a =
		container_of(attr, struct pfm_op_stat_attr, attr);

	return sysfs_emit(buf, "%lu\n", pfm_op_total(a->stat));
}

#define PFM_OP_STAT(name_, which)					\
	static struct pfm_op_stat_attr stat_##name_ = {			\
		.attr = __ATTR(name_, 0444, stat_show, NULL),		\
		.stat = which,						\
	}

PFM_OP_STAT(sample_received, PFM_OP_RECEIVED);
PFM_OP_STAT(sample_delivered, PFM_OP_DELIVERED);
PFM_OP_STAT(sample_lost_overflow, PFM_OP_LOST_OVERFLOW);
PFM_OP_STAT(sample_lost_no_mm, PFM_OP_LOST_NO_MM);
PFM_OP_STAT(sample_lost_no_mapping, PFM_OP_LOST_NO_MAPPING);
PFM_OP_STAT(event_lost_overflow, PFM_OP_EVENT_LOST_OVERFLOW);
PFM_OP_STAT(bt_lost_no_mapping, PFM_OP_BT_LOST_NO_MAPPING);

static struct attribute *pfm_op_stat_attrs[] = {
	&stat_sample_received.attr.attr,
	&stat_sample_delivered.attr.attr,
	&stat_sample_lost_overflow.attr.attr,
	&stat_sample_lost_no_mm.attr.attr,
	&stat_sample_lost_no_mapping.attr.attr,
	&stat_event_lost_overflow.attr.attr,
	&stat_bt_lost_no_mapping.attr.attr,
	NULL
};

static const struct attribute_group pfm_op_stat_group = {
	.name = "stats",
	.attrs = pfm_op_stat_attrs,
};

const struct attribute_group *pfm_op_groups[] = {
	&pfm_op_stat_group,
	NULL
};
