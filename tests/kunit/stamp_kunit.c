// SPDX-License-Identifier: GPL-2.0
/*
 * stamp_kunit.c - time stamps in ns, and raw time stamps. The clock and the
 * counter are fake: only the tests advance them.
 */
#include <linux/percpu.h>
#include <linux/time64.h>
#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "context.h"
#include "create.h"
#include "fixture.h"
#include "owner.h"
#include "stamp.h"

#define HOUR	(3600ULL * NSEC_PER_SEC)

struct fake_clock fake_clock;

/*
 * Cancel the periodic check, so that only the tests check the clock. Measure
 * the real clock, and only then switch to the fake one: because the fake clock
 * has a different scale, the next check measures it anew.
 */
static void stamp_begin_fake(void)
{
	pfm_stamps_exit();
	pfm_stamps_check();
	pfm_stamps_suspend();
	fake_clock_begin();
}

static int stamp_init(struct kunit *test)
{
	struct fixture *f;
	int i, ret = fixture_init_scripted(test);

	if (ret)
		return ret;
	this_cpu_write(pfm_last_stamp, 0);
	stamp_begin_fake();
	f = test->priv;
	f->ctx->raw.conv.time_mult = 1;
	f->ctx->raw.base = HOUR;
	f->ctx->raw_time = true;
	for (i = 0; i < SCRIPT_MAX; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	return 0;
}

static void stamp_exit(struct kunit *test)
{
	fixture_exit(test);
	pfm_stamps_exit();
	pfm_stamps_suspend();
	fake_clock_end();
}

/* Check that call number @call of the handler got a raw time stamp. */
static void expect_raw(struct kunit *test, int call)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_GT(test, f->script.calls, call);
	KUNIT_EXPECT_GE(test, f->script.tstamp[call], HOUR);
}

static void only_counter_gets_raw_time_stamps(struct kunit *test)
{
	fixture_sampling_counter(test, 0, 0);
	fixture_start(test);
	fixture_report_pmd0(test);
	fixture_report_pmd0(test);
	expect_raw(test, 0);
	expect_raw(test, 1);
}

static void recorded_values_get_raw_time_stamps(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_smpl_pmds[0] = 1U << 1;
	fixture_counter(test, 1, 0, 500);
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10 });
	fixture_start(test);
	fixture_report_pmd0(test);
	expect_raw(test, 0);
}

static void several_counters_get_raw_time_stamps(struct kunit *test)
{
	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	fixture_start(test);
	fixture_count2(test, 1000, 1000);
	expect_raw(test, 0);
	expect_raw(test, 1);
}

/*
 * On some machines the clock advances only at ticks. Each overflow must still
 * have its own time stamp, whether it is handled at once or deferred to an
 * interrupt. @last: a previous time stamp, which is ahead of the clock.
 */
static void expect_unique_stamps(struct kunit *test, u64 last)
{
	struct fixture *f = test->priv;
	unsigned long flags;
	int i;

	fixture_counter(test, 1, 0, -10ULL);
	fixture_start_owned(test, &flags);
	if (f->ctx->raw_time)
		f->ctx->raw.last = last;
	else
		this_cpu_write(pfm_last_stamp, last);
	fixture_count(test, 100);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	fixture_count2(test, 0, 10);
	fixture_report_pmd0(test);
	fixture_report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_GT(test, f->script.tstamp[i], last);
		last = f->script.tstamp[i];
	}
}

/* Proves 3.5.14-02, 3.5.14-03 */
static void raw_time_stamps_are_unique(struct kunit *test)
{
	expect_unique_stamps(test, pfm_raw_now(ctx_of(test)) + HOUR);
}

/* Proves 3.5.14-02, 3.5.14-03 */
static void overflow_time_stamps_are_unique(struct kunit *test)
{
	ctx_of(test)->raw_time = false;
	expect_unique_stamps(test, local_clock() + HOUR);
	this_cpu_write(pfm_last_stamp, 0);
}

/* A raw time stamp does not affect later time stamps in ns. */
static void raw_time_stamps_leave_those_in_ns_alone(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	KUNIT_EXPECT_GE(test, pfm_stamp(ctx), HOUR);
	ctx->raw_time = false;
	KUNIT_EXPECT_EQ(test, pfm_stamp(ctx), local_clock());
	fake_clock.ns += 7;
	KUNIT_EXPECT_EQ(test, pfm_since_stamp(ctx), 7ULL);
}

