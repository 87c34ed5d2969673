// SPDX-License-Identifier: GPL-2.0
/*
 * last_kunit.c - samples that are taken when the monitored thread exits
 */
#include "attach.h"
#include "context.h"
#include "fixture.h"
#include "last.h"
#include "load.h"
#include "pause.h"
#include "release.h"

/* Sample as if the thread exited. */
static void exit_now(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_lock(f->ctx);
	pfm_pause(f->ctx);
	pfm_sample_exit(f->ctx);
	pfm_resume(f->ctx);
	fixture_unlock(f->ctx);
}

static void exit_samples_pmds_that_request_it(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, PFM_REGFL_AT_EXIT);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	exit_now(test);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)current->pid);
	KUNIT_EXPECT_NULL(test, f->script.data[0].regs);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static void exit_samples_nothing_by_default(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	exit_now(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
}

static void exit_samples_nothing_while_masked(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_AT_EXIT);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	fixture_start(test);
	exit_now(test);
	exit_now(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
}

/*
 * After an exec has removed the thread's events, the tool may lack the right to
 * monitor the new program, so the thread's exit is not sampled.
 */
static void exit_after_lost_events_samples_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_AT_EXIT);
	fixture_start(test);
	mutex_lock(&f->ctx->mutex);
	pfm_thread_changed(f->ctx, PFM_NOTE_EXIT | PFM_NOTE_LOST);
	mutex_unlock(&f->ctx->mutex);
	pfm_release_all(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
}

static struct pfm_context *exiting;
static bool is_paused;

static void note_pause(void)
{
	is_paused = exiting->paused;
}

/*
 * The kernel may free the stack of a thread before it frees the thread itself.
 */
static void wait_until_stack_is_freed(struct task_struct *task)
{
#ifdef CONFIG_THREAD_INFO_IN_TASK
	while (refcount_read(&task->stack_refcount))
		/* Sleep because no event tells when the stack is freed. */
		schedule_timeout_uninterruptible(1);
#endif
}

/*
 * A command holds the context's lock until the thread has exited and its stack
 * is freed.
 */
static void exit_during_command_is_sampled_later(struct kunit *test)
{
	struct task_struct *task = fixture_thread();
	struct fixture *f = test->priv;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	fixture_sampling_counter(test, 0, PFM_REGFL_AT_EXIT);
	exiting = f->ctx;
	f->script.during = note_pause;
	fixture_start_on(test, task);
	fixture_lock(f->ctx);
	KUNIT_EXPECT_TRUE(test, fixture_thread_ends(task));
	wait_until_stack_is_freed(task);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	fixture_unlock(f->ctx);
	pfm_attach_catch_up(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)task->pid);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0ULL);
	KUNIT_EXPECT_TRUE(test, is_paused);
	put_task_struct(task);
}

static struct kunit_case last_cases[] = {
	KUNIT_CASE(exit_samples_pmds_that_request_it),
	KUNIT_CASE(exit_samples_nothing_by_default),
	KUNIT_CASE(exit_samples_nothing_while_masked),
	KUNIT_CASE(exit_after_lost_events_samples_nothing),
	KUNIT_CASE(exit_during_command_is_sampled_later),
	{}
};

static struct kunit_suite last_suite = {
	.name = "pfm_last",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = last_cases,
};

kunit_test_suite(last_suite);
