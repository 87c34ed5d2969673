// SPDX-License-Identifier: GPL-2.0
/*
 * load_kunit.c - attach, start, stop and detach contexts (3.1.5 - 3.1.8)
 */
#include "attach.h"
#include "context.h"
#include "evtset_fixture.h"
#include "load.h"
#include "msgq.h"

#define TOP	(1ULL << PFM_SIM_WIDTH)

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

/* Proves 3.1.7-09, 3.3.5-01 */
static void load_empties_message_queue(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	fixture_unload(test);
	KUNIT_EXPECT_FALSE(test, pfm_msgq_empty(&f->ctx->msgq));
	fixture_start(test);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

/*
 * If an exec removes the events of a trusted context, they are loaded again
 * without a PFM_LOAD_CONTEXT.
 */
static void denied_pmds_are_kept_until_next_attachment(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_counter(test, 0, 0, 100);
	fixture_start(test);
	f->ctx->trusted = true;
	fixture_lock(f->ctx);
	__set_bit(0, f->ctx->set->pmu_set.denied);
	pfm_thread_changed(f->ctx, PFM_NOTE_EXEC | PFM_NOTE_LOST);
	KUNIT_EXPECT_TRUE(test, f->ctx->loaded);
	KUNIT_EXPECT_TRUE(test, test_bit(0, f->ctx->set->pmu_set.denied));
	fixture_unlock(f->ctx);
	fixture_unload(test);
	fixture_start(test);
	KUNIT_EXPECT_FALSE(test, test_bit(0, f->ctx->set->pmu_set.denied));
}

/* Proves 3.1.7-32, 3.1.10-18, 3.1.11-08, 3.7.5-07 */
static void load_refuses_broken_set_chain(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 2 };

	make_set(test, 1, EXPL, 2, 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), -EINVAL);
	KUNIT_EXPECT_FALSE(test, ctx_of(test)->loaded);
	make_set(test, 2, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), 0);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), -EINVAL);
}

/* Proves 3.1.7-35, 3.7.6-07, 3.7.6-13 */
static void load_restarts_timeout(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 3);
	load_and_start(test, 0);
	pass(test, TICK);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 3 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
}

/* Proves 3.1.7-34, 3.7.6-22 */
static void load_restarts_thresholds(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 3);
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 2ULL);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 3ULL);
}

/* Proves 3.1.5-11, 3.1.5-12, 3.1.7-30, 3.1.12-08 */
static void load_and_start_choose_first_set(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_set(test, 2, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 1), 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 1ULL);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 1ULL);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 2), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 2);
	KUNIT_EXPECT_EQ(test, set_info(test, 2).set_runs, 1ULL);
	stop(test);
	/* Without an argument, PFM_START keeps the set that was active last. */
	fixture_lock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, pfm_start_monitoring(ctx_of(test), NULL), 0);
	fixture_unlock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, active_set(test), 2);
	KUNIT_EXPECT_EQ(test, set_info(test, 2).set_runs, 1ULL);
	KUNIT_EXPECT_EQ(test, start(test, 3), -EINVAL);
}

/* Proves 3.7.1-01 */
static void start_of_other_set_keeps_values(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	count(test, 5);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	count(test, 6);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 5);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 6);
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE(nothing_counts_before_start_and_after_stop),
	KUNIT_CASE(values_survive_unload_and_load),
	KUNIT_CASE(load_empties_message_queue),
	KUNIT_CASE(denied_pmds_are_kept_until_next_attachment),
	KUNIT_CASE(load_refuses_broken_set_chain),
	KUNIT_CASE(load_restarts_timeout),
	KUNIT_CASE(load_restarts_thresholds),
	KUNIT_CASE(load_and_start_choose_first_set),
	KUNIT_CASE(start_of_other_set_keeps_values),
	{}
};

static struct kunit_suite load_suite = {
	.name = "pfm_load",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = load_cases,
};

/*
 * Start monitoring, and let an overflow mask it. PFM_RESTART would then reset
 * the counter.
 */
static void start_and_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_ASSERT_TRUE(test, pfm_is_masked(f->ctx));
}

/* Proves 3.1.6-06 */
static void stop_keeps_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_and_mask(test);
	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_stop_monitoring(f->ctx), 0);
	fixture_unlock(f->ctx);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(f->ctx));
	/*
	 * PFM_RESTART unmasks and resets, but does not start a stopped context.
	 */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_start_monitoring(f->ctx, NULL), 0);
	fixture_unlock(f->ctx);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET + 5);
}

/* Proves 3.1.8-12 */
static void unload_clears_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_and_mask(test);
	fixture_unload(test);
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	fixture_start(test);
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 8ULL);
	/*
	 * A restart after the unload does not reset PMDs that overflowed before
	 * the unload.
	 */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 8ULL);
}

static struct kunit_case load_with_fmt_cases[] = {
	KUNIT_CASE(unload_clears_mask),
	KUNIT_CASE(stop_keeps_mask),
	{}
};

static struct kunit_suite load_with_fmt_suite = {
	.name = "pfm_load_with_fmt",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = load_with_fmt_cases,
};

/* Proves 3.1.1-10 */
static void load_refuses_to_block_own_thread(struct kunit *test)
{
	struct fixture *f = fixture_create(test, PFM_FL_NOTIFY_BLOCK, false);
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_EXPECT_EQ(test, pfm_load_context(f->ctx, &load), -EINVAL);
}

static struct kunit_case load_refused_cases[] = {
	KUNIT_CASE(load_refuses_to_block_own_thread),
	{}
};

static struct kunit_suite load_refused_suite = {
	.name = "pfm_load_refused",
	.exit = fixture_exit,
	.test_cases = load_refused_cases,
};

kunit_test_suites(&load_suite, &load_with_fmt_suite, &load_refused_suite);
