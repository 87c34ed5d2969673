// SPDX-License-Identifier: GPL-2.0
/*
 * regs_kunit.c - PMCs and PMDs (3.1.2 - 3.1.4), including kinds of registers
 * that no PMU in this tree has
 */
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include "context.h"
#include "evtset_fixture.h"
#include "pfm_sim.h"
#include "pmu.h"
#include "regs.h"
#include "value.h"

/* Proves 3.1.2-11 */
static void pmc_without_counter_ignores_overflow_settings(
	struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	const struct pfm_pmu *real = ctx->pmu;
	struct pfm_pmu pmu = *real;
	struct pfm_reg_desc pmcs[PFM_SIM_PAIRS];
	pfarg_pmc_t pmc = { .reg_num = 3, .reg_value = 1,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY |
					 PFM_REGFL_RANDOM,
			    .reg_smpl_eventid = 7 };

	memcpy(pmcs, real->pmcs, sizeof(pmcs));
	pmcs[3].pmd = PFM_REGD_NO_PMD;
	pmu.pmcs = pmcs;
	pmu.num_pmcs = PFM_SIM_PAIRS;
	/* The bit vector contains a PMD that does not exist. */
	pmc.reg_smpl_pmds[2] = 1;
	ctx->pmu = &pmu;
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_write_pmc(ctx, &pmc), 0);
	fixture_unlock(ctx);
	ctx->pmu = real;
	KUNIT_EXPECT_EQ(test, pmc.reg_flags & PFM_REG_RETFL_MASK, 0U);
	KUNIT_EXPECT_NULL(test, fixture_pmd_of(ctx, 3));
}

/* Return a value of 64 bits, although the counters are narrower. */
static u64 read_wide(struct task_struct *task)
{
	return 0x123456789abcdef0;
}

static void virtual_pmd_has_64_bits(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	struct pfm_pmd *pmd;
	struct pfm_reg_desc desc;

	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	/* Also read the PMD before its description is replaced. */
	value(test, 0, PFM_PMD_PERF_CLOCK);
	pmd = fixture_pmd_of(ctx, pfm_pmu_find(ctx->pmu->pmds,
					       ctx->pmu->num_pmds,
					       PFM_PMD_PERF_CLOCK));
	KUNIT_ASSERT_NOT_NULL(test, pmd);
	desc = *pmd->hw.desc;
	desc.read = read_wide;
	pmd->hw.desc = &desc;
	KUNIT_EXPECT_EQ(test, value(test, 0, PFM_PMD_PERF_CLOCK),
			read_wide(current));
	KUNIT_EXPECT_EQ(test, pfm_value_read_ovfl(pmd), read_wide(current));
	fixture_unload(test);
}

static void virtual_pmd_is_read_by_description(
	struct kunit *test)
{
	u64 before, read, after;

	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	before = local_clock();
	read = value(test, 0, PFM_PMD_PERF_CLOCK);
	after = local_clock();
	KUNIT_EXPECT_GE(test, read, before);
	KUNIT_EXPECT_LE(test, read, after);
	fixture_unload(test);
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
	const struct pfm_pmu *real = ctx->pmu;
	struct pfm_pmu pmu = *real;
	struct pfm_pmd *mine;

	fixture_counter(test, 0, 0, 5);
	mine = fixture_pmd_of(ctx, 0);
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

#define REFUSED	0x77	/* the PMU has no such event */

/* The last two values written to the PMU. */
static u64 asked[2];
static int refusals;

static int refuse_some(struct pfm_pmu_reg *reg)
{
	asked[0] = asked[1];
	asked[1] = reg->pmc_value;
	return refusals-- > 0 ? -EINVAL : 0;
}

/*
 * Write a new event and new settings to PMC0. The PMU refuses the next @times
 * writes. Return: the error.
 */
static int write_refused(struct kunit *test, int times)
{
	struct pfm_context *ctx = ctx_of(test);
	const struct pfm_pmu *real = ctx->pmu;
	pfarg_pmc_t pmc = { .reg_value = REFUSED, .reg_smpl_eventid = 9,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };
	struct pfm_pmu pmu = *real;
	int ret;

	pmc.reg_smpl_pmds[0] = 1 << 3;
	pmc.reg_reset_pmds[0] = 1 << 4;
	pmu.write_pmc = refuse_some;
	refusals = times;
	ctx->pmu = &pmu;
	fixture_lock(ctx);
	ret = pfm_write_pmc(ctx, &pmc);
	fixture_unlock(ctx);
	ctx->pmu = real;
	KUNIT_EXPECT_TRUE(test, pmc.reg_flags & PFM_REG_RETFL_EINVAL);
	return ret;
}

/* Check that the failed write has changed nothing. */
static void expect_old_pmc(struct kunit *test)
{
	struct pfm_pmd *mine = fixture_pmd_of(ctx_of(test), 0);
	const struct pfm_pmd_ovfl *ovfl = mine->ovfl;

	KUNIT_EXPECT_EQ(test, mine->hw.pmc_value, 5ULL);
	KUNIT_EXPECT_EQ(test, ovfl->arg.pmd_eventid, 3ULL);
	KUNIT_EXPECT_EQ(test, ovfl->arg.ovfl_notify, 0);
	KUNIT_EXPECT_FALSE(test, ovfl->random);
	KUNIT_EXPECT_EQ(test, ovfl->arg.smpl_pmds[0], 1ULL << 1);
	KUNIT_EXPECT_EQ(test, ovfl->arg.num_smpl_pmds, 1);
	KUNIT_EXPECT_PTR_EQ(test, pfm_smpl_regs(ovfl)[0],
			    &fixture_pmd_of(ctx_of(test), 1)->hw);
	KUNIT_EXPECT_EQ(test, ovfl->num_reset, 1);
	KUNIT_EXPECT_EQ(test, pfm_reset_slots(ovfl)[0], 2);
}

static void start_with_old_pmc(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_value = 5, .reg_smpl_eventid = 3 };