static void time_since_raw_stamp_is_in_ns(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	ctx->raw.conv.time_mult = 1000;
	ctx->raw.last = pfm_raw_now(ctx) - 1000000;
	KUNIT_EXPECT_EQ(test, pfm_since_stamp(ctx), 1000000000ULL);
	ctx->raw.last = pfm_raw_now(ctx) + HOUR;
	KUNIT_EXPECT_EQ(test, pfm_since_stamp(ctx), 0ULL);
}

/* Check that the context's conversion agrees with the clock. */
static void expect_time(struct kunit *test, const struct pfm_context *ctx)
{
	fake_clock.ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, pfm_time_ns(&ctx->raw.conv, pfm_raw_now(ctx)),
			local_clock());
}

/* Create a context with the default format and raw time stamps. */
static struct pfm_context *raw_context(struct kunit *test)
{
	pfarg_ctx_t req = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	pfm_default_smpl_arg_t arg = { .buf_size = 65536,
				       .buf_flags = PFM_DFL_SMPL_RAW_TIME };
	struct pfm_context *ctx = fixture_context(&req, &arg, sizeof(arg));

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	return ctx;
}

static void format_asks_for_raw_time_stamps(struct kunit *test)
{
	struct pfm_context *ctx = raw_context(test);
	const pfm_default_smpl_hdr_t *hdr = ctx->buf;

	KUNIT_EXPECT_TRUE(test, ctx->raw_time);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_mult, 1U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_shift, 1U);
	KUNIT_EXPECT_EQ(test, ctx->raw.conv.time_zero, hdr->hdr_time_zero);
	KUNIT_EXPECT_EQ(test, ctx->raw.conv.time_mult, hdr->hdr_time_mult);
	KUNIT_EXPECT_EQ(test, ctx->raw.conv.time_shift, hdr->hdr_time_shift);
	expect_time(test, ctx);
	pfm_context_destroy(ctx);
}

/*
 * Let the counter advance by as many ticks as it makes in @ns, or go back if
 * @ns is negative, while the clock stands still.
 */
static void jump(s64 ns)
{
	fake_clock.ahead += 2 * ns;
}

static void conversion_stays_valid_after_resume(struct kunit *test)
{
	struct pfm_context *ctx = raw_context(test), *next;

	jump(HOUR);
	pfm_stamps_resume();
	expect_time(test, ctx);
	jump(-2 * HOUR);
	pfm_stamps_resume();
	expect_time(test, ctx);
	next = raw_context(test);
	expect_time(test, next);
	pfm_context_destroy(ctx);
	pfm_context_destroy(next);
}

static void consistent_measurement_keeps_the_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_zero_within(10, 20, 10), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_zero_within(10, 20, 12), 12ULL);
	KUNIT_EXPECT_EQ(test, pfm_zero_within(10, 20, 20), 20ULL);
	KUNIT_EXPECT_EQ(test, pfm_zero_within(-5ULL, 5, -4ULL), -4ULL);
}

static void moved_zero_is_measured(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_zero_within(10, 20, 9), 15ULL);
	KUNIT_EXPECT_EQ(test, pfm_zero_within(10, 20, 21), 15ULL);
	KUNIT_EXPECT_EQ(test, pfm_zero_within(-5ULL, 5, 6), 0ULL);
}

static void counter_that_is_not_the_clock_is_refused(struct kunit *test)
{
	struct front {
		struct pfm_fmt_front	front;
		u8			buf[8];
	} *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	pfm_time_conv_t conv = { .time_mult = 7 };

	KUNIT_ASSERT_NOT_NULL(test, f);
	pfm_context_destroy(raw_context(test));
	jump(HOUR);
	KUNIT_EXPECT_EQ(test, pfm_raw_time(f->buf, &conv), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, conv.time_mult, 7U);
	KUNIT_EXPECT_EQ(test, f->front.raw.time_mult, 0U);
	jump(-HOUR);
	KUNIT_EXPECT_EQ(test, pfm_raw_time(f->buf, &conv), 0);
}

/*
 * Check the clock. Return: whether the clock can be calculated from the
 * counter.
 */
static bool check_clock(void)
{
	pfm_stamps_check();
	return pfm_clock.factor;
}

/*
 * Check that pfm_now() is calculated from the counter, and agrees with
 * local_clock().
 */
static void expect_calculated(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, check_clock());
	fake_clock.ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, pfm_now(), local_clock());
}

static void calculated_clock_is_the_kernels(struct kunit *test)
{
	expect_calculated(test);
}

