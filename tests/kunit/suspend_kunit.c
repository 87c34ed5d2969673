// SPDX-License-Identifier: GPL-2.0
/*
 * suspend_kunit.c - suspend and resume contexts with the machine
 */
#include "evtset_fixture.h"
#include "suspend.h"

static void suspend_exit(struct kunit *test)
{
	pfm_suspend(false);
	fixture_exit(test);
}

static void expect_count(struct kunit *test, u64 count)
{
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), count);
}

static int suspend_cpu_init(struct kunit *test)
{
	fixture_create(test, PFM_FL_SYSTEM_WIDE, false);
	return 0;
}

/* Make PMD0 of the CPU's context count events. */
static void cpu_counts(struct kunit *test, u64 events)
{
	struct pfm_sim_tick tick = { .cpu = raw_smp_processor_id(),
				     .delta = { events } };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

/* Proves H21 */
static void cpu_counts_pause_during_suspend(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	cpu_counts(test, 3);
	pfm_suspend(true);
	cpu_counts(test, 100);
	expect_count(test, 3);
	pfm_suspend(false);
	cpu_counts(test, 4);
	expect_count(test, 7);
}

/* Proves H21 */
static void start_while_suspended_counts_after_resume(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	pfm_suspend(true);
	KUNIT_EXPECT_EQ(test, start(test, 0), 0);
	cpu_counts(test, 100);
	expect_count(test, 0);
	pfm_suspend(false);
	cpu_counts(test, 4);
	expect_count(test, 4);
}

static void stop_while_suspended_stays_stopped(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	pfm_suspend(true);
	stop(test);
	pfm_suspend(false);
	cpu_counts(test, 100);
	expect_count(test, 0);
}

static void write_while_suspended_is_kept(struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	pfm_suspend(true);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 50 });
	expect_count(test, 50);
	pfm_suspend(false);
	cpu_counts(test, 4);
	expect_count(test, 54);
}

static void mask_survives_suspend(struct kunit *test)
{
	fixture_counter(test, 0, NOTIFY, -PERIOD);
	fixture_start(test);
	cpu_counts(test, PERIOD);
	pfm_suspend(true);
	pfm_suspend(false);
	cpu_counts(test, 100);
	expect_count(test, 0);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	cpu_counts(test, 4);
	expect_count(test, -PERIOD + 4);
}

static void restart_while_suspended_counts_after_resume(struct kunit *test)
{
	fixture_counter(test, 0, NOTIFY, -PERIOD);
	fixture_start(test);
	cpu_counts(test, PERIOD);
	pfm_suspend(true);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	cpu_counts(test, 30);
	expect_count(test, -PERIOD);
	pfm_suspend(false);
	cpu_counts(test, 4);
	expect_count(test, -PERIOD + 4);
}

static int suspend_main(void *done)
{
	pfm_suspend(true);
	complete(done);
	return fixture_thread_main(NULL);
}

static void suspend_gives_up_waiting_for_a_command(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct pfm_context *ctx = ctx_of(test);
	struct task_struct *task;

	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	fixture_lock(ctx);
	task = kthread_run(suspend_main, &done, "suspends");
	/*
	 * Wait until the thread has given up, or waits for the mutex and so is
	 * in the mutex's list. Sleep because nothing signals that it waits.
	 */
	while (!completion_done(&done) &&
	       list_empty_careful(&ctx->mutex.wait_list))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_TRUE(test, completion_done(&done));
	fixture_unlock(ctx);
	wait_for_completion(&done);
	/* The next command runs while the machine is suspended. */
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 50 });
	cpu_counts(test, 100);
	expect_count(test, 50);
	pfm_suspend(false);
	cpu_counts(test, 4);
	expect_count(test, 54);
	kthread_stop(task);
}

/*
 * Create a context for the test's own thread. This thread also calls
 * pfm_suspend().
 */
static int suspend_own_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

/* Proves H21 */
static void thread_counts_pause_during_suspend(
	struct kunit *test)
{
	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	fixture_count(test, 3);
	pfm_suspend(true);
	fixture_count(test, 100);
	expect_count(test, 3);
	pfm_suspend(false);
	fixture_count(test, 4);
	expect_count(test, 7);
}

static struct kunit_case cpu_cases[] = {
	KUNIT_CASE(cpu_counts_pause_during_suspend),
	KUNIT_CASE(start_while_suspended_counts_after_resume),
	KUNIT_CASE(stop_while_suspended_stays_stopped),
	KUNIT_CASE(write_while_suspended_is_kept),
	KUNIT_CASE(mask_survives_suspend),
	KUNIT_CASE(restart_while_suspended_counts_after_resume),
	KUNIT_CASE(suspend_gives_up_waiting_for_a_command),
	{}
};

static struct kunit_suite cpu_suite = {
	.name = "pfm_suspend_cpu",
	.init = suspend_cpu_init,
	.exit = suspend_exit,
	.test_cases = cpu_cases,
};

/* Make PMD0 of a thread's context count events. */
static void thread_counts(struct kunit *test, struct task_struct *task,
			  u64 events)
{
	struct pfm_sim_tick tick = { .task = task, .delta = { events } };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

/*
 * A suspend begins before threads are frozen and ends after they are thawed.
 * During that time, a set switch, a restart or a command may pause the context
 * of a thread that is still running. The context must continue to count
 * afterwards.
 */
/* Proves H21 */
static void suspended_context_of_other_thread_counts(struct kunit *test)
{
	struct task_struct *task = fixture_thread();

	fixture_counter(test, 0, 0, 0);
	fixture_start_on(test, task);
	pfm_suspend(true);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 50 });
	thread_counts(test, task, 3);
	expect_count(test, 53);
	pfm_suspend(false);
	thread_counts(test, task, 4);
	expect_count(test, 57);
	fixture_unload(test);
	kthread_stop(task);
}

/* The main function of a thread that resumes the contexts. */
static int wake_up_main(void *done)
{
	pfm_suspend(false);
	complete(done);
	return fixture_thread_main(NULL);
}

/* Proves H21 */
static void resume_by_other_thread_continues_counting(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;

	fixture_counter(test, 0, 0, 0);
	fixture_start(test);
	pfm_suspend(true);
	task = kthread_run(wake_up_main, &done, "wake");
	wait_for_completion(&done);
	kthread_stop(task);
	fixture_count(test, 4);
	expect_count(test, 4);
}

static struct kunit_case own_cases[] = {
	KUNIT_CASE(thread_counts_pause_during_suspend),
	KUNIT_CASE(suspended_context_of_other_thread_counts),
	KUNIT_CASE(resume_by_other_thread_continues_counting),
	{}
};

static struct kunit_suite own_suite = {
	.name = "pfm_suspend_own",
	.init = suspend_own_init,
	.exit = suspend_exit,
	.test_cases = own_cases,
};

kunit_test_suites(&cpu_suite, &own_suite);
