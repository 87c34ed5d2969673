// SPDX-License-Identifier: GPL-2.0
/*
 * freeze_kunit.c - frozen values, and discarded overflows
 */
#include "context.h"
#include "fixture.h"
#include "freeze.h"
#include "owner.h"
#include "value.h"

static void restart_resets_overflow_lost_while_masked(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.during = fixture_overflow_inside;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
	/*
	 * Without a reset, the PMD would overflow again only after 2^64 events.
	 */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
}

/* A sampling counter has wrapped if it has passed zero since its last reset. */
static void only_sampling_counter_past_zero_has_wrapped(
	struct kunit *test)
{
	static const struct {
		u64	reset;
		u64	value;
		bool	sampling;
		bool	wrapped;
	} cases[] = {
		{ -10ULL, -1ULL, true, false },
		{ -10ULL, 0, true, true },
		{ -10ULL, 3, true, true },
		{ -10ULL, 3, false, false },
		/*
		 * The counter started at a positive value, so it has not passed
		 * zero since its reset.
		 */
		{ 5, 7, true, false },
		{ 5, -7ULL, true, false },
		{ 1ULL << 63, S64_MAX, true, true },
	};
	struct fixture *f = test->priv;
	struct pfm_pmd *pmd;
	int i;

	fixture_counter(test, 0, 0, 0);
	pmd = fixture_pmd_of(f->ctx, 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pmd->last_reset = cases[i].reset;
		pmd->value = cases[i].value;
		pmd->hw.sampling = cases[i].sampling;
		KUNIT_EXPECT_EQ_MSG(test, pfm_has_wrapped(pmd),
				    cases[i].wrapped, "case %d", i);
	}
}

static u64 keep_value(struct pfm_pmd *pmd)
{
	return pmd->value;
}

/*
 * A lost overflow is counted once, even if the context is frozen for two
 * reasons.
 */
static void frozen_pmds_keep_values_and_count_lost_once(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_sampling_counter(test, 0, 0);
	fixture_counter(test, 1, 0, 0);
	fixture_start(test);
	fixture_count2(test, 4, 5);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_freeze(f->ctx, PFM_MASKED, pfm_value_read_ovfl);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	fixture_pmd_of(f->ctx, 0)->value = 2;
	pfm_freeze(f->ctx, PFM_SWITCHING, keep_value);
	pfm_freeze(f->ctx, PFM_SWITCHING, keep_value);
	pfm_disown(f->ctx, flags);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, PFM_MASKED | PFM_SWITCHING);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
	KUNIT_EXPECT_TRUE(test, test_bit(0, f->ctx->set->to_reset));
	fixture_unlock(f->ctx);
	fixture_count2(test, 100, 100);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 2ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 5ULL);
}

static struct kunit_case freeze_cases[] = {
	KUNIT_CASE(only_sampling_counter_past_zero_has_wrapped),
	KUNIT_CASE(frozen_pmds_keep_values_and_count_lost_once),
	KUNIT_CASE(restart_resets_overflow_lost_while_masked),
	{}
};

static struct kunit_suite freeze_suite = {
	.name = "pfm_freeze",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = freeze_cases,
};
kunit_test_suite(freeze_suite);
