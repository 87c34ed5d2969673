// SPDX-License-Identifier: GPL-2.0
/*
 * rate_kunit.c - the limits on the number and time of overflows (4.4.4)
 */
#include <linux/time64.h>
#include "context.h"
#include "fixture.h"
#include "rate.h"

/*
 * Cause forty overflows as fast as possible, with a limit of @limit overflows
 * per second. If @report, the PMU re-arms PMD0 and reports it separately.
 */
static void overflow_fast(struct kunit *test, unsigned int limit, bool report)
{
	struct fixture *f = test->priv;
	unsigned int max = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = limit;
	for (i = 0; i < SCRIPT_MAX; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -1ULL);
	fixture_start(test);
	for (i = 0; i < 40; i++)
		if (report)
			fixture_report_pmd0(test);
		else
			fixture_count(test, 1);
	pfm_ovfl_rate_max = max;
}

/*
 * The limit allows ten overflows in a tenth of a second. The test causes forty
 * in less time.
 */
/* Proves 4.4.4-02, H18 */
static void too_many_overflows_mask_and_notify(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	overflow_fast(test, 100, false);
	/*
	 * The first overflow begins the tenth of a second and is not counted.
	 * Ten more are allowed.
	 */
	KUNIT_EXPECT_EQ(test, f->script.calls, 11);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 1U);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 1ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_TRUE(test, take_msg(&f->ctx->msgq, &msg));
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 12);
}

/*
 * Most of these overflows take the core's fast path. They must count towards
 * the limit, too.
 */
/* Proves 4.4.4-02 */
static void too_many_reported_overflows_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	overflow_fast(test, 100, true);
	KUNIT_EXPECT_EQ(test, f->script.calls, 11);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 1U);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 1ULL);
}

static void renewed_credit_changes_nothing_else(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	/*
	 * The first of the 40 overflows begins a window in which 100 are
	 * allowed, and gives the context a credit of 6 overflows. Each overflow
	 * that uses up the credit is timed, and renews the credit.
	 */
	overflow_fast(test, 1000, true);
	KUNIT_EXPECT_EQ(test, f->script.calls, 40);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 0U);
	KUNIT_EXPECT_EQ(test, f->ctx->rate.timed, 6U);
	KUNIT_EXPECT_EQ(test, f->ctx->rate.left, 64U);
	KUNIT_EXPECT_EQ(test, f->ctx->credit, 3U);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -1ULL);
	KUNIT_EXPECT_FALSE(test, take_msg(&f->ctx->msgq, &msg));
}

/*
 * Count overflows whose handlers take @took ns each, except one that takes only
 * @least ns. Return: whether a limit was exceeded.
 */
static bool window_of(struct kunit *test, u64 took, u64 least)
{
	struct pfm_context *ctx = ctx_of(test);
	bool exceeded = false;
	int i;

	pfm_rate_init(ctx);
	for (i = 0; i < 400 && !exceeded; i++)
		exceeded = pfm_rate_account(ctx, i == 5 ? least : took);
	return exceeded;
}

/*
 * Is a second overflow, @ms after the first one, too fast for a limit of @limit
 * overflows per second?
 */
static bool is_too_fast(struct kunit *test, unsigned int limit, u64 ms)
{
	struct pfm_context *ctx = ctx_of(test);
	unsigned int max = pfm_ovfl_rate_max;
	bool exceeded;

	pfm_ovfl_rate_max = limit;
	pfm_rate_init(ctx);
	KUNIT_EXPECT_FALSE(test, pfm_rate_account(ctx, 0));
	ctx->rate.began -= ms * NSEC_PER_MSEC;
	exceeded = pfm_rate_account(ctx, 0);
	pfm_ovfl_rate_max = max;
	return exceeded;
}

/* With these limits a tenth of a second is not a whole number of overflows. */
/* Proves 4.4.4-02 */
static void low_limits_are_exact(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, is_too_fast(test, 19, 0));
	KUNIT_EXPECT_FALSE(test, is_too_fast(test, 19, 60));
	KUNIT_EXPECT_TRUE(test, is_too_fast(test, 1, 110));
	KUNIT_EXPECT_FALSE(test, is_too_fast(test, 1, 1000));
}

/* The overflows come faster than the limit of 500,000 per second allows. */
/* Proves 4.4.4-03, H18 */
static void no_rate_limit_means_no_throttling(struct kunit *test)
{
	unsigned int max = pfm_ovfl_rate_max;

	KUNIT_EXPECT_TRUE(test, window_of(test, 0, 0));
	pfm_ovfl_rate_max = 0;
	KUNIT_EXPECT_FALSE(test, window_of(test, 0, 0));
	pfm_ovfl_rate_max = max;
}

/*
 * Pretend that each handler has taken a second, which is longer than the whole
 * test.
 */
/* Proves 4.4.4-02 */
static void handlers_that_fill_the_cpu_mask(struct kunit *test)
{
	unsigned int rate = pfm_ovfl_rate_max, cpu = pfm_ovfl_cpu_max;

	pfm_ovfl_rate_max = 0;
	KUNIT_EXPECT_TRUE(test, window_of(test, NSEC_PER_SEC, NSEC_PER_SEC));
	KUNIT_EXPECT_EQ(test, ctx_of(test)->throttled, 1ULL);
	pfm_ovfl_cpu_max = 0;
	KUNIT_EXPECT_FALSE(test, window_of(test, NSEC_PER_SEC, NSEC_PER_SEC));
	pfm_ovfl_cpu_max = cpu;
	pfm_ovfl_rate_max = rate;
}

/*
 * The core must not blame the handlers if interrupts have lengthened most of
 * them (first case), or if it has timed too few of them (second case).
 */
static void handlers_are_not_blamed_for_interrupts(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	unsigned int rate = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = 0;
	pfm_rate_init(ctx);
	for (i = 0; i < 150; i++)
		KUNIT_EXPECT_FALSE(
			test, pfm_rate_account(ctx, i == 5 ? 0 : NSEC_PER_SEC));
	pfm_rate_init(ctx);
	for (i = 0; i < 8; i++) {
		ctx->rate.began = 1;
		KUNIT_EXPECT_FALSE(test, pfm_rate_account(ctx, NSEC_PER_SEC));
	}
	pfm_ovfl_rate_max = rate;
}

static void stopped_counters_are_counted_by_context(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	fixture_counter(test, 0, 0, -10ULL);
	fixture_counter(test, 1, 0, -10ULL);
	fixture_start(test);
	for (i = 0; i < 3; i++)
		pfm_counter_throttled(f->ctx->set->regs[i % 2]);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->ctx->pmu_throttled), 3LL);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 0ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static struct kunit_case rate_cases[] = {
	KUNIT_CASE(too_many_overflows_mask_and_notify),
	KUNIT_CASE(too_many_reported_overflows_mask),
	KUNIT_CASE(renewed_credit_changes_nothing_else),
	KUNIT_CASE(low_limits_are_exact),
	KUNIT_CASE(no_rate_limit_means_no_throttling),
	KUNIT_CASE(handlers_that_fill_the_cpu_mask),
	KUNIT_CASE(handlers_are_not_blamed_for_interrupts),
	KUNIT_CASE(stopped_counters_are_counted_by_context),
	{}
};

static struct kunit_suite rate_suite = {
	.name = "pfm_rate",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = rate_cases,
};
kunit_test_suite(rate_suite);
