/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h - counters of delivered and lost samples, in stats/ of the
 *	     format's sysfs directory
 *
 * After a sync, RECEIVED is the sum of DELIVERED and the LOST counters.
 * BT_LOST_NO_MAPPING is not included: it counts traces that were cut short.
 */
#ifndef PFM_OP_STATS_H
#define PFM_OP_STATS_H

#include <linux/percpu.h>

struct attribute_group;

enum pfm_op_stat {
	PFM_OP_RECEIVED,		/* overflows */
	PFM_OP_DELIVERED,		/* put into the event buffer */
	PFM_OP_LOST_OVERFLOW,		/* no reader, or per-CPU buffer full */
	PFM_OP_LOST_NO_MM,		/* user-space sample without an mm */
	PFM_OP_LOST_NO_MAPPING,		/* address not mapped */
	PFM_OP_EVENT_LOST_OVERFLOW,	/* event buffer full */
	PFM_OP_BT_LOST_NO_MAPPING,
	PFM_OP_NUM_STATS
};

struct pfm_op_stats {
	unsigned long	count[PFM_OP_NUM_STATS];
};

DECLARE_PER_CPU(struct pfm_op_stats, pfm_op_stats);

extern const struct attribute_group *pfm_op_groups[];

/* Increment a counter. Context: any, NMI included. */
static __always_inline void pfm_op_count(enum pfm_op_stat stat)
{
	this_cpu_inc(pfm_op_stats.count[stat]);
}

/* Sum a counter over all CPUs, since the module was loaded. */
unsigned long pfm_op_total(enum pfm_op_stat stat);

#endif /* PFM_OP_STATS_H */
