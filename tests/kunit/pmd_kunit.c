// SPDX-License-Identifier: GPL-2.0
/*
 * pmd_kunit.c - allocate the PMDs of an event set when they are first used
 */
#include "evtset_fixture.h"
#include "pmd.h"

static int num_pmds(struct kunit *test, u16 id)
{
	const struct pfm_evtset *set = fixture_find_set(ctx_of(test), id);
	struct pfm_pmd *pmd;
	int n = 0;
	u16 i;

	pfm_for_each_real_pmd(set, i, pmd)
		n++;
	return n;
}

/*
 * The number of PMDs without a PMC, which are allocated together with the set.
 */
#define AT_FIRST	5

static void pmd_is_allocated_on_first_use(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 0), AT_FIRST);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 1), AT_FIRST);
	make_counter(test, 1, 3, 0, 0);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 0), AT_FIRST);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 1), AT_FIRST + 1);
	/* Reading a PMD does not allocate it. */
	value(test, 1, 2);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 1), AT_FIRST + 1);
}

static void unallocated_pmd_reads_default_value(struct kunit *test)
{
	pfarg_pmd_t pmd;

	load_and_start(test, 0);
	happen(test, 5, 5, 0);
	pmd = read(test, 0, 1);
	KUNIT_EXPECT_EQ(test, pmd.reg_value, 0ULL);
	KUNIT_EXPECT_EQ(test, pmd.reg_last_reset_val, 0ULL);
	KUNIT_EXPECT_EQ(test, pmd.reg_ovflsw_thres, 0ULL);
}

/* A PMD does not count events from before its allocation. */
static void pmd_allocated_in_counting_set(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	load_and_start(test, 0);
	happen(test, 5, 5, 0);
	fixture_counter(test, 1, 0, 100);
	happen(test, 2, 3, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 7ULL);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), 103ULL);
}

static void pmd_allocated_in_inactive_loaded_set(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 1);
	load_and_start(test, 0);
	make_counter(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD);
	pass(test, TICK);
	KUNIT_ASSERT_EQ(test, active_set(test), 1);
	happen(test, 3, 0, 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 3);
}

static void written_unprogrammed_pmd_keeps_value(
	struct kunit *test)
{
	load_and_start(test, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 1, .reg_value = 77 });
	happen(test, 0, 5, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), 77ULL);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), 77ULL);
}

static void smpl_and_reset_pmds_are_allocated(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_smpl_pmds[0] = 1 << 2;
	pmc.reg_reset_pmds[0] = 1 << 3;
	fixture_pmc(test, pmc);
	KUNIT_EXPECT_EQ(test, num_pmds(test, 0), AT_FIRST + 3);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	load_and_start(test, 0);
	happen(test, 10, 0, 0);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].num_smpl_pmds, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].smpl_pmds_values[0], 0ULL);
	KUNIT_EXPECT_EQ(test, value(test, 0, 3), 0ULL);
}

static int refuse(struct pfm_pmu_reg *reg)
{
	return -EINVAL;
}

static void refused_pmd_write_allocates_nothing(
	struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	const struct pfm_pmu *real = ctx->pmu;
	pfarg_pmd_t pmd = { .reg_num = 1, .reg_value = 77 };
	struct pfm_pmu pmu = *real;

	load_and_start(test, 0);
	pmu.write_pmc = refuse;
	ctx->pmu = &pmu;
	KUNIT_EXPECT_EQ(test, command(test, &pmd, pfm_write_pmd), -EINVAL);
	ctx->pmu = real;
	KUNIT_EXPECT_EQ(test, num_pmds(test, 0), AT_FIRST);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), 0ULL);
}

/*
 * While the old overflow settings of a PMD and the new ones both exist, only
 * the larger of the two is charged. So settings can be changed even if the
 * user's memory limit has been reached.
 */
static void replaced_overflow_settings_are_charged_once(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	const size_t *charged = &ctx->charge.bytes;
	struct pfm_pmd_ovfl *plain, *same, *longer;
	struct pfm_evtset *set;
	size_t with_plain, with_longer;

	make_set(test, 1, 0, 0, 0);
	set = fixture_find_set(ctx, 1);
	fixture_lock(ctx);
	plain = pfm_ovfl_create(set, 0, 0, 0, NULL);
	with_plain = *charged;
	same = pfm_ovfl_create(set, 0, 0, 0, plain);
	KUNIT_EXPECT_EQ(test, *charged, with_plain);
	pfm_ovfl_drop(set, plain, same);
	KUNIT_EXPECT_EQ(test, *charged, with_plain);
	longer = pfm_ovfl_create(set, 8, 0, 0, same);
	with_longer = *charged;
	KUNIT_EXPECT_GT(test, with_longer, with_plain);
	/* The core calls this if the PMU refuses the longer setting. */
	pfm_ovfl_drop(set, longer, same);
	KUNIT_EXPECT_EQ(test, *charged, with_plain);
	longer = pfm_ovfl_create(set, 8, 0, 0, same);
	pfm_ovfl_drop(set, same, longer);
	KUNIT_EXPECT_EQ(test, *charged, with_longer);
	plain = pfm_ovfl_create(set, 0, 0, 0, longer);
	KUNIT_EXPECT_EQ(test, *charged, with_longer);
	pfm_ovfl_drop(set, longer, plain);
	KUNIT_EXPECT_EQ(test, *charged, with_plain);
	pfm_ovfl_drop(set, plain, NULL);
	KUNIT_EXPECT_LT(test, *charged, with_plain);
	fixture_unlock(ctx);
}

static struct kunit_case pmd_cases[] = {
	KUNIT_CASE(pmd_is_allocated_on_first_use),
	KUNIT_CASE(unallocated_pmd_reads_default_value),
	KUNIT_CASE(pmd_allocated_in_counting_set),
	KUNIT_CASE(pmd_allocated_in_inactive_loaded_set),
	KUNIT_CASE(written_unprogrammed_pmd_keeps_value),
	KUNIT_CASE(smpl_and_reset_pmds_are_allocated),
	KUNIT_CASE(refused_pmd_write_allocates_nothing),
	KUNIT_CASE(replaced_overflow_settings_are_charged_once),
	{}
};

static struct kunit_suite pmd_suite = {
	.name = "pfm_pmd",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = pmd_cases,
};

kunit_test_suite(pmd_suite);
