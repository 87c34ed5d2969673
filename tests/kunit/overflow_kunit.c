// SPDX-License-Identifier: GPL-2.0
/*
 * overflow_kunit.c - overflows of one counter (3.5.14)
 */
#include <linux/pid_namespace.h>
#include "context.h"
#include "fixture.h"

/*
 * Proves 3.1.2-12, 3.1.2-18, 3.5.14-04, 3.5.14-06, 3.5.14-09, 3.5.14-10,
 * 3.5.14-12, 3.5.14-13, 3.5.14-14, 3.5.14-15, 3.5.14-16, 3.5.14-17
 */
static void handler_gets_overflow_description(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_ovfl_arg_t *arg = &f->script.arg[0];
	pfarg_pmc_t pmc = { .reg_num = 2, .reg_flags = PFM_REGFL_OVFL_NOTIFY,
			    .reg_smpl_eventid = 0xfeedfacecafeULL };

	pmc.reg_smpl_pmds[0] = 1U << 1 | 1U << PFM_SIM_PMD_PLAIN;
	fixture_counter(test, 1, 0, 500);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 99 });
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 2, .reg_value = -10,
					 .reg_short_reset = -20 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current, .ip = 0xabcd,
				.delta = { 0, 20, 14 } }), 0);

	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, arg->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, arg->active_set, 0);
	KUNIT_EXPECT_EQ(test, arg->ovfl_ctrl.val, 0U);
	KUNIT_EXPECT_EQ(test, arg->pmd_last_reset, -10ULL);
	KUNIT_EXPECT_EQ(test, arg->pmd_value, 4ULL);
	KUNIT_EXPECT_EQ(test, arg->pmd_eventid, 0xfeedfacecafeULL);
	KUNIT_EXPECT_EQ(test, arg->ovfl_notify, 1);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds[0],
			1ULL << 1 | 1ULL << PFM_SIM_PMD_PLAIN);
	KUNIT_EXPECT_EQ(test, arg->num_smpl_pmds, 2);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds_values[0], 520ULL);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds_values[1], 99ULL);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0xabcdULL);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tgid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, arg->ovfl_cpu, 0);

	/* The description of the next overflow has no old values left in it. */
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current, .delta = { 0, 0, 20 } }), 0);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, arg[1].ovfl_ctrl.val, 0U);
	KUNIT_EXPECT_EQ(test, arg[1].pmd_last_reset, -20ULL);
}

/* Once the thread has been reaped, it has no ID in any PID namespace. */
static void reaped_thread_keeps_its_translated_ids(struct kunit *test)
{
	static struct pid_namespace other = { .level = 1 };
	struct fixture *f = test->priv;
	struct pid_namespace *own;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	own = f->ctx->pid_ns;
	KUNIT_EXPECT_PTR_EQ(test, own, task_active_pid_ns(current));
	f->ctx->pid_ns = &other;
	f->ctx->translated = true;
	f->ctx->data.tid = 77;
	f->ctx->data.tgid = 78;
	fixture_count(test, 12);
	f->ctx->pid_ns = own;
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, 77U);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tgid, 78U);
}

/*
 * Some PMUs load the reset value into a counter themselves at an overflow. The
 * simulated PMU does not, so the core must reset the counter.
 */
static void core_resets_counter_that_pmu_did_not_rearm(
	struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_counter(test, 0, 0, -10ULL);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	/*
	 * The first overflow takes a slower path, which also checks the rate.
	 * Test the second one.
	 */
	fixture_report_pmd0(test);
	*(u64 *)fixture_pmd_of(f->ctx, 0)->hw.priv = 1;
	fixture_report_pmd0(test);
	KUNIT_EXPECT_EQ(test, *(u64 *)fixture_pmd_of(f->ctx, 0)->hw.priv, 0ULL);
}

/* Proves H19 */
static void overflows_in_hard_interrupts_are_handled(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_sim_tick tick = { .task = current, .irq = true,
				     .delta = { 12 } };

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
}

static struct kunit_case overflow_cases[] = {
	KUNIT_CASE(handler_gets_overflow_description),
	KUNIT_CASE(reaped_thread_keeps_its_translated_ids),
	KUNIT_CASE(core_resets_counter_that_pmu_did_not_rearm),
	KUNIT_CASE(overflows_in_hard_interrupts_are_handled),
	{}
};

static struct kunit_suite overflow_suite = {
	.name = "pfm_overflow",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = overflow_cases,
};

kunit_test_suite(overflow_suite);
