// SPDX-License-Identifier: GPL-2.0
/*
 * work_kunit.c - urgent work items
 */
#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_work.h>

struct counted_work {
	struct work_struct	work;
	unsigned int		runs;
};

static void count_run(struct work_struct *work)
{
	container_of(work, struct counted_work, work)->runs++;
}

static void queued_work_runs_once(struct kunit *test)
{
	struct counted_work counted = {};

	INIT_WORK_ONSTACK(&counted.work, count_run);
	preempt_disable();
	pfm_queue_work(&counted.work);
	/* No effect while it is queued. */
	pfm_queue_work(&counted.work);
	preempt_enable();
	flush_work(&counted.work);
	KUNIT_EXPECT_EQ(test, counted.runs, 1U);
	destroy_work_on_stack(&counted.work);
}

static struct kunit_case work_cases[] = {
	KUNIT_CASE(queued_work_runs_once),
	{}
};

static struct kunit_suite work_suite = {
	.name = "pfm_work",
	.test_cases = work_cases,
};
kunit_test_suite(work_suite);
