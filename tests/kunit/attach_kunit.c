// SPDX-License-Identifier: GPL-2.0
/*
 * attach_kunit.c - monitored threads that exit
 */
#include "attach.h"
#include "fixture.h"

/*
 * Monitor a new thread. Return: the thread, with a reference that the caller
 * must drop.
 */
static struct task_struct *monitored_thread(struct kunit *test)
{
	struct task_struct *task = fixture_thread();

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	fixture_counter(test, 0, 0, 100);
	fixture_start_on(test, task);
	return task;
}

static bool end_was_queued(struct kunit *test)
{
	pfm_msg_t msg;

	return fixture_take_msg(test->priv, &msg) &&
	       msg.msg_type == PFM_MSG_END;
}

static void exit_ends_attachment_and_queues_end(struct kunit *test)
{
	struct task_struct *task = monitored_thread(test);

	KUNIT_EXPECT_TRUE(test, fixture_thread_ends(task));
	KUNIT_EXPECT_FALSE(test, ctx_of(test)->loaded);
	KUNIT_EXPECT_TRUE(test, end_was_queued(test));
	put_task_struct(task);
}

static void exit_does_not_wait_for_a_command(struct kunit *test)
{
	struct task_struct *task = monitored_thread(test);
	struct pfm_context *ctx = ctx_of(test);

	fixture_lock(ctx);
	KUNIT_EXPECT_TRUE(test, fixture_thread_ends(task));
	KUNIT_EXPECT_TRUE(test, ctx->loaded);
	KUNIT_EXPECT_FALSE(test, end_was_queued(test));
	fixture_unlock(ctx);
	put_task_struct(task);
}

static void command_after_exit_finds_context_unloaded(struct kunit *test)
{
	struct task_struct *task = monitored_thread(test);
	struct pfm_context *ctx = ctx_of(test);

	fixture_lock(ctx);
	fixture_thread_ends(task);
	fixture_unlock(ctx);
	pfm_lock(ctx);
	KUNIT_EXPECT_FALSE(test, ctx->loaded);
	mutex_unlock(&ctx->mutex);
	KUNIT_EXPECT_TRUE(test, end_was_queued(test));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 100ULL);
	put_task_struct(task);
}

static void reader_after_exit_gets_end(struct kunit *test)
{
	struct task_struct *task = monitored_thread(test);
	struct pfm_context *ctx = ctx_of(test);

	fixture_lock(ctx);
	fixture_thread_ends(task);
	fixture_unlock(ctx);
	pfm_attach_catch_up(ctx);
	KUNIT_EXPECT_TRUE(test, end_was_queued(test));
	put_task_struct(task);
}

/*
 * A copy of the simulated PMU. Its unload() records whether a read of the
 * context would have to wait at that moment.
 */
static struct pfm_pmu looking;
static const struct pfm_pmu *sim;
static bool readers_wait;

static void unload_looking(struct pfm_pmu_set *s)
{
	struct pfm_evtset *set = container_of(s, struct pfm_evtset, pmu_set);

	readers_wait = atomic_read(&pfm_context_of(set)->behind);
	sim->unload(s);
}

static void reader_waits_until_command_has_followed(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	struct task_struct *task;

	sim = ctx->pmu;
	looking = *sim;
	looking.unload = unload_looking;
	ctx->pmu = &looking;
	readers_wait = false;
	task = monitored_thread(test);
	fixture_lock(ctx);
	fixture_thread_ends(task);
	fixture_unlock(ctx);
	pfm_attach_catch_up(ctx);
	KUNIT_EXPECT_TRUE(test, readers_wait);
	ctx->pmu = sim;
	put_task_struct(task);
}

static struct kunit_case attach_cases[] = {
	KUNIT_CASE(exit_ends_attachment_and_queues_end),
	KUNIT_CASE(exit_does_not_wait_for_a_command),
	KUNIT_CASE(command_after_exit_finds_context_unloaded),
	KUNIT_CASE(reader_after_exit_gets_end),
	KUNIT_CASE(reader_waits_until_command_has_followed),
	{}
};

static struct kunit_suite attach_suite = {
	.name = "pfm_attach",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = attach_cases,
};

kunit_test_suites(&attach_suite);
