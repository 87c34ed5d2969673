// SPDX-License-Identifier: GPL-2.0
/*
 * rate.c - limits on the number and duration of overflows (4.4.4), and the
 *	    number of times that the PMU has throttled a counter
 *
 * Overflows are counted and timed in windows, at whose end both limits are
 * checked. A window ends after as many overflows as occur in a tenth of a
 * second at the highest permitted rate (rounded down, but at least one), or
 * after a second, if at least PFM_ENOUGH overflows were timed. The time that
 * all handlers took in the window is estimated from the shortest timed
 * overflow, because the others may have been interrupted.
 *
 * To save time in the overflow path, most overflows only count down a credit,
 * pfm_context.credit. The overflow that uses it up is timed, from its time
 * stamp on, and gets a new credit for the context. So the time is that of the
 * handler. The interrupt and perf's part come before perfmon could read a
 * clock; perf limits the time that they take (interface.md).
 *
 * Usually each context has its own windows. In a family, however, threads that
 * live only briefly would never complete one. So the threads of a family that
 * samples share one window on each CPU, in that CPU's buffer (struct pfm_part).
 * The handler of the family, as the buffer's owner, counts down
 * pfm_part.credit. When that credit is used up, the handler sets the credit of
 * the thread's context to 1, so that the context's credit ends with the current
 * overflow.
 */
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include "context.h"
#include "rate.h"
#include "share.h"

#define PFM_WINDOWS	10	/* per second, at the highest rate */
#define PFM_TIMINGS	16U	/* overflows timed in a window, at least */
#define PFM_ENOUGH	8	/* timings that allow an estimate */
#define PFM_CREDIT	256U	/* overflows between two timings, at most */
#define PFM_RATE_MAX	500000
#define PFM_LONGEST	(1ULL << 27)	/* ns; longer overflows count as this */

unsigned int pfm_ovfl_rate_max = PFM_RATE_MAX;
module_param_named(ovfl_rate_max, pfm_ovfl_rate_max, uint, 0644);
MODULE_PARM_DESC(ovfl_rate_max,
		 "overflows per second beyond which a context is masked until PFM_RESTART; 0 for no limit (4.4.4)");

unsigned int pfm_ovfl_cpu_max = 25;
module_param_named(ovfl_cpu_max, pfm_ovfl_cpu_max, uint, 0644);
MODULE_PARM_DESC(ovfl_cpu_max,
		 "percentage of CPU time in formats' handlers beyond which a context is masked until PFM_RESTART; 0 for no limit (4.4.4)");

void pfm_rate_init(struct pfm_context *ctx)
{
	ctx->rate = (struct pfm_rate){};
	ctx->credit = ctx->share ? U32_MAX : 1;
}

/*
 * Get the buffer whose window counts this context's overflows on this CPU; NULL
 * if the context has its own windows.
 */
static struct pfm_part *pfm_limiting_part(const struct pfm_context *ctx)
{
	return ctx->share ? ctx->share->parts[raw_smp_processor_id()] : NULL;
}

static bool pfm_is_limited(const struct pfm_context *ctx)
{
	const struct pfm_part *part = pfm_limiting_part(ctx);

	return part && part->limited;
}

static struct pfm_rate *pfm_rate_of(struct pfm_context *ctx)
{
	struct pfm_part *part = pfm_limiting_part(ctx);

	return part ? &part->rate : &ctx->rate;
}

static void pfm_set_credit(struct pfm_context *ctx, u32 credit)
{
	struct pfm_part *part = pfm_limiting_part(ctx);

	if (part)
		part->credit = credit;
	ctx->credit = part ? U32_MAX : credit;
}

/* Get the number of overflows after which a window ends. */
static u32 pfm_window_size(const struct pfm_rate *rate)
{
	return max((rate->max ?: PFM_RATE_MAX) / PFM_WINDOWS, 1U);
}

