// SPDX-License-Identifier: GPL-2.0
/*
 * rate.c - limit of the overflow rate of each context (4.4.4); time stamps
 *
 * Counting down costs next to nothing in the overflow path. The clock is read
 * only when a context has used up its overflows for a tenth of a second.
 */
#include <linux/moduleparam.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include "context.h"
#include "rate.h"

DEFINE_PER_CPU(u64, pfm_last_stamp);

#define PFM_WINDOWS	10	/* per second */

unsigned int pfm_ovfl_rate_max = 500000;
module_param_named(ovfl_rate_max, pfm_ovfl_rate_max, uint, 0644);
MODULE_PARM_DESC(ovfl_rate_max,
		 "overflows per second beyond which a context is masked until PFM_RESTART; 0 for no limit (4.4.4)");

void pfm_rate_init(struct pfm_context *ctx)
{
	ctx->window = 0;
	ctx->credit = 1;
}

bool pfm_rate_is_exceeded(struct pfm_context *ctx)
{
	u32 max = READ_ONCE(pfm_ovfl_rate_max);
	u64 now = local_clock(), then = ctx->window;

	ctx->window = now;
	ctx->credit = max ? max_t(u32, max / PFM_WINDOWS, 1) : U32_MAX;
	if (!max || !then || now - then >= NSEC_PER_SEC / PFM_WINDOWS)
		return false;
	WRITE_ONCE(ctx->throttled, ctx->throttled + 1);
	return true;
}
