// SPDX-License-Identifier: GPL-2.0
/*
 * registers_kunit.c - registers as no PMU description here has them: PMCs without
 *		       a counter, narrow PMDs (3.1.2-3.1.4); resets of plain PMDs
 */
#include "context.h"
#include "fixture.h"
#include "regs.h"

#define PLAIN	PFM_SIM_PMD_PLAIN

static int registers_init(struct kunit *test)
{
	fixture_create(test, 0, true);
	return 0;
}

/* Proves 3.1.2-11 */
static void a_pmc_without_counter_ignores_what_concerns_overflows(
	struct kunit *test)
{
	struct pfm_context *ctx = ((struct fixture *)test->priv)->ctx;
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

/* Proves 3.1.3-28, 3.1.4-14, 3.1.14-08 */
static void bits_that_a_register_has_not_are_ignored(struct kunit *test)
{
	struct pfm_context *ctx = ((struct fixture *)test->priv)->ctx;
	struct pfm_pmu_reg *hw = &ctx->set->pmds[PLAIN].hw;
	static struct pfm_reg_desc narrow;
	pfarg_pmc_t pmc = { .reg_num = 0 };
	pfarg_pmd_t pmd;

	narrow = *hw->desc;
	/* 16 bits, one of which is fixed. */
	narrow.rsvd = ~0xfffeULL;
	narrow.dfl = 1;
	hw->desc = &narrow;
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PLAIN,
					 .reg_value = 0x1234567812345678ULL,
					 .reg_short_reset = ~0ULL });
	pmd = fixture_read(test, PLAIN);
	KUNIT_EXPECT_EQ(test, pmd.reg_value, 0x5679ULL);
	KUNIT_EXPECT_EQ(test, pmd.reg_last_reset_val, 0x5679ULL);

	pmc.reg_reset_pmds[0] = 1U << PLAIN;
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10 });
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 10);
	pmd = fixture_read(test, PLAIN);
	KUNIT_EXPECT_EQ(test, pmd.reg_value, 0xffffULL);
	KUNIT_EXPECT_EQ(test, pmd.reg_last_reset_val, 0xffffULL);
}

/* Proves 3.1.3-14 */
static void a_register_that_does_not_count_is_reset_as_asked(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_reset_pmds[0] = 1U << PLAIN;
	fixture_counter(test, 0, 0, -10);
	fixture_counter(test, 1, 0, -10);
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PLAIN, .reg_value = 77,
					 .reg_short_reset = 5,
					 .reg_long_reset = 6 });
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->ctrl[1] = PFM_OVFL_CTRL_RESET;
	script->ctrl[2] = PFM_OVFL_CTRL_MASK;
	script->restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	/* Not asked for by PMC1. */
	fixture_count2(test, 0, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 77ULL);
	fixture_count2(test, 10, 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 5ULL);
	fixture_count2(test, 10, 0);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 6ULL);
}

static struct kunit_case registers_cases[] = {
	KUNIT_CASE(a_pmc_without_counter_ignores_what_concerns_overflows),
	KUNIT_CASE(bits_that_a_register_has_not_are_ignored),
	KUNIT_CASE(a_register_that_does_not_count_is_reset_as_asked),
	{}
};

static struct kunit_suite registers_suite = {
	.name = "pfm_registers",
	.init = registers_init,
	.exit = fixture_exit,
	.test_cases = registers_cases,
};
kunit_test_suite(registers_suite);
