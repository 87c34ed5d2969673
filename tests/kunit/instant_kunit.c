// SPDX-License-Identifier: GPL-2.0
/*
 * instant_kunit.c - simultaneous overflows are handled together (3.5.14)
 */
#include "context.h"
#include "fixture.h"
#include "owner.h"

/*
 * Proves 3.4.3-03, 3.4.3-06, 3.5.14-07, 3.5.14-08, 3.5.14-09, 3.5.14-10,
 * 3.5.14-19, 3.5.14-24
 */
static void simultaneous_overflows_are_ordered_by_index(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	/* Program the counters in reverse order. */
	fixture_sampling_counter(test, 5, 0);
	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current,
				.delta = { 0, 12, 0, 0, 0, 12 } }), 0);

	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_notify, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_notify, 0);
	KUNIT_EXPECT_EQ(test, f->script.tstamp[0], f->script.tstamp[1]);
	/* Both overflows cause one message. */
	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.msg_type, (u32)PFM_MSG_OVFL);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL << 1 | 1ULL << 5);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_tid, (u32)current->pid);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 5), SHORT_RESET);
}

/* Proves 3.4.3-03, 3.4.3-06, 3.5.14-07, 3.5.14-08 */
static void separate_reports_are_handled_together(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	fixture_sampling_counter(test, 2, PFM_REGFL_OVFL_NOTIFY);
	for (i = 0; i < 4; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	fixture_start_one_by_one(test);
	fixture_counter_is(test, 0, 2);
	fixture_counter_is(test, 2, 1);
	fixture_report(test, 2);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 0);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].pmd_value, 2ULL);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, f->script.tstamp[0], f->script.tstamp[1]);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), -10ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 2), SHORT_RESET);
	fixture_expect_one_message(test, 0x5);
	/*
	 * The core has handled PMD0's overflow. The PMU reports this overflow
	 * only after PMD0 has counted three events since its reset.
	 */
	fixture_counter_is(test, 0, SHORT_RESET + 3);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	/*
	 * The core has ignored one report of an overflow that it had already
	 * handled; it handles the next report.
	 */
	fixture_counter_is(test, 0, 0);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

