/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate.h - limits of each context's overflows; time stamps
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

/* Maximum percentage of CPU time in overflow handlers; 0 for no limit */
extern unsigned int pfm_ovfl_cpu_max;

/* Start a new window. Context: process, no overflow in progress. */
void pfm_rate_init(struct pfm_context *ctx);

/*
 * The credit is used up: renew it. @took: time in ns since the overflow's time
 * stamp, 0 if it is not timed. Context: the caller owns the context. Return:
 * true if a window has ended, and there were too many overflows, or they took
 * too long.
 */
bool pfm_rate_is_exceeded(struct pfm_context *ctx, u64 took);

/* The last time stamp of an overflow on this CPU */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/*
 * Take a time stamp that is unique on this CPU (3.5.14) from the clock of
 * perf's samples, which may stand still. There are no concurrent callers: only
 * one context at a time has overflows on a CPU (attach.c), and the caller owns
 * it.
 */
static __always_inline u64 pfm_stamp(void)
{
	u64 now = local_clock();
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);

	*last = max(now, *last + 1);
	return *last;
}

/* Time since the last stamp; 0 if the clock stands still. */
static inline u64 pfm_since_stamp(void)
{
	return max_t(s64, local_clock() - raw_cpu_read(pfm_last_stamp), 0);
}

#endif /* PFM_CORE_RATE_H */