	pmc.reg_smpl_pmds[0] = 1 << 1;
	pmc.reg_reset_pmds[0] = 1 << 2;
	fixture_counter(test, 0, 0, 100);
	/*
	 * Allocate the PMDs of the new settings first, so that the write fails
	 * only because of the PMU.
	 */
	fixture_counter(test, 3, 0, 0);
	fixture_counter(test, 4, 0, 0);
	fixture_pmc(test, pmc);
	fixture_start(test);
	fixture_count(test, 7);
}

/* Proves 3.1.2-06 */
static void refused_pmc_value_restores_old_one(struct kunit *test)
{
	start_with_old_pmc(test);
	KUNIT_EXPECT_EQ(test, write_refused(test, 1), -EINVAL);
	/* The old value was written to the PMU again. */
	KUNIT_EXPECT_EQ(test, asked[0], (u64)REFUSED);
	KUNIT_EXPECT_EQ(test, asked[1], 5ULL);
	expect_old_pmc(test);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 107ULL);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 108ULL);
}

/*
 * The PMU also refuses the old value, as if another user had taken the counter
 * meanwhile.
 */
static void old_pmc_value_may_be_refused_too(struct kunit *test)
{
	start_with_old_pmc(test);
	KUNIT_EXPECT_EQ(test, write_refused(test, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, asked[1], 5ULL);
	expect_old_pmc(test);
	/*
	 * When the context is loaded again, the old value is written to the PMU
	 * again.
	 */
	fixture_unload(test);
	fixture_start(test);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 108ULL);
}

/* Make samples of PMD0 record PMD1 to PMD@n. */
static void sample_with(struct kunit *test, unsigned int n)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_smpl_pmds[0] = ((1ULL << n) - 1) << 1;
	fixture_pmc(test, pmc);
}

/*
 * The memory use matters, because a context may have hundreds of sets with a
 * dozen counters each.
 */
static void overflow_settings_use_memory_per_sampled_pmd(
	struct kunit *test)
{
	struct pfm_pmd *pmd;

	sample_with(test, 0);
	pmd = fixture_pmd_of(ctx_of(test), 0);
	KUNIT_EXPECT_LE(test, ksize(pmd->ovfl), 96UL);
	sample_with(test, 4);
	KUNIT_EXPECT_LE(test, ksize(pmd->ovfl), 192UL);
}

static void counter_can_sample_more_pmds_later(struct kunit *test)
{
	struct fixture *f = test->priv;
	int n, i;

	for (i = 1; i < PFM_SIM_PAIRS; i++)
		fixture_pmd(test, (pfarg_pmd_t){ .reg_num = i,
						 .reg_value = 100 * i });
	sample_with(test, 1);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10 });
	fixture_start(test);
	for (n = 0; n < PFM_SIM_PAIRS; n++) {
		sample_with(test, n);
		f->script.ctrl[n] = PFM_OVFL_CTRL_RESET;
		fixture_count(test, 10);
		KUNIT_ASSERT_EQ(test, f->script.calls, n + 1);
		KUNIT_EXPECT_EQ(test, f->script.arg[n].num_smpl_pmds, n);
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test,
					f->script.arg[n].smpl_pmds_values[i],
					100ULL * (i + 1));
	}
	/* Then make PMD0 record fewer values. */
	sample_with(test, 1);
	f->script.ctrl[n] = PFM_OVFL_CTRL_RESET;
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, f->script.arg[n].num_smpl_pmds, 1);
}

