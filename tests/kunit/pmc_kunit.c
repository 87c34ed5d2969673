// SPDX-License-Identifier: GPL-2.0
/*
 * pmc_kunit.c - PMCs that contain additional configuration words of a counter
 */
#include "context.h"
#include "evtset_fixture.h"
#include "pfm_sim.h"
#include "pmc.h"
#include "regs.h"

#define CONFIG1(n)	(64 + (n))
#define CONFIG2(n)	(128 + (n))
#define REFUSED		0x77	/* the PMU refuses this word */

/*
 * The last values that the core asked the PMU to check or write, and the number
 * of these requests.
 */
static struct {
	u16	num;
	u64	value;
	u64	config[PFM_PMC_CONFIGS];
	int	checks;
	int	writes;
} seen;

static int check_seen(struct pfm_pmu_set *s, u16 num, u64 value,
		      const u64 *config, bool syswide)
{
	seen.num = num;
	seen.value = value;
	memcpy(seen.config, config, sizeof(seen.config));
	seen.checks++;
	return value && config[0] == REFUSED ? -EINVAL : 0;
}

/* Refuse the value REFUSED in the second word. check_seen() accepts it. */
static int write_seen(struct pfm_pmu_reg *reg)
{
	u64 config[PFM_PMC_CONFIGS];

	pfm_pmc_configs(reg, config);
	seen.value = reg->pmc_value;
	memcpy(seen.config, config, sizeof(seen.config));
	seen.writes++;
	return config[1] == REFUSED ? -EINVAL : 0;
}

static struct pfm_pmu watched;

static int init_watched(struct kunit *test)
{
	int ret = fixture_init(test);

	memset(&seen, 0, sizeof(seen));
	watched = *ctx_of(test)->pmu;
	watched.check_pmc = check_seen;
	watched.write_pmc = write_seen;
	ctx_of(test)->pmu = &watched;
	return ret;
}

static int write(struct kunit *test, u16 set, u16 num, u64 value)
{
	pfarg_pmc_t pmc = { .reg_num = num, .reg_set = set,
			    .reg_value = value };
	int ret = command(test, &pmc, pfm_write_pmc);

	KUNIT_EXPECT_EQ(test, !!ret, !!PFM_REG_HAS_ERROR(pmc.reg_flags));
	return ret;
}

static void expect_words(struct kunit *test, u16 id, u16 num, u64 select,
			 u64 config1, u64 config2)
{
	struct pfm_context *ctx = ctx_of(test);
	struct pfm_pmc_words words = {};
	struct pfm_pmd *pmd;

	fixture_lock(ctx);
	pmd = pfm_pmd_at(pfm_evtset_find(ctx, id), num);
	if (pmd)
		pfm_pmc_read(pmd, &words);
	fixture_unlock(ctx);
	KUNIT_EXPECT_EQ(test, words.select, select);
	KUNIT_EXPECT_EQ(test, words.config[0], config1);
	KUNIT_EXPECT_EQ(test, words.config[1], config2);
}

static void expect_seen(struct kunit *test, u64 select, u64 config1,
			u64 config2)
{
	KUNIT_EXPECT_EQ(test, seen.value, select);
	KUNIT_EXPECT_EQ(test, seen.config[0], config1);
	KUNIT_EXPECT_EQ(test, seen.config[1], config2);
}

static void pmc_config_words_default_to_zero(struct kunit *test)
{
	struct pfm_evtset *set = fixture_find_set(ctx_of(test), 0);

	expect_words(test, 0, 0, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, 0, 1), 0);
	expect_seen(test, 1, 0, 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 0), 0);
	/* No memory is allocated as long as the additional words are all 0. */
	KUNIT_EXPECT_NULL(test, set->configs);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 30), 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG2(0), -1ULL), 0);
	expect_words(test, 0, 0, 1, 30, -1ULL);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 0), 0);
	expect_words(test, 0, 0, 1, 0, -1ULL);
}

static void pmc_config_words_are_per_counter_and_set(struct kunit *test)
{
	u16 last = PFM_SIM_PAIRS - 1;

	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 1), 0);
	KUNIT_ASSERT_EQ(test, write(test, 1, CONFIG1(0), 2), 0);
	KUNIT_ASSERT_EQ(test, write(test, 1, CONFIG2(last), 3), 0);
	expect_words(test, 0, 0, 0, 1, 0);
	expect_words(test, 0, last, 0, 0, 0);
	expect_words(test, 1, 0, 0, 2, 0);
	expect_words(test, 1, last, 0, 0, 3);
	KUNIT_EXPECT_EQ(test, write(test, 2, CONFIG1(0), 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(test, 0, CONFIG1(last + 1), 1), -EINVAL);
}

