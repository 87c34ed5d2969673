// SPDX-License-Identifier: GPL-2.0
/*
 * work_kunit.c - urgent work items
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/rt.h>
#include <perfmon/perfmon_work.h>

/*
 * A work item, and the number of its runs. If @waits, the item must run in a
 * context in which it may sleep.
 */
static struct counted_work {
	struct pfm_work		work;
	struct completion	done;
	unsigned int		runs;
	unsigned int		realtime_runs;
	bool			waits;
} counted;

static bool count_run(struct pfm_work *w, bool may_wait)
{
	counted.runs++;
	if (rt_task(current))
		counted.realtime_runs++;
	if (counted.waits && !may_wait)
		return false;
	complete(&counted.done);
	return true;
}

/* Queue the work item twice before it can run, and wait until it is done. */
static void queue_counted(bool waits)
{
	counted = (struct counted_work){ .waits = waits };
	init_completion(&counted.done);
	pfm_work_prepare(&counted.work, count_run);
	preempt_disable();
	pfm_queue_work(&counted.work);
	/* Queueing again has no effect while the item is queued. */
	pfm_queue_work(&counted.work);
	preempt_enable();
	wait_for_completion(&counted.done);
	pfm_cancel_work(&counted.work);
}

static void queued_work_runs_once(struct kunit *test)
{
	queue_counted(false);
	KUNIT_EXPECT_EQ(test, counted.runs, 1U);
	KUNIT_EXPECT_EQ(test, counted.realtime_runs, 0U);
}

static void queue_counted_as_realtime_thread(bool waits)
{
	sched_set_fifo_low(current);
	queue_counted(waits);
	sched_set_normal(current, 0);
}

/*
 * A real-time thread's work item runs with real-time priority, so that other
 * threads do not delay it.
 */
static void realtime_thread_queues_realtime_work(struct kunit *test)
{
	queue_counted_as_realtime_thread(false);
	KUNIT_EXPECT_EQ(test, counted.runs, 1U);
	KUNIT_EXPECT_EQ(test, counted.realtime_runs, 1U);
}

static void work_that_waits_leaves_the_realtime_thread(struct kunit *test)
{
	queue_counted_as_realtime_thread(true);
	KUNIT_EXPECT_EQ(test, counted.runs, 2U);
	KUNIT_EXPECT_EQ(test, counted.realtime_runs, 1U);
}

static struct kunit_case work_cases[] = {
	KUNIT_CASE(queued_work_runs_once),
	KUNIT_CASE(realtime_thread_queues_realtime_work),
	KUNIT_CASE(work_that_waits_leaves_the_realtime_thread),
	{}
};

static struct kunit_suite work_suite = {
	.name = "pfm_work",
	.test_cases = work_cases,
};
kunit_test_suite(work_suite);
