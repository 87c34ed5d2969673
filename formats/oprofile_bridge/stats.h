/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h - what became of the samples; shown in stats/ of the format's folder
 *
 * Once all is synced, RECEIVED is the sum of DELIVERED and the lost ones,
 * BT_LOST_NO_MAPPING apart: that counts traces which were cut short.
 */
#ifndef PFM_OP_STATS_H
#define PFM_OP_STATS_H

#include <linux/percpu.h>

struct attribute_group;

enum pfm_op_stat {
	PFM_OP_RECEIVED,		/* overflows */
	PFM_OP_DELIVERED,		/* put into the event buffer */
	PFM_OP_LOST_OVERFLOW,		/* no reader, or per-CPU buffer full */
	PFM_OP_LOST_NO_MM,		/* at user level without user level */
	PFM_OP_LOST_NO_MAPPING,		/* nothing is mapped there */
	PFM_OP_EVENT_LOST_OVERFLOW,	/* event buffer full */
	PFM_OP_BT_LOST_NO_MAPPING,
	PFM_OP_NUM_STATS
};

struct pfm_op_stats {
	unsigned long	count[PFM_OP_NUM_STATS];
};

DECLARE_PER_CPU(struct pfm_op_stats, pfm_op_stats);

extern const struct attribute_group *pfm_op_groups[];

/* Context: any, NMI included. */
static __always_inline void pfm_op_count(enum pfm_op_stat stat)
{
	this_cpu_inc(pfm_op_stats.count[stat]);
}

/* Return: the sum of all CPUs since the module was loaded. */
unsigned long pfm_op_total(enum pfm_op_stat stat);

#endif /* PFM_OP_STATS_H */
