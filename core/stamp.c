// SPDX-License-Identifier: GPL-2.0
/*
 * stamp.c - time stamps of overflows: in ns (3.5.14), or raw
 *
 * A raw time stamp is the value of the counter from which the kernel calculates
 * its clock, plus pfm_raw.base. The tool that reads the samples converts it to
 * ns, with a pfm_time_conv_t. This consists of the kernel's factor, which is
 * known (time_mult and time_shift), and the clock's time when the counter was 0
 * (time_zero, or zero for short), which must be measured. One conversion is
 * valid for the life of a context. If a suspend has advanced the clock and the
 * counter differently, pfm_raw.base makes up for the difference
 * (pfm_stamps_resume()).
 *
 * If the kernel never stops using the counter (PFM_COUNTER_IS_STEADY), time
 * stamps in ns are also calculated from it, once two measurements of the zero
 * agree. The zero is measured again at intervals, because the kernel rounds its
 * clock down by up to 1 ns about once an hour.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "context.h"
#include "stamp.h"

#define PFM_TRIES	32
/* ns by which two measurements of the same zero may differ */
#define PFM_ZERO_ERROR	1000
/* Delay of the first check, and interval of the others, in jiffies */
#define PFM_SOON	HZ
#define PFM_INTERVAL	(3600 * HZ)

DEFINE_PER_CPU(u64, pfm_last_stamp);
struct pfm_clock pfm_clock __read_mostly;

/*
 * pfm_raw_first: the measurement with which later ones are compared: that of
 * the last successful check, or else the first one since the module was loaded
 * or the kernel refined the counter's rate. pfm_raw_base: pfm_raw.base of all
 * contexts in pfm_raw_contexts, and of new ones.
 */
static pfm_time_conv_t pfm_raw_first;
static u64 pfm_raw_base;
static LIST_HEAD(pfm_raw_contexts);
static DEFINE_MUTEX(pfm_raw_lock);

u64 pfm_stamp_unowned(struct pfm_context *ctx)
{
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);
	u64 before, stamp;

	if (ctx->raw_time)
		return pfm_stamp_raw(ctx);
	do {
		before = READ_ONCE(*last);
		stamp = pfm_later(pfm_now(), before);
	} while (cmpxchg_local(last, before, stamp) != before);
	return stamp;
}

u64 pfm_since_stamp(const struct pfm_context *ctx)
{
	s64 since;

	if (ctx->raw_time)
		since = pfm_time_ns(&ctx->raw.conv, pfm_raw_now(ctx)) -
			pfm_time_ns(&ctx->raw.conv, ctx->raw.last);
	else
		since = pfm_now() - raw_cpu_read(pfm_last_stamp);
	return max_t(s64, since, 0);
}

void pfm_stamps_attach(struct pfm_context *ctx, const pfm_time_conv_t *raw)
{
	INIT_LIST_HEAD(&ctx->raw.list);
	if (!raw || !raw->time_mult)
		return;
	ctx->raw.conv = *raw;
	ctx->raw_time = true;
	mutex_lock(&pfm_raw_lock);
	ctx->raw.base = pfm_raw_base;
	list_add(&ctx->raw.list, &pfm_raw_contexts);
	mutex_unlock(&pfm_raw_lock);
}

void pfm_stamps_detach(struct pfm_context *ctx)
{
	mutex_lock(&pfm_raw_lock);
	list_del_init(&ctx->raw.list);
	mutex_unlock(&pfm_raw_lock);
}

/* Bounds of time_zero */
struct pfm_bounds {
	u64	low;
	u64	high;
};

/* Get bounds of time_zero: read the clock between two reads of the counter. */
static struct pfm_bounds pfm_try_zero(const pfm_time_conv_t *scale, u64 base)
{
	u64 before, now, after;
	unsigned long flags;

	local_irq_save(flags);
	before = pfm_raw_counter() + base;
	now = local_clock();
	after = pfm_raw_counter() + base;
	local_irq_restore(flags);
	return (struct pfm_bounds){
		.low = now - pfm_time_ns(scale, after),
		.high = now - pfm_time_ns(scale, before),
	};
}

/*
 * Measure time_zero, with @base added to the counter. Each attempt yields valid
 * bounds, so intersect them. The result is exact if the counter did not advance
 * during one attempt. @old is an earlier result, which is kept if it is within
 * the bounds.
 */
