/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stamp.h - time stamps of overflows
 */
#ifndef PFM_CORE_STAMP_H
#define PFM_CORE_STAMP_H

#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include "context.h"
#include "raw_counter.h"

/**
 * struct pfm_clock - calculation of the kernel's clock from the counter
 * @factor: ns per tick, times 2^32; 0 if the kernel's clock must be called
 * @zero:   time in ns at which the counter would be 0, modulo 2^64
 */
struct pfm_clock {
	u64	factor;
	u64	zero;
} __aligned(2 * sizeof(u64));

extern struct pfm_clock pfm_clock;

/*
 * Get the time from the clock of perf's samples. Where possible do not call
 * local_clock(), which takes four times as many instructions.
 */
static __always_inline u64 pfm_now(void)
{
	u64 factor;

	if (!PFM_COUNTER_IS_STEADY)
		return local_clock();
	factor = READ_ONCE(pfm_clock.factor);
	if (unlikely(!factor))
		return local_clock();
	return mul_u64_u64_shr(pfm_raw_counter(), factor, 32) +
	       READ_ONCE(pfm_clock.zero);
}

/* The last time stamp in ns on this CPU */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/* Get max(now, last + 1). This expression takes one instruction less. */
static __always_inline u64 pfm_later(u64 now, u64 last)
{
	return last < now ? now : last + 1;
}

/*
 * Take a time stamp that is unique on this CPU (3.5.14) from the clock of
 * perf's samples, which may stand still. Callers on a CPU do not interrupt each
 * other: only one context at a time has overflows there (attach.c), and the
 * caller owns it.
 */
static __always_inline u64 pfm_stamp_ns(void)
{
	u64 now = pfm_now();
	u64 *last = raw_cpu_ptr(&pfm_last_stamp);

	*last = pfm_later(now, *last);
	return *last;
}

static __always_inline u64 pfm_raw_now(const struct pfm_context *ctx)
{
	return pfm_raw_counter() + ctx->raw.base;
}

/*
 * Take a raw time stamp that is unique in its context. Unlike the clock, the
 * counter never stands still, so the stamps of two contexts that have overflows
 * in succession differ, too.
 */
static __always_inline u64 pfm_stamp_raw(struct pfm_context *ctx)
{
	ctx->raw.last = pfm_later(pfm_raw_now(ctx), ctx->raw.last);
	return ctx->raw.last;
}

/* Take a time stamp of the kind that the context uses. */
static inline u64 pfm_stamp(struct pfm_context *ctx)
{
	return ctx->raw_time ? pfm_stamp_raw(ctx) : pfm_stamp_ns();
}

/*
 * Take a time stamp in code that overflows of another context may interrupt.
 * Context: the caller owns the context, interrupts off.
 */
u64 pfm_stamp_unowned(struct pfm_context *ctx);

/*
 * Get the time in ns since the last time stamp of the kind that the context
 * uses; 0 if the clock stands still. Context: an overflow.
 */
u64 pfm_since_stamp(const struct pfm_context *ctx);

/*
 * Return the time_zero of a measurement: the earlier result @old if it is
 * within the bounds, because a new result would not be more exact, else the
 * middle of the bounds.
 */
static inline u64 pfm_zero_within(u64 low, u64 high, u64 old)
{
	if ((s64)(old - low) >= 0 && (s64)(high - old) >= 0)
		return old;
	return low + (s64)(high - low) / 2;
}

/*
 * Begin and end raw time stamps of a context. @raw: the result of
 * pfm_raw_time() if its format has called that function, else NULL or all 0.
 * Context: process; the context is being created or destroyed.
 */
void pfm_stamps_attach(struct pfm_context *ctx, const pfm_time_conv_t *raw);
void pfm_stamps_detach(struct pfm_context *ctx);

/*
 * During a suspend the counter may be reset, or the clock may stand still. So
 * call the kernel's clock from the suspend on, until a check after the resume
 * succeeds. At the resume, correct the base of raw time stamps. Context:
 * process, threads are frozen.
 */
void pfm_stamps_suspend(void);
void pfm_stamps_resume(void);

/*
 * Let pfm_now() calculate the clock from the counter if both have advanced
 * together since the last check; otherwise let it call the kernel's clock.
 * Context: process, threads are not frozen.
 */
void pfm_stamps_check(void);

/* Measure the clock, and begin checks at intervals. Context: process. */
void pfm_stamps_init(void);
void pfm_stamps_exit(void);

#endif /* PFM_CORE_STAMP_H */
