// SPDX-License-Identifier: GPL-2.0
/*
 * value_kunit.c - 64-bit values made with 32-bit counters (3.1.3), and reset
 * values, including random ones (3.4.1, 3.4.2)
 */
#include "carta.h"
#include "context.h"
#include "fixture.h"
#include "msgq.h"
#include "value.h"

#define TOP	(1ULL << PFM_SIM_WIDTH)

#define PLAIN	PFM_SIM_PMD_PLAIN

/* Proves 3.1.3-26, 3.1.4-13, P4.3-02 */
static void counter_wrap_carries_into_upper_bits(struct kunit *test)
{
	fixture_counter(test, 0, 0, TOP - 10);
	fixture_start(test);
	fixture_count(test, 9);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), TOP - 1);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), TOP);
	fixture_count(test, TOP - 1);
	fixture_count(test, TOP - 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3 * TOP - 2);
}

/* Proves 3.1.3-08, P4.3-01 */
static void written_pmd_keeps_64_bits(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0x123456789abcdef0ULL);
	fixture_start(test);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 0x123456789abcdef0ULL);
	fixture_count(test, 0x10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 0x123456789abcdf00ULL);
}

/* Proves 3.1.3-27, 3.4.1-02, P5.1-01 */
static void only_the_64_bit_overflow_notifies(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -2 * TOP);
	fixture_start(test);
	fixture_count(test, TOP - 1);
	fixture_count(test, 1);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(&f->ctx->msgq));
	fixture_count(test, TOP - 1);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(&f->ctx->msgq));
	fixture_count(test, 1);
	KUNIT_EXPECT_FALSE(test, pfm_msgq_empty(&f->ctx->msgq));
}

/* Proves 3.1.2-09, 3.4.3-02 */
static void counter_without_notification_keeps_counting(struct kunit *test)
{
	fixture_counter(test, 0, 0, -5);
	fixture_start(test);
	fixture_count(test, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 2ULL);
	fixture_count(test, 3);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5ULL);
}

/* Proves 3.1.2-19, 3.1.7-11 */
static void unprogrammed_counter_stays_unchanged(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	fixture_count2(test, 5, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 0ULL);
}

/* Proves 3.1.3-10 */
static void a_write_while_counting_takes_effect_at_once(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	fixture_count(test, 10);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = 3 * TOP });
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3 * TOP + 10);
}

/* Proves 3.1.3-28 */
static void a_plain_register_keeps_its_value(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 77 });
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PFM_SIM_PMD_PLAIN), 77ULL);
}

/* Return the hardware counter of PMD0. */
static u64 *hw_counter(struct kunit *test)
{
	return fixture_pmd_of(ctx_of(test), 0)->hw.priv;
}

/*
 * The simulated PMU's read function, and the number of events that make the
 * counter wrap during the next call of read_while_it_wraps().
 */
static u64 (*sim_read)(struct pfm_pmu_reg *reg);
static u64 wraps_once;

static u64 read_while_it_wraps(struct pfm_pmu_reg *reg)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { wraps_once } };
	u64 before = sim_read(reg);

	wraps_once = 0;
	pfm_sim_advance(&tick);
	return before;
}

static void read_is_consistent_if_counter_wraps(
	struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	const struct pfm_pmu *sim = ctx->pmu;
	struct pfm_pmu pmu = *sim;

	fixture_counter(test, 0, 0, TOP - 10);
	fixture_start(test);
	fixture_count(test, 9);
	sim_read = sim->read_pmd;
	wraps_once = 2;
	pmu.read_pmd = read_while_it_wraps;
	ctx->pmu = &pmu;
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), TOP + 1);
	ctx->pmu = sim;
}

/* Check that a read includes a wrap whose interrupt is still pending. */
static void expect_wrap_is_seen_early(struct kunit *test, u64 value)
{
	struct pfm_evtset *set = ctx_of(test)->set;
	DECLARE_BITMAP(wrapped, PFM_MAX_PMDS) = { 1 };

	*hw_counter(test) = 3;
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), value);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), value);
	preempt_disable();
	pfm_overflow_many(&set->pmu_set, wrapped, 0, NULL, NULL);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), value);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), value + 1);
}

