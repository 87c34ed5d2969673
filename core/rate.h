/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate.h - limit of the overflow rate of each context; time stamps
 */
#ifndef PFM_CORE_RATE_H
#define PFM_CORE_RATE_H

#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/types.h>

struct pfm_context;

/* Maximum number of overflows per second; 0 for no limit */
extern unsigned int pfm_ovfl_rate_max;

/* Start a new window. Context: process, no overflow in progress. */
void pfm_rate_init(struct pfm_context *ctx);

/*
 * The credit is used up: renew it. Context: the owner of the overflow path.
 * Return: true if it was used up too fast.
 */
bool pfm_rate_is_exceeded(struct pfm_context *ctx);

/* The last time stamp of an overflow on this CPU */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/*
 * Take a time stamp that is unique on this CPU (3.5.14), of the clock of perf's
 * samples, which may stand still. There are no concurrent callers: only one
 * context at a time has overflows on a CPU (attach.c), and the caller owns it.
 */
static __always_inline u64 pfm_stamp(void)
{
	u64 now = local_clock();
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);

	*last = max(now, *last + 1);
	return *last;
}

#endif /* PFM_CORE_RATE_H */