static void pfm_measure_zero(pfm_time_conv_t *conv, u64 base, u64 old)
{
	struct pfm_bounds best, next;
	int i;

	conv->time_zero = 0;
	best = pfm_try_zero(conv, base);
	for (i = 1; i < PFM_TRIES; i++) {
		next = pfm_try_zero(conv, base);
		if ((s64)(next.low - best.low) > 0)
			best.low = next.low;
		if ((s64)(next.high - best.high) < 0)
			best.high = next.high;
	}
	conv->time_zero = pfm_zero_within(best.low, best.high, old);
}

/* Measure the conversion; time_mult is 0 if the counter is not suitable. */
static void pfm_measure(pfm_time_conv_t *conv)
{
	lockdep_assert_held(&pfm_raw_lock);
	pfm_raw_counter_scale(conv);
	if (conv->time_mult)
		pfm_measure_zero(conv, pfm_raw_base, pfm_raw_first.time_zero);
}

/*
 * Have clock and counter advanced together so far? If not, the kernel uses
 * another clock. If the kernel has refined the counter's rate meanwhile, begin
 * anew with this measurement.
 */
static bool pfm_is_the_clock(const pfm_time_conv_t *conv)
{
	s64 moved = conv->time_zero - pfm_raw_first.time_zero;

	lockdep_assert_held(&pfm_raw_lock);
	if (conv->time_mult != pfm_raw_first.time_mult ||
	    conv->time_shift != pfm_raw_first.time_shift) {
		pfm_raw_first = *conv;
		return true;
	}
	return abs(moved) <= PFM_ZERO_ERROR;
}

int pfm_raw_time(void *buf, pfm_time_conv_t *conv)
{
	pfm_time_conv_t now = {};
	bool suits;

	mutex_lock(&pfm_raw_lock);
	pfm_measure(&now);
	suits = now.time_mult && pfm_is_the_clock(&now);
	mutex_unlock(&pfm_raw_lock);
	if (!suits)
		return -EOPNOTSUPP;
	*conv = now;
	pfm_fmt_front(buf)->raw = now;
	return 0;
}
EXPORT_SYMBOL_GPL(pfm_raw_time);

/* Convert a time in ns to ticks of the counter. */
static u64 pfm_ticks(u64 ns)
{
	return mul_u64_u64_div_u64(ns, 1ULL << pfm_raw_first.time_shift,
				   pfm_raw_first.time_mult);
}

void pfm_stamps_check(void)
{
	pfm_time_conv_t now = {};
	u64 factor = 0;

	mutex_lock(&pfm_raw_lock);
	pfm_measure(&now);
	if (now.time_mult && pfm_is_the_clock(&now)) {
		pfm_raw_first = now;
		factor = (u64)now.time_mult << (32 - now.time_shift);
		pfm_measure_zero(&now, 0, pfm_clock.zero);
		WRITE_ONCE(pfm_clock.zero, now.time_zero);
	}
	mutex_unlock(&pfm_raw_lock);
	/* An overflow that sees the new factor must also see the new zero. */
	synchronize_rcu();
	WRITE_ONCE(pfm_clock.factor, factor);
}

static void pfm_check_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(pfm_next_check, pfm_check_work);

/* The work queue is freezable: no check runs during a suspend. */
static void pfm_check_after(unsigned long delay)
{
	if (PFM_COUNTER_IS_STEADY)
		mod_delayed_work(system_freezable_power_efficient_wq,
				 &pfm_next_check, delay);
}

static void pfm_check_work(struct work_struct *work)
{
	pfm_stamps_check();
	pfm_check_after(PFM_INTERVAL);
}

void pfm_stamps_suspend(void)
{
	WRITE_ONCE(pfm_clock.factor, 0);
}

void pfm_stamps_resume(void)
{
	pfm_time_conv_t now = {};
	struct pfm_context *ctx;
	s64 moved;

	mutex_lock(&pfm_raw_lock);
	pfm_measure(&now);
	if (now.time_mult && now.time_mult == pfm_raw_first.time_mult) {
		moved = now.time_zero - pfm_raw_first.time_zero;
		pfm_raw_base += moved < 0 ? -pfm_ticks(-moved) :
					    pfm_ticks(moved);
		list_for_each_entry(ctx, &pfm_raw_contexts, raw.list)
			WRITE_ONCE(ctx->raw.base, pfm_raw_base);
	}
	mutex_unlock(&pfm_raw_lock);
	pfm_check_after(PFM_SOON);
}

void pfm_stamps_init(void)
{
	mutex_lock(&pfm_raw_lock);
	pfm_measure(&pfm_raw_first);
	mutex_unlock(&pfm_raw_lock);
	pfm_check_after(PFM_SOON);
}

void pfm_stamps_exit(void)
{
	cancel_delayed_work_sync(&pfm_next_check);
}