static void read_includes_pending_wrap(struct kunit *test)
{
	fixture_counter(test, 0, 0, TOP - 10);
	fixture_start(test);
	expect_wrap_is_seen_early(test, TOP + 3);
	/* Later reads must not return a smaller value. */
	fixture_count(test, TOP - 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 2 * TOP - 6);
	expect_wrap_is_seen_early(test, 2 * TOP + 3);
	/* A value that is written later must not be mistaken for a wrap. */
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = 5 });
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5ULL);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -2 });
	expect_wrap_is_seen_early(test, 3);
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(counter_wrap_carries_into_upper_bits),
	KUNIT_CASE(written_pmd_keeps_64_bits),
	KUNIT_CASE(only_the_64_bit_overflow_notifies),
	KUNIT_CASE(counter_without_notification_keeps_counting),
	KUNIT_CASE(unprogrammed_counter_stays_unchanged),
	KUNIT_CASE(a_write_while_counting_takes_effect_at_once),
	KUNIT_CASE(a_plain_register_keeps_its_value),
	KUNIT_CASE(read_is_consistent_if_counter_wraps),
	KUNIT_CASE(read_includes_pending_wrap),
	{}
};

static struct kunit_suite value_suite = {
	.name = "pfm_value",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = value_cases,
};

/*
 * Proves 3.1.2-10, 3.1.3-19, 3.1.4-08, 3.4.2-01, 3.4.2-05, 3.4.2-08, 3.4.2-09,
 * 3.5.14-12, 3.5.14-20, 3.5.15-06
 */
static void random_resets_follow_seed(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 state = pfm_carta_seed(7);
	u64 expected = -10ULL;
	int i;

	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 0,
					 .reg_flags = PFM_REGFL_RANDOM });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10000,
					 .reg_long_reset = -50000,
					 .reg_random_mask = 0xff,
					 .reg_random_seed = 7 });
	fixture_start(test);
	for (i = 0; i < 10; i++) {
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
		fixture_count(test, -fixture_value(test, 0));
		/*
		 * The handler got the reset value of the period that has just
		 * ended.
		 */
		KUNIT_EXPECT_EQ(test, f->script.arg[i].pmd_last_reset,
				expected);
		expected = -10000ULL + (pfm_carta_next(&state) & 0xff);
		KUNIT_EXPECT_EQ(test, fixture_value(test, 0), expected);
		KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val,
				expected);
	}
	f->script.ctrl[10] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_count(test, -fixture_value(test, 0));
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			-50000ULL + (pfm_carta_next(&state) & 0xff));
}

/* Make PMD0 overflow. Return: the random part of its new value. */
static u64 draw(struct kunit *test)
{
	fixture_count(test, -fixture_value(test, 0));
	return fixture_value(test, 0) + 10000;
}

/* Proves 3.1.3-17, 3.4.2-05, 3.4.2-09 */
static void only_pmd_write_restarts_random_series(struct kunit *test)
{
	const pfarg_pmd_t pmd = { .reg_value = -10, .reg_short_reset = -10000,
				  .reg_random_mask = 0xff,
				  .reg_random_seed = 7 };
	struct fixture *f = test->priv;
	u32 state = pfm_carta_seed(7);
	u64 first;
	int i;

	for (i = 0; i < 10; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	fixture_pmc(test, (pfarg_pmc_t){ .reg_flags = PFM_REGFL_RANDOM });
	fixture_pmd(test, pmd);
	fixture_start(test);
	first = pfm_carta_next(&state) & 0xff;
	KUNIT_EXPECT_EQ(test, draw(test), first);
	/*
	 * Loading the context and writing the PMC do not restart the random
	 * series.
	 */
	for (i = 0; i < 3; i++) {
		fixture_unload(test);
		fixture_start(test);
		KUNIT_EXPECT_EQ(test, draw(test),
				(u64)(pfm_carta_next(&state) & 0xff));
	}
	fixture_pmc(test, (pfarg_pmc_t){ .reg_value = 2,
					 .reg_flags = PFM_REGFL_RANDOM });
	KUNIT_EXPECT_EQ(test, draw(test),
			(u64)(pfm_carta_next(&state) & 0xff));
	KUNIT_EXPECT_NE(test, (u64)(pfm_carta_next(&state) & 0xff), first);
	fixture_pmd(test, pmd);
	KUNIT_EXPECT_EQ(test, draw(test), first);
}

/* Proves 3.4.2-06 */
static void each_pmd_has_own_random_series(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 state[2] = { pfm_carta_seed(7), pfm_carta_seed(8) };
	u64 base = -1000ULL;
	int i, n;

	for (i = 0; i < 2; i++) {
		fixture_pmc(test, (pfarg_pmc_t){
				.reg_num = i, .reg_flags = PFM_REGFL_RANDOM });
		fixture_pmd(test, (pfarg_pmd_t){
				.reg_num = i, .reg_value = -10,
				.reg_short_reset = base,
				.reg_random_mask = 0xff,
				.reg_random_seed = 7 + i });
	}
	fixture_start(test);
	for (n = 0; n < 5; n++) {
		f->script.ctrl[2 * n] = PFM_OVFL_CTRL_RESET;
		f->script.ctrl[2 * n + 1] = PFM_OVFL_CTRL_RESET;
		fixture_count2(test, -fixture_value(test, 0),
			       -fixture_value(test, 1));
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ(test, fixture_value(test, i), base +
					(pfm_carta_next(&state[i]) & 0xff));
	}
}

/*
 * A sample records PMD1 and resets it. PMD1 has wrapped, but its interrupt is
 * still pending. The sample must include this wrap exactly once, and the core
 * must not mistake the reset for a further wrap.
 */
static void sample_includes_pending_wraps(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_smpl_pmds[0] = 1U << 1;
	pmc.reg_reset_pmds[0] = 1U << 1;
	fixture_counter(test, 1, 0, TOP - 10);
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 0, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), TOP - 5);
	*(u64 *)fixture_pmd_of(f->ctx, 1)->hw.priv = 3;
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].smpl_pmds_values[0], TOP + 3);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), TOP - 10);
}

