// SPDX-License-Identifier: GPL-2.0
/*
 * inherit_kunit.c - births of family members (the creation of their contexts
 *		     when a thread or process is created), and commands on a
 *		     context and its family
 */
#include "family_fixture.h"

static struct pfm_context *context_of(const struct child *c)
{
	struct pfm_context *ctx = pfm_attach_get_thread(c->task);

	/*
	 * The context stays valid after the put, because the thread is alive
	 * and holds a reference.
	 */
	pfm_context_put(ctx);
	return ctx;
}

/* Proves H32 */
static void birth_follows_state_of_family(struct kunit *test)
{
	struct child c[2];

	child_start(test, &c[0]);
	KUNIT_EXPECT_EQ(test, family_do(test, pfm_stop_family), 0);
	child_start(test, &c[1]);
	child_count(&c[0], 3);
	child_count(&c[1], 5);
	KUNIT_EXPECT_EQ(test, family_value(test), 0ULL);
	KUNIT_EXPECT_EQ(test, family_do(test, family_start), 0);
	child_count(&c[0], 3);
	child_count(&c[1], 5);
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
	child_end(&c[0]);
	child_end(&c[1]);
}

/* Proves H32 */
static void member_takes_over_rights_of_parent(struct kunit *test)
{
	struct child c = { .parent = { .user_only = true, .trusted = false } };
	struct pfm_context *ctx;

	child_start(test, &c);
	ctx = context_of(&c);
	KUNIT_EXPECT_TRUE(test, ctx->target.user_only);
	KUNIT_EXPECT_FALSE(test, ctx->trusted);
	child_end(&c);
}

/* Proves H32 */
static void member_is_charged_to_payer_of_root(struct kunit *test)
{
	struct child c = {};
	struct pfm_context *ctx;

	child_start(test, &c);
	ctx = context_of(&c);
	KUNIT_EXPECT_PTR_EQ(test, ctx->charge.user, ctx_of(test)->charge.user);
	KUNIT_EXPECT_PTR_EQ(test, ctx->charge.mm, ctx_of(test)->charge.mm);
	child_end(&c);
}

static void contexts_are_used_again_and_count_from_0(struct kunit *test)
{
	struct pfm_family *family = ctx_of(test)->family;
	struct child c[2] = {};
	struct pfm_context *first;

	child_start(test, &c[0]);
	first = context_of(&c[0]);
	child_count(&c[0], 3);
	first->sets_denied = 1;
	child_end(&c[0]);
	flush_delayed_work(&family->bury);
	child_start(test, &c[1]);
	KUNIT_EXPECT_PTR_EQ(test, context_of(&c[1]), first);
	KUNIT_EXPECT_EQ(test, family_value(test), 3ULL);
	child_count(&c[1], 5);
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
	child_end(&c[1]);
	KUNIT_EXPECT_EQ(test, family->sets_denied, 1ULL);
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
}

static void many_ended_members_are_not_kept(struct kunit *test)
{
	struct pfm_family *family = ctx_of(test)->family;
	const unsigned int nr = 40;
	struct child *c = kunit_kcalloc(test, nr, sizeof(*c), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < nr; i++)
		child_start(test, &c[i]);
	for (i = 0; i < nr; i++)
		child_end(&c[i]);
	flush_delayed_work(&family->bury);
	KUNIT_EXPECT_EQ(test, family->num_spares, 32);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&family->used), 0L);
}

/* The birth fails because the root's thread already has a context. */
static void failed_birth_is_counted_and_leaves_nothing(struct kunit *test)
{
	struct pfm_family *family = ctx_of(test)->family;
	struct pfm_parent parent = {};

	KUNIT_ASSERT_TRUE(test, pfm_family_reserve(family));
	pfm_bear_member(family, &parent);
	KUNIT_EXPECT_EQ(test, atomic64_read(&family->failed), 1LL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&family->born), 0LL);
	KUNIT_EXPECT_EQ(test, family->living, 0);
	flush_delayed_work(&family->bury);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&family->used), 0L);
}

static int deny_counter(struct pfm_pmu_set *set)
{
	__set_bit(0, set->denied);
	return -EBUSY;
}

/*
 * Let a member get no hardware counter for PMD0. Check that the family then
 * records PMD0 as denied. If @born_stopped, create the member before PFM_START.
 */
static void expect_denied(struct kunit *test, bool born_stopped)
{
	struct pfm_family *family = ctx_of(test)->family;
	const struct pfm_pmu *usual = family->pmu;
	struct pfm_pmu full = *usual;
	struct child c = {};

	full.start = deny_counter;
	family->pmu = &full;
	if (born_stopped)
		KUNIT_EXPECT_EQ(test, family_do(test, pfm_stop_family), 0);
	child_start(test, &c);
	if (born_stopped)
		KUNIT_EXPECT_EQ(test, family_do(test, family_start), 0);
	KUNIT_EXPECT_TRUE(test, context_of(&c)->started);
	KUNIT_EXPECT_EQ(test, family->living, 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&family->failed), 0LL);
	child_end(&c);
	KUNIT_EXPECT_EQ(test, family->sets_denied, 1ULL);
	KUNIT_EXPECT_TRUE(test, test_bit(0, family->denied));
	/*
	 * Detach all contexts from the copy of the PMU, which is on the stack.
	 */
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	family->pmu = usual;
}

static void member_without_free_counter_is_denied(struct kunit *test)
{
	expect_denied(test, false);
}

static void start_keeps_members_without_free_counter(struct kunit *test)
{
	expect_denied(test, true);
}

/*
 * After the unload, a fork creates no member, and is not counted as a failed
 * birth.
 */
static void birth_after_unload_is_ignored(struct kunit *test)
{
	struct pfm_family *family = ctx_of(test)->family;
	struct child c = {};

	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	child_start(test, &c);
	KUNIT_EXPECT_NULL(test, pfm_attach_get_thread(c.task));
	KUNIT_EXPECT_EQ(test, atomic64_read(&family->failed), 0LL);
	child_end(&c);
	flush_delayed_work(&family->bury);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&family->used), 0L);
}

static void load_and_unload_need_right_state(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, family_load(test), -EBUSY);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), -EBUSY);
	KUNIT_EXPECT_EQ(test, family_do(test, family_start), -EBUSY);
	KUNIT_EXPECT_EQ(test, family_load(test), 0);
}

static void failed_load_leaves_no_family(struct kunit *test)
{
	pfarg_load_t load = { .load_pid = task_pid_vnr(current),
			      .load_set = 1 };

	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_EXPECT_EQ(test, pfm_load_family(ctx_of(test), &load), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), -EBUSY);
}

static struct kunit_case inherit_cases[] = {
	KUNIT_CASE(birth_follows_state_of_family),
	KUNIT_CASE(member_takes_over_rights_of_parent),
	KUNIT_CASE(member_is_charged_to_payer_of_root),
	KUNIT_CASE(contexts_are_used_again_and_count_from_0),
	KUNIT_CASE(many_ended_members_are_not_kept),
	KUNIT_CASE(failed_birth_is_counted_and_leaves_nothing),
	KUNIT_CASE(member_without_free_counter_is_denied),
	KUNIT_CASE(start_keeps_members_without_free_counter),
	KUNIT_CASE(birth_after_unload_is_ignored),
	KUNIT_CASE(load_and_unload_need_right_state),
	KUNIT_CASE(failed_load_leaves_no_family),
	{}
};

static struct kunit_suite inherit_suite = {
	.name = "pfm_inherit",
	.init = family_init,
	.exit = family_exit,
	.test_cases = inherit_cases,
};

kunit_test_suites(&inherit_suite);
