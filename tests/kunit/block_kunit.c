// SPDX-License-Identifier: GPL-2.0
/*
 * block_kunit.c - blocking the monitored thread (3.4.3, 3.5.14)
 */
#include <linux/kthread.h>
#include "block.h"
#include "context.h"
#include "fixture.h"
#include "load.h"

/*
 * Monitor a kernel thread, and let overflows block it (PFM_FL_NOTIFY_BLOCK).
 * Set the flag after the load, because PFM_LOAD_CONTEXT refuses kernel threads
 * if the flag is set.
 */
static void start_blocking(struct kunit *test, struct task_struct *task)
{
	struct pfm_context *ctx = ((struct fixture *)test->priv)->ctx;
	pfarg_load_t load = { .load_pid = task_pid_vnr(task) };

	ctx->flags &= ~PFM_FL_NOTIFY_BLOCK;
	KUNIT_ASSERT_EQ(test, pfm_load_context(ctx, &load), 0);
	ctx->flags |= PFM_FL_NOTIFY_BLOCK;
	fixture_lock(ctx);
	KUNIT_ASSERT_EQ(test, pfm_block_attach(ctx), 0);
	KUNIT_ASSERT_EQ(test, pfm_start_monitoring(ctx, NULL), 0);
	fixture_unlock(ctx);
}

/*
 * Make PMD0 and PMD1 overflow simultaneously in a thread that may be blocked.
 * The handler sets the control bits @ctrl0 for PMD0 and @ctrl1 for PMD1.
 * Return: the thread.
 */
static struct task_struct *overflow_of_two(struct kunit *test, u32 ctrl0,
					   u32 ctrl1)
{
	struct fixture *f = fixture_create(test, PFM_FL_NOTIFY_BLOCK, true);
	struct task_struct *task = fixture_thread();
	struct pfm_sim_tick tick = { .task = task, .delta = { 11, 12 } };

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = ctrl0;
	f->script.ctrl[1] = ctrl1;
	start_blocking(test, task);
	KUNIT_EXPECT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	return task;
}

static void let_go(struct kunit *test, struct task_struct *task)
{
	fixture_unload(test);
	kthread_stop(task);
}

/* Proves 3.5.14-25, 3.5.14-29 */
static void block_bit_blocks_without_masking(struct kunit *test)
{
	struct task_struct *task = overflow_of_two(test, PFM_OVFL_CTRL_BLOCK |
						   PFM_OVFL_CTRL_RESET,
						   PFM_OVFL_CTRL_RESET);
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, fixture_is_blocked(f->ctx));
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	let_go(test, task);
}

/* Proves 3.5.14-29 */
static void mask_bit_prevents_blocking(struct kunit *test)
{
	struct task_struct *task = overflow_of_two(test, PFM_OVFL_CTRL_RESET,
						   PFM_OVFL_CTRL_MASK);
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, fixture_is_blocked(f->ctx));
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(f->ctx));
	let_go(test, task);
}

static void load_refuses_blocking_of_kernel_threads(struct kunit *test)
{
	struct fixture *f = fixture_create(test, PFM_FL_NOTIFY_BLOCK, true);
	struct task_struct *task = fixture_thread();
	pfarg_load_t load = {};

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	load.load_pid = task_pid_vnr(task);
	KUNIT_EXPECT_EQ(test, pfm_load_context(f->ctx, &load), -EINVAL);
	kthread_stop(task);
}

static struct kunit_case block_cases[] = {
	KUNIT_CASE(block_bit_blocks_without_masking),
	KUNIT_CASE(mask_bit_prevents_blocking),
	KUNIT_CASE(load_refuses_blocking_of_kernel_threads),
	{}
};

static struct kunit_suite block_suite = {
	.name = "pfm_block",
	.exit = fixture_exit,
	.test_cases = block_cases,
};
kunit_test_suite(block_suite);