/* Proves 3.4.2-02 */
static void no_random_resets_without_flag(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 0 });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = SHORT_RESET,
					 .reg_random_mask = ~0ULL,
					 .reg_random_seed = 7 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
}

/*
 * PFM_REGFL_RANDOM cannot be set for a PMD without a PMC. The PMD in this test
 * is reset together with a counter for which the flag is set.
 */
/* Proves 3.4.2-03 */
static void non_counter_pmd_is_not_randomized(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_flags = PFM_REGFL_RANDOM };

	pmc.reg_reset_pmds[0] = 1U << PFM_SIM_PMD_PLAIN;
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = SHORT_RESET });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 5, .reg_short_reset = 6,
					 .reg_random_mask = ~0ULL,
					 .reg_random_seed = 7 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PFM_SIM_PMD_PLAIN), 6ULL);
}

/* Proves 3.1.3-28, 3.1.4-14, 3.1.14-08 */
static void missing_register_bits_are_ignored(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	struct pfm_pmu_reg *hw = &fixture_pmd_of(ctx, PLAIN)->hw;
	static struct pfm_reg_desc narrow;
	pfarg_pmc_t pmc = { .reg_num = 0 };
	pfarg_pmd_t pmd;

	narrow = *hw->desc;
	/* The register has only 16 bits, one of which is fixed. */
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
static void non_counter_pmd_is_reset_on_request(struct kunit *test)
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
	/* PMC1 does not request a reset of this PMD. */
	fixture_count2(test, 0, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 77ULL);
	fixture_count2(test, 10, 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 5ULL);
	fixture_count2(test, 10, 0);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PLAIN), 6ULL);
}

static u64 usual_period(struct kunit *test, int pmd)
{
	return pfm_usual_period(&fixture_pmd_of(ctx_of(test), pmd)->hw);
}

/*
 * The period is determined by the short reset value or, if that is 0, by the
 * last reset value.
 */
static void usual_period_comes_from_reset_values(struct kunit *test)
{
	struct pfm_pmd *pmd;

	fixture_counter(test, 0, 0, -3);
	fixture_counter(test, 1, 0, 7);
	pmd = fixture_pmd_of(ctx_of(test), 0);
	pmd->short_reset = -100;
	KUNIT_EXPECT_EQ(test, usual_period(test, 0), 100ULL);
	/*
	 * Without a short reset value, only PFM_RESTART resets the counter, so
	 * the last reset value determines the period.
	 */
	pmd->short_reset = 0;
	KUNIT_EXPECT_EQ(test, usual_period(test, 0), 3ULL);
	pfm_note_reset(pmd, -1000);
	KUNIT_EXPECT_EQ(test, usual_period(test, 0), 1000ULL);
	/* A positive reset value, here 7, is not a period. */
	KUNIT_EXPECT_EQ(test, usual_period(test, 1), 0ULL);
}

static struct kunit_case value_reset_cases[] = {
	KUNIT_CASE(usual_period_comes_from_reset_values),
	KUNIT_CASE(random_resets_follow_seed),
	KUNIT_CASE(only_pmd_write_restarts_random_series),
	KUNIT_CASE(each_pmd_has_own_random_series),
	KUNIT_CASE(sample_includes_pending_wraps),
	KUNIT_CASE(no_random_resets_without_flag),
	KUNIT_CASE(non_counter_pmd_is_not_randomized),
	KUNIT_CASE(missing_register_bits_are_ignored),
	KUNIT_CASE(non_counter_pmd_is_reset_on_request),
	{}
};

static struct kunit_suite value_reset_suite = {
	.name = "pfm_value_reset",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = value_reset_cases,
};

kunit_test_suites(&value_suite, &value_reset_suite);