/* Get the number of overflows until the next timing in a window. */
static u32 pfm_credit(const struct pfm_rate *rate)
{
	return clamp(pfm_window_size(rate) / PFM_TIMINGS, 1U, PFM_CREDIT);
}

static void pfm_begin_window(struct pfm_context *ctx, u64 now)
{
	struct pfm_rate *rate = pfm_rate_of(ctx);

	*rate = (struct pfm_rate){
		.began = now,
		.shortest = U64_MAX,
		.max = READ_ONCE(pfm_ovfl_rate_max),
	};
	rate->left = pfm_window_size(rate);
	pfm_set_credit(ctx, pfm_credit(rate));
}

/* Did handlers take too large a share of a window that lasted @time? */
static bool pfm_is_too_long(const struct pfm_rate *rate, u64 time)
{
	u64 percent = min(READ_ONCE(pfm_ovfl_cpu_max), 100U);
	u64 handlers = min(rate->shortest, PFM_LONGEST) *
		       (pfm_window_size(rate) - rate->left);

	/* PFM_LONGEST keeps the products below 2^64. */
	return percent && rate->timed >= PFM_ENOUGH &&
	       handlers * 100 > time * percent;
}

/* Did a complete window last only @time, too short for its overflows? */
static bool pfm_is_too_fast(const struct pfm_rate *rate, u64 time)
{
	return rate->max && !rate->left &&
	       time < pfm_window_size(rate) * NSEC_PER_SEC / rate->max;
}

static bool pfm_is_too_much(const struct pfm_rate *rate, u64 time)
{
	return rate->began && (pfm_is_too_fast(rate, time) ||
			       pfm_is_too_long(rate, time));
}

/*
 * Record the time that an overflow took. Subtract the overflows since the
 * previous timed one from those left in the window.
 */
static void pfm_rate_time(struct pfm_rate *rate, u64 took)
{
	rate->shortest = min(rate->shortest, took);
	rate->timed++;
	rate->left -= min(rate->left, pfm_credit(rate));
}

bool pfm_rate_renew(struct pfm_context *ctx, u64 took)
{
	struct pfm_rate rate = *pfm_rate_of(ctx);

	if (pfm_is_limited(ctx))
		return false;
	pfm_rate_time(&rate, took);
	if (!rate.left || (rate.timed >= PFM_ENOUGH &&
			   local_clock() - rate.began >= NSEC_PER_SEC))
		return false;
	*pfm_rate_of(ctx) = rate;
	pfm_set_credit(ctx, min(rate.left, pfm_credit(&rate)));
	return true;
}

/*
 * Count an exceeded limit. In a family, also use up the credit that its threads
 * share on this CPU. Each thread is then masked at its next overflow here, and
 * stays so until PFM_RESTART.
 */
static void pfm_limit(struct pfm_context *ctx)
{
	struct pfm_part *part = pfm_limiting_part(ctx);

	WRITE_ONCE(ctx->throttled, ctx->throttled + 1);
	if (!part)
		return;
	part->full = true;
	part->untold = true;
	part->limited = true;
	part->credit = 0;
}

bool pfm_rate_account(struct pfm_context *ctx, u64 took)
{
	struct pfm_rate *rate = pfm_rate_of(ctx);
	u64 now = local_clock();
	bool exceeded;

	if (pfm_is_limited(ctx)) {
		pfm_set_credit(ctx, 0);
		return true;
	}
	if (pfm_rate_renew(ctx, took))
		return false;
	pfm_rate_time(rate, took);
	exceeded = pfm_is_too_much(rate, now - rate->began);
	pfm_begin_window(ctx, now);
	if (exceeded)
		pfm_limit(ctx);
	return exceeded;
}

/* Count atomically: overflows of other counters may interrupt this function. */
void pfm_counter_throttled(struct pfm_pmu_reg *reg)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);

	atomic64_inc(&pmd->ctx->pmu_throttled);
}
EXPORT_SYMBOL_GPL(pfm_counter_throttled);