/* Proves 3.1.2-17 */
static void recorded_pmds_are_of_the_pmcs_set(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_set = 1, .reg_flags = NOTIFY };
	u16 set;

	pmc.reg_smpl_pmds[0] = 1U << PFM_SIM_PMD_PLAIN;
	make_set(test, 1, 0, 0, 0);
	for (set = 0; set <= 1; set++)
		fixture_pmd(test,
			    (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					   .reg_set = set,
					   .reg_value = 11 + set });
	make_counter(test, 1, 0, NOTIFY, 0);
	fixture_pmc(test, pmc);
	load_and_start(test, 1);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].smpl_pmds_values[0], 12ULL);
}

static struct kunit_case regs_cases[] = {
	KUNIT_CASE(pmc_without_counter_ignores_overflow_settings),
	KUNIT_CASE(overflow_settings_use_memory_per_sampled_pmd),
	KUNIT_CASE(counter_can_sample_more_pmds_later),
	KUNIT_CASE(virtual_pmd_has_64_bits),
	KUNIT_CASE(virtual_pmd_is_read_by_description),
	KUNIT_CASE(a_refused_pmd_value_changes_nothing),
	KUNIT_CASE(refused_pmc_value_restores_old_one),
	KUNIT_CASE(old_pmc_value_may_be_refused_too),
	KUNIT_CASE(recorded_pmds_are_of_the_pmcs_set),
	{}
};

static struct kunit_suite regs_suite = {
	.name = "pfm_regs",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = regs_cases,
};

/* Proves 3.1.2-17 */
static void pmc_bit_vectors_refer_to_same_set(struct kunit *test)
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
static void non_counter_pmd_has_no_threshold(struct kunit *test)
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

/*
 * Return the simulated hardware register of PMC or PMD @num. @getinfo is the
 * function for PFM_GETINFO_PMCS or PFM_GETINFO_PMDS.
 */
static u64 *hardware(struct kunit *test, u16 num,
		     int (*getinfo)(const struct pfm_pmu *pmu, void *elem))
{
	pfarg_pmcinfo_t info = { .reg_num = num };
	u64 *reg;

	KUNIT_ASSERT_EQ(test, getinfo(ctx_of(test)->pmu, &info), 0);
	reg = pfm_sim_register(current, info.reg_type, info.reg_index);
	KUNIT_ASSERT_NOT_NULL(test, reg);
	return reg;
}

/* Proves 2.2.2-03, 3.1.13-13, 3.1.14-11, 3.2.1-02, 3.2.4-01 */
static void logical_registers_access_hardware_registers(struct kunit *test)
{
	u32 pmc = 0x80000001;
	u64 *select, *counter;
	u16 i;

	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	for (i = 0; i < PFM_SIM_PAIRS; i++, pmc = pmc * 69069 + 1) {
		select = hardware(test, i, pfm_getinfo_pmc);
		counter = hardware(test, i, pfm_getinfo_pmd);
		/* A write must change the hardware register. */
		fixture_pmc(test, (pfarg_pmc_t){ .reg_num = i,
						 .reg_value = pmc });
		fixture_pmd(test, (pfarg_pmd_t){ .reg_num = i,
						 .reg_value = pmc / 2 });
		KUNIT_EXPECT_EQ(test, *select, (u64)pmc);
		KUNIT_EXPECT_EQ(test, *counter, (u64)pmc / 2);
		/* A read must return what the hardware register has counted. */
		*counter += 1000 + i;
		KUNIT_EXPECT_EQ(test, fixture_value(test, i),
				pmc / 2 + 1000ULL + i);
	}
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0 });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 1 });
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, 5, 5, 0);
	KUNIT_EXPECT_EQ(test, *hardware(test, 0, pfm_getinfo_pmd), 5ULL);
	/*
	 * Counter 0 counts only while PMC0's hardware register is not 0: clear
	 * the register.
	 */
	*hardware(test, 0, pfm_getinfo_pmc) = 0;
	happen(test, 5, 5, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), 10ULL);
}

static struct kunit_case regs_without_fmt_cases[] = {
	KUNIT_CASE(logical_registers_access_hardware_registers),
	KUNIT_CASE(pmc_bit_vectors_refer_to_same_set),
	KUNIT_CASE(non_counter_pmd_has_no_threshold),
	{}
};

static struct kunit_suite regs_without_fmt_suite = {
	.name = "pfm_regs_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = regs_without_fmt_cases,
};

kunit_test_suites(&regs_suite, &regs_without_fmt_suite);
