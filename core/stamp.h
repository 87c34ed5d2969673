/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stamp.h - time stamps of overflows
 */
#ifndef PFM_CORE_STAMP_H
#define PFM_CORE_STAMP_H

#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include "context.h"
#include "raw_counter.h"

/* The last time stamp in ns on this CPU */
DECLARE_PER_CPU(u64, pfm_last_stamp);

/* One instruction less than max(now, last + 1) */
static __always_inline u64 pfm_later(u64 now, u64 last)
{
	return last < now ? now : last + 1;
}

/*
 * Take a time stamp that is unique on this CPU (3.5.14) from the clock of
 * perf's samples, which may stand still. There are no concurrent callers: only
 * one context at a time has overflows on a CPU (attach.c), and the caller owns
 * it.
 */
static __always_inline u64 pfm_stamp_ns(void)
{
	u64 now = local_clock();
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
 * counter never stands still, so that it advances between two contexts.
 */
static __always_inline u64 pfm_stamp_raw(struct pfm_context *ctx)
{
	ctx->raw.last = pfm_later(pfm_raw_now(ctx), ctx->raw.last);
	return ctx->raw.last;
}

/* One of the two. */
static inline u64 pfm_stamp(struct pfm_context *ctx)
{
	return ctx->raw_time ? pfm_stamp_raw(ctx) : pfm_stamp_ns();
}

/*
 * Take a time stamp where the overflows of another context may interrupt.
 * Context: interrupt, the context is owned.
 */
u64 pfm_stamp_unowned(struct pfm_context *ctx);

/*
 * Time in ns since the last time stamp of the context's kind; 0 if the clock
 * stands still. Context: as the overflow.
 */
u64 pfm_since_stamp(const struct pfm_context *ctx);

/* Base of the raw time stamps of all contexts; for suites only */
extern u64 pfm_raw_base;

/*
 * Begin and end raw time stamps of a context, if its format has called
 * pfm_raw_time(). Context: process; the context is being created or destroyed.
 */
void pfm_stamps_attach(struct pfm_context *ctx);
void pfm_stamps_detach(struct pfm_context *ctx);

/*
 * Raw time stamps continue after a suspend, during which the counter may have
 * been reset, or the clock stood still. Context: process, before threads are
 * thawed.
 */
void pfm_stamps_resume(void);

/* Context: process. */
void pfm_stamps_init(void);

#endif /* PFM_CORE_STAMP_H */