/* Start PMD0 and PMD1 on a PMU that reports them separately. */
static void start_two(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	for (i = 0; i < SCRIPT_MAX; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	fixture_start_one_by_one(test);
}

/* Make PMD0 and PMD1 overflow simultaneously, and report only PMD1. */
static void overflow_together(struct kunit *test)
{
	fixture_counter_is(test, 0, 2);
	fixture_counter_is(test, 1, 0);
	fixture_report(test, 1);
}

static struct kunit *reporting;

static void report_pmd0_inside(void)
{
	fixture_report(reporting, 0);
}

/*
 * An NMI reports PMD0 after the core has checked PMD0 and before the core
 * resets it.
 */
/* Proves 3.5.14-07 */
static void report_during_its_instant_is_known(struct kunit *test)
{
	struct fixture *f = test->priv;

	reporting = test;
	f->script.during = report_pmd0_inside;
	start_two(test);
	overflow_together(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	/* The next report is about a new overflow. */
	fixture_counter_is(test, 0, 0);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

/*
 * Report an overflow with an old value, as if the PMU had read the value before
 * an NMI handled the overflow. First do so while the context is owned, then
 * while it is not.
 */
static void late_report_of_known_overflow_is_ignored(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	start_two(test);
	overflow_together(test);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	fixture_counter_is(test, 0, SHORT_RESET + 3);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_overflow(&fixture_pmd_of(f->ctx, 0)->hw, 2, NULL, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET + 3);
	overflow_together(test);
	KUNIT_ASSERT_EQ(test, f->script.calls, 4);
	fixture_counter_is(test, 0, SHORT_RESET + 3);
	preempt_disable();
	pfm_overflow(&fixture_pmd_of(f->ctx, 0)->hw, 2, NULL, 0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
}

static void missing_report_does_not_hide_later_ones(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	fixture_start_one_by_one(test);
	overflow_together(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	fixture_counter_is(test, 0, 0);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	/* The PMU reports one overflow slightly early. */
	fixture_counter_is(test, 1, 3);
	fixture_report(test, 1);
	fixture_counter_is(test, 0, -2);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 5);
}

/*
 * If an overflow is reported while the context is masked, the core must set the
 * hardware counter back, because otherwise the counter would overflow
 * repeatedly until the PMU is stopped.
 */
/* Proves H18 */
static void masked_counter_is_reported_once(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_pmd *pmd;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_HOLD;
	fixture_start_one_by_one(test);
	pmd = fixture_pmd_of(f->ctx, 0);
	fixture_counter_is(test, 0, 1);
	fixture_report(test, 0);
	KUNIT_ASSERT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, *(u64 *)pmd->hw.priv, 1ULL);
	fixture_report(test, 0);
	/*
	 * The hardware counter was set to a value far from an overflow. The
	 * PMD's value does not depend on it.
	 */
	KUNIT_EXPECT_EQ(test, *(u64 *)pmd->hw.priv, 0ULL);
	KUNIT_EXPECT_EQ(test, pmd->value, 1ULL);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
}

/*
 * A counter with pfm_pmu_reg.waits has reached 0. Its overflow is handled when
 * it is reported, not together with the overflow of another counter.
 */
static void counter_that_waits_is_handled_when_reported(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_two(test);
	fixture_pmd_of(f->ctx, 0)->hw.waits = true;
	overflow_together(test);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 2ULL);
	fixture_report(test, 0);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static void writes_while_counting_affect_next_overflow(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };
	struct fixture *f = test->priv;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[2] = PFM_OVFL_CTRL_RESET;
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 99 });
	fixture_sampling_counter(test, 0, 0);
	fixture_start_one_by_one(test);
	/* From now on, PMD0 records the value of another PMD. */
	pmc.reg_smpl_pmds[0] = 1U << PFM_SIM_PMD_PLAIN;
	fixture_pmc(test, pmc);
	fixture_counter_is(test, 0, 1);
	fixture_report(test, 0);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].num_smpl_pmds, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].smpl_pmds_values[0], 99ULL);
	/* Make PMD2 a sampling counter as well. */
	fixture_sampling_counter(test, 2, 0);
	fixture_counter_is(test, 0, 2);
	fixture_counter_is(test, 2, 1);
	fixture_report(test, 2);
	KUNIT_ASSERT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 0);
	KUNIT_EXPECT_EQ(test, f->script.arg[2].ovfl_pmd, 2);
}

/*
 * A counter that is not reset continues to count. Its overflow is handled only
 * once.
 */
static void counter_without_reset_overflows_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[2] = PFM_OVFL_CTRL_RESET;
	fixture_start_one_by_one(test);
	fixture_counter_is(test, 0, 2);
	fixture_counter_is(test, 1, 2);
	fixture_report(test, 1);
	fixture_counter_is(test, 0, 3);
	fixture_report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	fixture_counter_is(test, 1, 2);
	fixture_report(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
}

static struct kunit_case instant_cases[] = {
	KUNIT_CASE(simultaneous_overflows_are_ordered_by_index),
	KUNIT_CASE(separate_reports_are_handled_together),
	KUNIT_CASE(report_during_its_instant_is_known),
	KUNIT_CASE(late_report_of_known_overflow_is_ignored),
	KUNIT_CASE(missing_report_does_not_hide_later_ones),
	KUNIT_CASE(masked_counter_is_reported_once),
	KUNIT_CASE(counter_without_reset_overflows_once),
	KUNIT_CASE(counter_that_waits_is_handled_when_reported),
	KUNIT_CASE(writes_while_counting_affect_next_overflow),
	{}
};

static struct kunit_suite instant_suite = {
	.name = "pfm_instant",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = instant_cases,
};

kunit_test_suite(instant_suite);
