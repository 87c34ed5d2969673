/* SPDX-License-Identifier: GPL-2.0 */
/*
 * family_fixture.h - a family on the simulated PMU: the test's thread and
 *		      kernel threads
 */
#ifndef PFM_KUNIT_FAMILY_FIXTURE_H
#define PFM_KUNIT_FAMILY_FIXTURE_H

#include <linux/completion.h>
#include "attach.h"
#include "family.h"
#include "fixture.h"
#include "inherit.h"

/* A member: a thread that has called pfm_bear_member() and sleeps. */
struct child {
	struct pfm_family	*family;
	struct pfm_parent	parent;
	struct completion	born;
	struct task_struct	*task;
};

static inline int child_main(void *arg)
{
	struct child *c = arg;

	pfm_bear_member(c->family, &c->parent);
	complete(&c->born);
	return fixture_thread_main(NULL);
}

/* Start a thread that becomes a member of the family. */
static inline void child_start(struct kunit *test, struct child *c)
{
	c->family = ctx_of(test)->family;
	KUNIT_ASSERT_TRUE(test, pfm_family_reserve(c->family));
	init_completion(&c->born);
	c->task = kthread_run(child_main, c, "child");
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->task));
	get_task_struct(c->task);
	wait_for_completion(&c->born);
}

/* End the thread, and wait until its last task work has run. */
static inline void child_end(struct child *c)
{
	kthread_stop(c->task);
	/* Sleep because nothing signals that a thread is dead. */
	while (!READ_ONCE(c->task->exit_state))
		schedule_timeout_uninterruptible(1);
	put_task_struct(c->task);
}

/*
 * Make PMD0 of a thread count @d0 events. Return: 0, or -ESRCH if the thread
 * has no context.
 */
static inline int child_count(const struct child *c, u64 d0)
{
	struct pfm_sim_tick tick = { .task = c->task, .delta = { d0 } };

	return pfm_sim_advance(&tick);
}

/*
 * Return PMD0 as PFM_READ_PMDS returns it: the sum over the family, or the
 * root's own value if PMD0 is a sampling counter.
 */
static inline u64 family_value(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_pmd_t pmd = {};

	fixture_lock(ctx);
	pfm_family_collect(ctx);
	KUNIT_EXPECT_EQ(test, pfm_read_pmd(ctx, &pmd), 0);
	fixture_unlock(ctx);
	return pmd.reg_value;
}

static inline int family_do(struct kunit *test,
			    int (*command)(struct pfm_context *ctx))
{
	struct pfm_context *ctx = ctx_of(test);
	int ret;

	fixture_lock(ctx);
	ret = command(ctx);
	fixture_unlock(ctx);
	return ret;
}

static inline int family_start(struct pfm_context *ctx)
{
	return pfm_start_family(ctx, NULL);
}

static inline int family_load(struct kunit *test)
{
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	return pfm_load_family(ctx_of(test), &load);
}

/* The .init of suites: PMD0 counts, and the family is started. */
static inline int family_init(struct kunit *test)
{
	fixture_create(test, PFM_FL_INHERIT, false);
	fixture_counter(test, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, family_load(test), 0);
	KUNIT_ASSERT_EQ(test, family_do(test, family_start), 0);
	return 0;
}

static inline void family_exit(struct kunit *test)
{
	if (test->priv)
		pfm_unload_family(ctx_of(test));
	fixture_exit(test);
}

#endif /* PFM_KUNIT_FAMILY_FIXTURE_H */
