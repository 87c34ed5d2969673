// SPDX-License-Identifier: GPL-2.0
/*
 * pause_kunit.c - pause a context during commands
 */
#include "context.h"
#include "evtset_fixture.h"
#include "evtset_switch.h"
#include "owner.h"
#include "pause.h"

/* When pfm_pause() returns, no deferred overflow may be pending. */
/* Proves H06 */
static void pause_waits_for_deferred_overflows(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_start_owned(test, &flags);
	fixture_count(test, 101);
	pfm_disown(f->ctx, flags);
	pfm_pause(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, pfm_resume(f->ctx), 0);
	fixture_unlock(f->ctx);
}

static struct kunit_case pause_cases[] = {
	KUNIT_CASE(pause_waits_for_deferred_overflows),
	{}
};

static struct kunit_suite pause_suite = {
	.name = "pfm_pause",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = pause_cases,
};

static void events_before_pmu_switch_are_discarded(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	/* The lock delays the work item that programs the PMU. */
	fixture_lock(ctx_of(test));
	happen(test, 5, 0, TICK);
	happen(test, 7, 0, 0);
	fixture_unlock(ctx_of(test));
	pfm_finish_switch(ctx_of(test));
	happen(test, 9, 0, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 5);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 9);
}

static struct kunit_case pause_without_fmt_cases[] = {
	KUNIT_CASE(events_before_pmu_switch_are_discarded),
	{}
};

static struct kunit_suite pause_without_fmt_suite = {
	.name = "pfm_pause_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = pause_without_fmt_cases,
};

kunit_test_suites(&pause_suite, &pause_without_fmt_suite);
