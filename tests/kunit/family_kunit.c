// SPDX-License-Identifier: GPL-2.0
/*
 * family_kunit.c - sum the counters of a family
 */
#include "family_fixture.h"

static void sum_has_living_and_ended_members(struct kunit *test)
{
	struct child c[2];

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	KUNIT_EXPECT_EQ(test, child_count(&c[0], 3), 0);
	KUNIT_EXPECT_EQ(test, child_count(&c[1], 5), 0);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, family_value(test), 9ULL);
	child_end(&c[0]);
	KUNIT_EXPECT_EQ(test, family_value(test), 9ULL);
	child_end(&c[1]);
	KUNIT_EXPECT_EQ(test, family_value(test), 9ULL);
	KUNIT_EXPECT_EQ(test, ctx_of(test)->family->living, 0);
}

static void unload_gives_sum_to_root(struct kunit *test)
{
	struct child c[2];

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	child_count(&c[0], 3);
	child_count(&c[1], 5);
	child_end(&c[0]);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 8ULL);
	KUNIT_EXPECT_EQ(test, child_count(&c[1], 5), -ESRCH);
	child_end(&c[1]);
}

/* A copy of the simulated PMU. Its first read makes a thread exit. */
static struct pfm_pmu ending;
static const struct pfm_pmu *sim;
static struct child *to_end;

static u64 read_pmd_ending(struct pfm_pmu_reg *reg)
{
	struct child *c = to_end;
	u64 value = sim->read_pmd(reg);

	to_end = NULL;
	if (c)
		child_end(c);
	return value;
}

static void use_ending(struct pfm_context *ctx)
{
	sim = ctx->pmu;
	ending = *sim;
	ending.read_pmd = read_pmd_ending;
	ctx->pmu = &ending;
}

/* Make the core read the PMDs of member @c through the copy of the PMU. */
static void use_ending_for(const struct child *c)
{
	struct pfm_context *ctx = pfm_attach_get_thread(c->task);

	use_ending(ctx);
	pfm_context_put(ctx);
}

/*
 * Let member @ends exit while member @reads is read. Both members must be
 * counted exactly once.
 */
static void end_while_summed(struct kunit *test, unsigned int reads,
			     unsigned int ends)
{
	struct child c[2];

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	child_count(&c[0], 3);
	child_count(&c[1], 5);
	use_ending_for(&c[reads]);
	to_end = &c[ends];
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
	KUNIT_EXPECT_NULL(test, to_end);
	KUNIT_EXPECT_EQ(test, family_value(test), 8ULL);
	child_end(&c[!ends]);
}

static void member_that_ends_before_its_turn_counts_once(struct kunit *test)
{
	end_while_summed(test, 0, 1);
}

/*
 * The reader holds the lock of the member's context, so the reader and not the
 * exiting thread must detach the context.
 */
static void member_that_ends_in_its_turn_counts_once(struct kunit *test)
{
	end_while_summed(test, 0, 0);
}

static void member_that_ends_after_its_turn_counts_once(struct kunit *test)
{
	end_while_summed(test, 1, 0);
}

static void denied_pmds_of_ended_members_are_kept(struct kunit *test)
{
	struct pfm_family *family = ctx_of(test)->family;
	struct pfm_context *ctx;
	struct child c;

	child_start(test, &c);
	ctx = pfm_attach_get_thread(c.task);
	__set_bit(0, ctx->set->pmu_set.denied);
	ctx->sets_denied = 2;
	pfm_context_put(ctx);
	child_end(&c);
	KUNIT_EXPECT_EQ(test, family->sets_denied, 2ULL);
	KUNIT_EXPECT_TRUE(test, test_bit(0, family->denied));
}

static struct kunit_case family_cases[] = {
	KUNIT_CASE(sum_has_living_and_ended_members),
	KUNIT_CASE(unload_gives_sum_to_root),
	KUNIT_CASE(member_that_ends_before_its_turn_counts_once),
	KUNIT_CASE(member_that_ends_in_its_turn_counts_once),
	KUNIT_CASE(member_that_ends_after_its_turn_counts_once),
	KUNIT_CASE(denied_pmds_of_ended_members_are_kept),
	{}
};

static struct kunit_suite family_suite = {
	.name = "pfm_family",
	.init = family_init,
	.exit = family_exit,
	.test_cases = family_cases,
};

kunit_test_suites(&family_suite);
