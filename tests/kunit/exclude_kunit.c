// SPDX-License-Identifier: GPL-2.0
/*
 * exclude_kunit.c - exclude events of the idle thread (3.1.10)
 */
#include "context.h"
#include "evtset_fixture.h"
#include "evtset_switch.h"
#include "exclude.h"
#include "pause.h"

static int idle_init(struct kunit *test)
{
	fixture_create(test, PFM_FL_SYSTEM_WIDE, false);
	return 0;
}

/* Count events on the test's CPU, then let time pass. */
static void cpu_happens(struct kunit *test, u64 d0, u64 ns)
{
	struct pfm_sim_tick tick = { .cpu = raw_smp_processor_id(),
				     .delta = { d0 }, .ns = ns };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

/*
 * Report that the CPU has become idle, or is no longer idle, as the core's
 * probe of sched_switch does.
 */
static void idle_changes(struct kunit *test, bool idle)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_exclusion_changed(ctx_of(test), idle);
	local_irq_restore(flags);
}

/* Count events, then let time pass, while the CPU is idle. */
static void cpu_idles(struct kunit *test, u64 d0, u64 ns)
{
	idle_changes(test, true);
	cpu_happens(test, d0, ns);
	idle_changes(test, false);
}

/*
 * Start monitoring, and detach the context from the probe of sched_switch,
 * because the CPU's real idle times would interfere.
 */
static void start_undisturbed(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	load_and_start(test, 0);
	fixture_lock(ctx);
	pfm_exclusion_detach(ctx);
	fixture_unlock(ctx);
}

static void start_excluding_idle(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	start_undisturbed(test);
	cpu_happens(test, 10, 0);
}

static void excl_idle_ignores_idle_thread(struct kunit *test)
{
	start_excluding_idle(test);
	cpu_idles(test, 1000, 0);
	cpu_happens(test, 5, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 15);
	cpu_happens(test, PERIOD - 15, 0);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(ctx_of(test)));
}

static void idle_thread_counts_without_excl_idle(struct kunit *test)
{
	make_counter(test, 0, 0, 0, 0);
	start_undisturbed(test);
	cpu_idles(test, 10, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 10);
}

/* Only set0 excludes the idle thread. It switches to set1 after two ticks. */
static void start_until_timeout(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE | BY_TIME, 0, 2);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	start_undisturbed(test);
}

/* Proves 3.7.6-12 */
static void excl_idle_timeout_runs_while_idle(struct kunit *test)
{
	start_until_timeout(test);
	cpu_idles(test, 10, TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	cpu_idles(test, 10, TICK);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	cpu_happens(test, 3, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 3);
}

/* The CPU stays idle during the switch. */
static void next_set_counts_idle_thread(struct kunit *test)
{
	start_until_timeout(test);
	idle_changes(test, true);
	cpu_happens(test, 10, 2 * TICK);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	cpu_happens(test, 3, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 3);
	idle_changes(test, false);
	cpu_happens(test, 4, 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 7);
}

/* Proves 3.7.6-21 */
static void excl_idle_overflow_does_not_switch(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE | BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	start_undisturbed(test);
	cpu_idles(test, 2 * PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 1ULL);
	cpu_happens(test, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
}

static void resume_enters_idle_after_pause(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	start_excluding_idle(test);
	fixture_lock(ctx);
	pfm_pause(ctx);
	idle_changes(test, true);
	KUNIT_EXPECT_EQ(test, ctx->frozen, 0U);
	KUNIT_EXPECT_EQ(test, pfm_resume(ctx), 0);
	KUNIT_EXPECT_EQ(test, ctx->frozen, (u32)PFM_EXCLUDED);
	fixture_unlock(ctx);
	cpu_happens(test, 1000, 0);
	idle_changes(test, false);
	KUNIT_EXPECT_EQ(test, ctx->frozen, 0U);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 10);
}

static void resume_leaves_idle_after_pause(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	start_excluding_idle(test);
	idle_changes(test, true);
	cpu_happens(test, 1000, 0);
	fixture_lock(ctx);
	pfm_pause(ctx);
	idle_changes(test, false);
	KUNIT_EXPECT_EQ(test, ctx->frozen, (u32)PFM_EXCLUDED);
	/* The values of a paused context may be changed. */
	fixture_pmd_of(ctx, 0)->value += 5;
	KUNIT_EXPECT_EQ(test, pfm_resume(ctx), 0);
	KUNIT_EXPECT_EQ(test, ctx->frozen, 0U);
	fixture_unlock(ctx);
	cpu_happens(test, 3, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 18);
}

static struct kunit_case idle_cases[] = {
	KUNIT_CASE(excl_idle_ignores_idle_thread),
	KUNIT_CASE(idle_thread_counts_without_excl_idle),
	KUNIT_CASE(excl_idle_timeout_runs_while_idle),
	KUNIT_CASE(next_set_counts_idle_thread),
	KUNIT_CASE(excl_idle_overflow_does_not_switch),
	KUNIT_CASE(resume_enters_idle_after_pause),
	KUNIT_CASE(resume_leaves_idle_after_pause),
	{}
};

static struct kunit_suite idle_suite = {
	.name = "pfm_idle",
	.init = idle_init,
	.exit = fixture_exit,
	.test_cases = idle_cases,
};
kunit_test_suite(idle_suite);
