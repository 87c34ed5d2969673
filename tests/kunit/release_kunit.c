// SPDX-License-Identifier: GPL-2.0
/*
 * release_kunit.c - objects whose release the PMU's operations have postponed
 */
#include <perfmon/perfmon_work.h>
#include "fixture.h"
#include "release.h"

/*
 * A copy of the simulated PMU. Its unload() postpones the release of an object.
 */
static struct pfm_pmu leaving;
static const struct pfm_pmu *sim;
static struct llist_node left;
static int released;

static void unload_leaving(struct pfm_pmu_set *s)
{
	pfm_release_later(s, &left);
	sim->unload(s);
}

static void release_left(struct llist_node *node)
{
	if (node == &left)
		released++;
}

static int init_leaving(struct kunit *test)
{
	int ret = fixture_init(test);

	sim = ctx_of(test)->pmu;
	leaving = *sim;
	leaving.unload = unload_leaving;
	leaving.release = release_left;
	released = 0;
	ctx_of(test)->pmu = &leaving;
	fixture_start(test);
	return ret;
}

/* Restore the original PMU, to which the context holds a reference. */
static void exit_leaving(struct kunit *test)
{
	if (ctx_of(test)->loaded)
		fixture_unload(test);
	ctx_of(test)->pmu = sim;
	fixture_exit(test);
}

static void detach(struct kunit *test)
{
	fixture_lock(ctx_of(test));
	pfm_detach(ctx_of(test));
	fixture_unlock(ctx_of(test));
}

static void detaching_releases_nothing(struct kunit *test)
{
	detach(test);
	KUNIT_EXPECT_EQ(test, released, 0);
	pfm_release_all(ctx_of(test));
}

static void unload_has_released_everything(struct kunit *test)
{
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, released, 1);
}

static void work_item_releases_what_is_left(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	detach(test);
	pfm_release_soon(ctx);
	KUNIT_EXPECT_EQ(test, released, 0);
	flush_delayed_work(&ctx->release);
	KUNIT_EXPECT_EQ(test, released, 1);
}

static void command_leaves_a_little_to_work_item(struct kunit *test)
{
	detach(test);
	pfm_release_after(ctx_of(test));
	KUNIT_EXPECT_EQ(test, released, 0);
	pfm_release_all(ctx_of(test));
	KUNIT_EXPECT_EQ(test, released, 1);
}

static void command_waits_if_much_is_left(struct kunit *test)
{
	detach(test);
	atomic_add(1000, &ctx_of(test)->num_left);
	pfm_release_after(ctx_of(test));
	KUNIT_EXPECT_EQ(test, released, 1);
}

static DECLARE_COMPLETION(releasing);
static DECLARE_COMPLETION(measured);

/*
 * Release an object as slowly as perf may do: wait until measure_work() has
 * run, but at most a second.
 */
static void release_slowly(struct llist_node *node)
{
	complete(&releasing);
	/*
	 * Sleep because this must block the workqueue in which it runs. The
	 * workqueue of measure_work() runs one item at a time here. If it were
	 * the same workqueue, measure_work() could not run.
	 */
	released = wait_for_completion_timeout(&measured, HZ) ? 1 : -1;
}

static bool measure_work(struct pfm_work *w, bool may_wait)
{
	complete(&measured);
	return true;
}

static void measuring_does_not_wait_for_release(struct kunit *test)
{
	static struct pfm_work measure;

	leaving.release = release_slowly;
	pfm_work_prepare(&measure, measure_work);
	workqueue_set_max_active(pfm_wq, 1);
	detach(test);
	pfm_release_soon(ctx_of(test));
	wait_for_completion(&releasing);
	pfm_queue_work(&measure);
	flush_work(&measure.work);
	pfm_release_all(ctx_of(test));
	workqueue_set_max_active(pfm_wq, WQ_DFL_ACTIVE);
	KUNIT_EXPECT_EQ(test, released, 1);
}

static struct kunit_case release_cases[] = {
	KUNIT_CASE(detaching_releases_nothing),
	KUNIT_CASE(unload_has_released_everything),
	KUNIT_CASE(work_item_releases_what_is_left),
	KUNIT_CASE(command_leaves_a_little_to_work_item),
	KUNIT_CASE(command_waits_if_much_is_left),
	KUNIT_CASE(measuring_does_not_wait_for_release),
	{}
};

static struct kunit_suite release_suite = {
	.name = "pfm_release",
	.init = init_leaving,
	.exit = exit_leaving,
	.test_cases = release_cases,
};

kunit_test_suites(&release_suite);