static void pmu_checks_all_config_words_of_counter(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG2(3), 8), 0);
	KUNIT_EXPECT_EQ(test, seen.num, 3);
	expect_seen(test, 0, 0, 8);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(3), 7), 0);
	expect_seen(test, 0, 7, 8);
	KUNIT_ASSERT_EQ(test, write(test, 0, 3, 6), 0);
	KUNIT_EXPECT_EQ(test, seen.num, 3);
	expect_seen(test, 6, 7, 8);
	KUNIT_EXPECT_EQ(test, seen.checks, 3);
	/* Nothing is written to the PMU until the set is loaded. */
	KUNIT_EXPECT_EQ(test, seen.writes, 0);
}

static void refused_pmc_config_word_changes_nothing(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 7), 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, 0, 6), 0);
	KUNIT_EXPECT_EQ(test, write(test, 0, CONFIG1(0), REFUSED), -EINVAL);
	expect_words(test, 0, 0, 6, 7, 0);
	/*
	 * An event is also refused if the PMU does not accept it together with
	 * the existing word.
	 */
	KUNIT_ASSERT_EQ(test, write(test, 0, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), REFUSED), 0);
	KUNIT_EXPECT_EQ(test, write(test, 0, 0, 6), -EINVAL);
	expect_words(test, 0, 0, 0, REFUSED, 0);
}

static void config_word_write_reaches_loaded_pmu(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, write(test, 0, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, seen.writes, 0);
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 30), 0);
	KUNIT_EXPECT_EQ(test, seen.writes, 1);
	expect_seen(test, 1, 30, 0);
	/* An unchanged word is not written again. */
	KUNIT_ASSERT_EQ(test, write(test, 0, CONFIG1(0), 30), 0);
	KUNIT_EXPECT_EQ(test, seen.writes, 1);
	/* After an error, the old words are written again. */
	KUNIT_EXPECT_EQ(test, write(test, 0, CONFIG2(0), REFUSED), -EINVAL);
	KUNIT_EXPECT_EQ(test, seen.writes, 3);
	expect_seen(test, 1, 30, 0);
	expect_words(test, 0, 0, 1, 30, 0);
}

/*
 * Requirement 3.1.2-11 says that PMCs without a counter ignore overflow
 * settings. PMCs for configuration words ignore them, too, but refuse unknown
 * flags.
 */
static void config_word_ignores_overflow_settings(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_value = 1,
			    .reg_flags = NOTIFY, .reg_smpl_eventid = 5 };
	const struct pfm_pmd_ovfl *ovfl;

	KUNIT_ASSERT_EQ(test, command(test, &pmc, pfm_write_pmc), 0);
	pmc = (pfarg_pmc_t){ .reg_num = CONFIG1(0), .reg_value = 2,
			     .reg_smpl_eventid = 9 };
	pmc.reg_smpl_pmds[2] = 1;
	KUNIT_ASSERT_EQ(test, command(test, &pmc, pfm_write_pmc), 0);
	ovfl = fixture_pmd_of(ctx_of(test), 0)->ovfl;
	KUNIT_EXPECT_TRUE(test, ovfl->arg.ovfl_notify);
	KUNIT_EXPECT_EQ(test, ovfl->arg.pmd_eventid, 5ULL);
	pmc.reg_flags = 0x4;
	KUNIT_EXPECT_EQ(test, command(test, &pmc, pfm_write_pmc), -EINVAL);
}

static void config_words_are_charged_to_context(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	const size_t *charged = &ctx->charge.bytes;
	pfarg_setdesc_t set = { .set_id = 1 };
	size_t before = *charged, with_pmd;

	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, write(test, 1, 0, 1), 0);
	with_pmd = *charged;
	KUNIT_ASSERT_EQ(test, write(test, 1, CONFIG1(0), 1), 0);
	KUNIT_EXPECT_GT(test, *charged, with_pmd);
	with_pmd = *charged;
	KUNIT_ASSERT_EQ(test, write(test, 1, CONFIG2(0), 1), 0);
	KUNIT_EXPECT_EQ(test, *charged, with_pmd);
	KUNIT_ASSERT_EQ(test, command(test, &set, pfm_delete_evtset), 0);
	KUNIT_EXPECT_EQ(test, *charged, before);
}

static struct kunit_case pmc_cases[] = {
	KUNIT_CASE(pmc_config_words_default_to_zero),
	KUNIT_CASE(pmc_config_words_are_per_counter_and_set),
	KUNIT_CASE(pmu_checks_all_config_words_of_counter),
	KUNIT_CASE(refused_pmc_config_word_changes_nothing),
	KUNIT_CASE(config_word_write_reaches_loaded_pmu),
	KUNIT_CASE(config_word_ignores_overflow_settings),
	KUNIT_CASE(config_words_are_charged_to_context),
	{}
};

static struct kunit_suite pmc_suite = {
	.name = "pfm_pmc",
	.init = init_watched,
	.exit = fixture_exit,
	.test_cases = pmc_cases,
};
kunit_test_suite(pmc_suite);
