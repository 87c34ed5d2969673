// SPDX-License-Identifier: GPL-2.0
/*
 * emulation_kunit.c - 64-bit counters on 32-bit hardware (3.1.3), and values of
 *		       PMDs through load, stop and unload
 */
#include "context.h"
#include "fixture.h"
#include "load.h"
#include "msgq.h"

#define TOP	(1ULL << PFM_SIM_WIDTH)

static int emulation_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

/* Proves 3.1.3-26, 3.1.4-13, P4.3-02 */
static void a_counter_carries_into_its_software_part(struct kunit *test)
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
static void all_64_bits_of_a_written_value_are_kept(struct kunit *test)
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
static void a_counter_without_notification_wraps_and_goes_on(struct kunit *test)
{
	fixture_counter(test, 0, 0, -5);
	fixture_start(test);
	fixture_count(test, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 2ULL);
	fixture_count(test, 3);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5ULL);
}

/* Proves 3.1.5-03, 3.1.6-03, 3.1.7-12 */
static void nothing_counts_before_start_and_after_stop(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	fixture_counter(test, 0, 0, 100);
	KUNIT_ASSERT_EQ(test, pfm_load_context(f->ctx, &load), 0);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 100ULL);
	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_start_monitoring(f->ctx, NULL), 0);
	fixture_unlock(f->ctx);
	fixture_count(test, 5);
	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_stop_monitoring(f->ctx), 0);
	fixture_unlock(f->ctx);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 105ULL);
}

/* Proves 3.1.2-19, 3.1.7-11 */
static void an_unprogrammed_counter_measures_nothing(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	fixture_count2(test, 5, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 0ULL);
}

/* Proves 3.1.3-09, 3.1.4-15, 3.1.7-10, 3.1.8-03 */
static void values_survive_unload_and_load(struct kunit *test)
{
	fixture_counter(test, 0, 0, 5 * TOP);
	fixture_start(test);
	fixture_count(test, 42);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 5 * TOP + 42);
	fixture_start(test);
	fixture_count(test, TOP - 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 6 * TOP + 41);
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

static struct kunit_case emulation_cases[] = {
	KUNIT_CASE(a_counter_carries_into_its_software_part),
	KUNIT_CASE(all_64_bits_of_a_written_value_are_kept),
	KUNIT_CASE(only_the_64_bit_overflow_notifies),
	KUNIT_CASE(a_counter_without_notification_wraps_and_goes_on),
	KUNIT_CASE(nothing_counts_before_start_and_after_stop),
	KUNIT_CASE(an_unprogrammed_counter_measures_nothing),
	KUNIT_CASE(values_survive_unload_and_load),
	KUNIT_CASE(a_write_while_counting_takes_effect_at_once),
	KUNIT_CASE(a_plain_register_keeps_its_value),
	{}
};

static struct kunit_suite emulation_suite = {
	.name = "pfm_emulation",
	.init = emulation_init,
	.exit = fixture_exit,
	.test_cases = emulation_cases,
};
kunit_test_suite(emulation_suite);