static void ns_time_stamps_are_calculated(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	KUNIT_ASSERT_TRUE(test, check_clock());
	ctx->raw_time = false;
	pfm_clock.factor *= 2;
	pfm_clock.zero = HOUR;
	KUNIT_EXPECT_EQ(test, pfm_stamp(ctx), HOUR + 2 * local_clock());
	fake_clock.ns += 7;
	KUNIT_EXPECT_EQ(test, pfm_since_stamp(ctx), 14ULL);
	this_cpu_write(pfm_last_stamp, 0);
}

static void clock_that_leaves_the_counter_is_called(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, check_clock());
	jump(HOUR);
	KUNIT_EXPECT_FALSE(test, check_clock());
	KUNIT_EXPECT_EQ(test, pfm_now(), local_clock());
	jump(-HOUR);
	KUNIT_EXPECT_TRUE(test, check_clock());
}

/*
 * The zero of the clock moves by 900 ns before each check, five times forward
 * and five times back. A check accepts such a move, but would not accept five
 * moves at once: see PFM_ZERO_ERROR in stamp.c.
 */
static void zero_follows_the_kernels_rounding(struct kunit *test)
{
	int i;

	KUNIT_ASSERT_TRUE(test, check_clock());
	for (i = 0; i < 10; i++) {
		jump(i < 5 ? 900 : -900);
		expect_calculated(test);
	}
}

/*
 * If reading the counter takes longer, the zero of the conversion is measured
 * less exactly. This must not shift the time stamps of one context against
 * those of another.
 */
static void inexact_measurement_shifts_no_time_stamps(struct kunit *test)
{
	struct pfm_context *ctx, *next;
	u64 base, zero;

	jump(HOUR);
	fake_clock.step = 10;
	ctx = raw_context(test);
	base = ctx->raw.base;
	KUNIT_ASSERT_TRUE(test, check_clock());
	zero = pfm_clock.zero;
	fake_clock.step = 100;
	next = raw_context(test);
	KUNIT_EXPECT_EQ(test, next->raw.conv.time_zero,
			ctx->raw.conv.time_zero);
	KUNIT_ASSERT_TRUE(test, check_clock());
	KUNIT_EXPECT_EQ(test, pfm_clock.zero, zero);
	pfm_stamps_resume();
	KUNIT_EXPECT_EQ(test, ctx->raw.base, base);
	pfm_context_destroy(ctx);
	pfm_context_destroy(next);
}

static void suspend_calls_the_kernels_clock(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, check_clock());
	pfm_stamps_suspend();
	KUNIT_EXPECT_EQ(test, pfm_clock.factor, 0ULL);
	jump(HOUR);
	pfm_stamps_resume();
	KUNIT_EXPECT_EQ(test, pfm_clock.factor, 0ULL);
	pfm_stamps_exit();
	expect_calculated(test);
}

static struct kunit_case stamp_cases[] = {
	KUNIT_CASE(only_counter_gets_raw_time_stamps),
	KUNIT_CASE(recorded_values_get_raw_time_stamps),
	KUNIT_CASE(several_counters_get_raw_time_stamps),
	KUNIT_CASE(raw_time_stamps_are_unique),
	KUNIT_CASE(overflow_time_stamps_are_unique),
	KUNIT_CASE(raw_time_stamps_leave_those_in_ns_alone),
	KUNIT_CASE(time_since_raw_stamp_is_in_ns),
	KUNIT_CASE(format_asks_for_raw_time_stamps),
	KUNIT_CASE(conversion_stays_valid_after_resume),
	KUNIT_CASE(consistent_measurement_keeps_the_zero),
	KUNIT_CASE(moved_zero_is_measured),
	KUNIT_CASE(counter_that_is_not_the_clock_is_refused),
	KUNIT_CASE(calculated_clock_is_the_kernels),
	KUNIT_CASE(ns_time_stamps_are_calculated),
	KUNIT_CASE(clock_that_leaves_the_counter_is_called),
	KUNIT_CASE(zero_follows_the_kernels_rounding),
	KUNIT_CASE(inexact_measurement_shifts_no_time_stamps),
	KUNIT_CASE(suspend_calls_the_kernels_clock),
	{}
};

static struct kunit_suite stamp_suite = {
	.name = "pfm_stamp",
	.init = stamp_init,
	.exit = stamp_exit,
	.test_cases = stamp_cases,
};

kunit_test_suite(stamp_suite);
