// SPDX-License-Identifier: GPL-2.0
/*
 * rate.c - limits of overflows: how many and how long in each context (4.4.4),
 *	    and those of the PMU
 *
 * Counting down costs next to nothing in the overflow path. The clock is read
 * only when a context has used up its credit, a part of the overflows that it
 * may have in a tenth of a second. These overflows are a window; its end checks
 * both limits. The handlers' time is estimated from the shortest of the
 * overflows that were timed, because the others may have been interrupted.
 */
#include <linux/math.h>
#include <linux/moduleparam.h>
#include <linux/time64.h>
#include "context.h"
#include "rate.h"

#define PFM_WINDOWS	10	/* per second, at the highest rate */
#define PFM_TIMINGS	16	/* overflows timed in a window */
#define PFM_RATE_MAX	500000
#define PFM_LONGEST	(1ULL << 27)	/* ns, a limit to what is timed */

DEFINE_PER_CPU(u64, pfm_last_stamp);

unsigned int pfm_ovfl_rate_max = PFM_RATE_MAX;
module_param_named(ovfl_rate_max, pfm_ovfl_rate_max, uint, 0644);
MODULE_PARM_DESC(ovfl_rate_max,
		 "overflows per second beyond which a context is masked until PFM_RESTART; 0 for no limit (4.4.4)");

unsigned int pfm_ovfl_cpu_max = 25;
module_param_named(ovfl_cpu_max, pfm_ovfl_cpu_max, uint, 0644);
MODULE_PARM_DESC(ovfl_cpu_max,
		 "percentage of CPU time in overflow handlers beyond which a context is masked until PFM_RESTART; 0 for no limit (4.4.4)");

void pfm_rate_init(struct pfm_context *ctx)
{
	ctx->rate = (struct pfm_rate){};
	ctx->credit = 1;
}

static void pfm_begin_window(struct pfm_context *ctx, u64 now)
{
	u32 max = READ_ONCE(pfm_ovfl_rate_max) ?: PFM_RATE_MAX;
	u32 overflows = max_t(u32, max / PFM_WINDOWS, 1);

	ctx->rate.began = now;
	ctx->rate.overflows = overflows;
	ctx->rate.left = overflows;
	ctx->rate.shortest = U64_MAX;
	ctx->credit = DIV_ROUND_UP(overflows, PFM_TIMINGS);
}

/* Was a window that took @time too short, or filled with handlers? */
static bool pfm_is_too_much(const struct pfm_rate *rate, u64 time)
{
	u64 percent = min(READ_ONCE(pfm_ovfl_cpu_max), 100U);

	if (READ_ONCE(pfm_ovfl_rate_max) && time < NSEC_PER_SEC / PFM_WINDOWS)
		return true;
	/* The limit keeps the product below 2^64. */
	return percent && min(rate->shortest, PFM_LONGEST) * 100 *
				  rate->overflows > time * percent;
}

bool pfm_rate_is_exceeded(struct pfm_context *ctx, u64 took)
{
	struct pfm_rate *rate = &ctx->rate;
	u32 used = DIV_ROUND_UP(rate->overflows, PFM_TIMINGS);
	u64 now = local_clock();
	bool exceeded;

	rate->shortest = min(rate->shortest, took);
	if (rate->left > used) {
		rate->left -= used;
		ctx->credit = min(used, rate->left);
		return false;
	}
	exceeded = rate->began && pfm_is_too_much(rate, now - rate->began);
	pfm_begin_window(ctx, now);
	if (exceeded)
		WRITE_ONCE(ctx->throttled, ctx->throttled + 1);
	return exceeded;
}

/* Overflows of several counters may interrupt each other here. */
void pfm_counter_throttled(struct pfm_pmu_reg *reg)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);

	atomic64_inc(&pmd->ctx->pmu_throttled);
}
EXPORT_SYMBOL_GPL(pfm_counter_throttled);
