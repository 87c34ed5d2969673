// SPDX-License-Identifier: GPL-2.0
/*
 * regs_kunit.c - PMCs and PMDs (3.1.2 - 3.1.4), some of which no PMU
 *		  description in the tree has
 */
#include "context.h"
#include "evtset_fixture.h"
#include "regs.h"

/* Proves 3.1.2-11 */
static void a_pmc_without_counter_ignores_what_concerns_overflows(
	struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	struct pfm_reg_desc pmcs[PFM_SIM_PAIRS];
	const struct pfm_pmu *real = ctx->pmu;
	struct pfm_pmu pmu = *real;
	pfarg_pmc_t pmc = { .reg_num = 3, .reg_value = 1,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY |
					 PFM_REGFL_RANDOM,
			    .reg_smpl_eventid = 7 };

	memcpy(pmcs, real->pmcs, sizeof(pmcs));
	pmcs[3].pmd = PFM_REGD_NO_PMD;
	pmu.pmcs = pmcs;
	/* There is no such PMD. */
	pmc.reg_smpl_pmds[2] = 1;
	ctx->pmu = &pmu;
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_write_pmc(ctx, &pmc), 0);
	fixture_unlock(ctx);
	ctx->pmu = real;
	KUNIT_EXPECT_EQ(test, pmc.reg_flags & PFM_REG_RETFL_MASK, 0U);
	KUNIT_EXPECT_EQ(test, ctx->set->pmds[3].flags, 0U);
	KUNIT_EXPECT_EQ(test, ctx->set->pmds[3].eventid, 0ULL);
}

static int refuse_sampling(struct pfm_pmu_reg *reg)
{
	return reg->sampling ? -EINVAL : 0;
}

/* Proves 3.1.3-06 */
static void a_refused_pmd_value_changes_nothing(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_pmd_t pmd = { .reg_value = -10, .reg_short_reset = SHORT_RESET,
			    .reg_long_reset = LONG_RESET, .reg_smpl_eventid = 3,
			    .reg_flags = PFM_REGFL_SMPL };
	struct pfm_pmd *mine = &ctx->set->pmds[0];
	const struct pfm_pmu *real = ctx->pmu;
	struct pfm_pmu pmu = *real;

	fixture_counter(test, 0, 0, 5);
	fixture_start(test);
	fixture_count(test, 2);
	pmu.write_pmc = refuse_sampling;
	ctx->pmu = &pmu;
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_write_pmd(ctx, &pmd), -EINVAL);
	fixture_unlock(ctx);
	ctx->pmu = real;
	KUNIT_EXPECT_TRUE(test, pmd.reg_flags & PFM_REG_RETFL_EINVAL);
	KUNIT_EXPECT_FALSE(test, mine->hw.sampling);
	KUNIT_EXPECT_EQ(test, mine->short_reset, 5ULL);
	KUNIT_EXPECT_EQ(test, mine->long_reset, 5ULL);
	KUNIT_EXPECT_EQ(test, mine->ovfl->arg.pmd_eventid, 0ULL);
	KUNIT_EXPECT_EQ(test, mine->ovfl->arg.pmd_last_reset, 5ULL);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 8ULL);
}

static struct kunit_case regs_cases[] = {
	KUNIT_CASE(a_pmc_without_counter_ignores_what_concerns_overflows),
	KUNIT_CASE(a_refused_pmd_value_changes_nothing),
	{}
};

static struct kunit_suite regs_suite = {
	.name = "pfm_regs",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = regs_cases,
};

/* Proves 3.1.2-17 */
static void bit_vectors_mean_the_set_of_their_pmc(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_set = 1, .reg_flags = NOTIFY };

	pmc.reg_reset_pmds[0] = 1 << 1;
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 1, 0, 0);
	make_counter(test, 1, 1, 0, 0);
	make_counter(test, 1, 0, NOTIFY, 0);
	fixture_pmc(test, pmc);
	load_and_start(test, 1);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 1), (u64)(-3 * PERIOD));
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)-PERIOD);
}

/* Proves 3.1.3-16 */
static void a_register_that_does_not_count_has_no_threshold(struct kunit *test)
{
	pfarg_pmd_t pmd;

	make_set(test, 0, BY_OVFL, 0, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_ovflsw_thres = 1 });
	pmd = read(test, 0, PFM_SIM_PMD_PLAIN);
	KUNIT_EXPECT_EQ(test, pmd.reg_ovflsw_thres, 0ULL);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	pmd = read(test, 0, PFM_SIM_PMD_PLAIN);
	KUNIT_EXPECT_EQ(test, pmd.reg_ovflsw_thres, 0ULL);
}

static struct kunit_case regs_without_fmt_cases[] = {
	KUNIT_CASE(bit_vectors_mean_the_set_of_their_pmc),
	KUNIT_CASE(a_register_that_does_not_count_has_no_threshold),
	{}
};

static struct kunit_suite regs_without_fmt_suite = {
	.name = "pfm_regs_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = regs_without_fmt_cases,
};

kunit_test_suites(&regs_suite, &regs_without_fmt_suite);
