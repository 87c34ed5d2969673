// SPDX-License-Identifier: GPL-2.0
/*
 * heritage_kunit.c - registers that members of a family inherit
 */
#include "share_fixture.h"

static void member_has_reset_values_of_root(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->value, -10ULL);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->short_reset, SHORT_RESET);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->long_reset, LONG_RESET);
	KUNIT_EXPECT_TRUE(test, pmd_of(&c)->ovfl->arg.ovfl_notify);
	child_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_EQ(test, script->data[0].tid, c.task->pid);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->last_reset, SHORT_RESET);
	/*
	 * PMD0 is a sampling counter, which is not summed over the family.
	 * Reading returns the value of the root's own PMD0, which has not
	 * counted.
	 */
	KUNIT_EXPECT_EQ(test, family_value(test), -10ULL);
	child_end(&c);
}

static void reused_member_begins_with_a_whole_period(struct kunit *test)
{
	struct child c[2] = {};

	child_start(test, &c[0]);
	child_count(&c[0], PERIOD - 1);
	child_end(&c[0]);
	flush_delayed_work(&ctx_of(test)->family->bury);
	child_start(test, &c[1]);
	child_count(&c[1], PERIOD - 1);
	KUNIT_EXPECT_EQ(test, script->calls, 0);
	child_count(&c[1], 1);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	child_end(&c[1]);
}

/*
 * PMD2 counts from 0. Each overflow of PMD0 records PMD2 and resets it to 1000.
 */
static void member_records_and_resets_pmds_of_root(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_smpl_pmds = { 0x4 }, .reg_smpl_eventid = 7,
			    .reg_reset_pmds = { 0x4 } };
	struct pfm_sim_tick tick = { .delta = { PERIOD, 0, 5 } };
	struct child c = {};

	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	fixture_counter(test, 2, 0, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 2,
					 .reg_short_reset = 1000 });
	fixture_pmc(test, pmc);
	KUNIT_ASSERT_EQ(test, family_load(test), 0);
	KUNIT_ASSERT_EQ(test, family_do(test, family_start), 0);
	child_start(test, &c);
	tick.task = c.task;
	KUNIT_EXPECT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_EQ(test, script->arg[0].num_smpl_pmds, 1);
	KUNIT_EXPECT_EQ(test, script->arg[0].smpl_pmds_values[0], 5ULL);
	KUNIT_EXPECT_EQ(test, script->arg[0].pmd_eventid, 7ULL);
	KUNIT_EXPECT_FALSE(test, pmd_of(&c)->ovfl->arg.ovfl_notify);
	tick.delta[0] = -SHORT_RESET;
	KUNIT_EXPECT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, script->arg[1].smpl_pmds_values[0],
			1005ULL);
	child_end(&c);
}

static int write_pmd(struct kunit *test, pfarg_pmd_t *req)
{
	struct pfm_context *ctx = ctx_of(test);
	int ret;

	fixture_lock(ctx);
	ret = pfm_write_family_pmd(ctx, req);
	fixture_unlock(ctx);
	return ret;
}

/* Return a request that gives PMD0 a period of 5. */
static pfarg_pmd_t shorter(void)
{
	return (pfarg_pmd_t){ .reg_value = -5ULL, .reg_short_reset = -5ULL,
			      .reg_long_reset = -5ULL };
}

static void resets_of_all_members_can_change(struct kunit *test)
{
	pfarg_pmd_t req = shorter();
	struct child c[2] = {};

	child_start(test, &c[0]);
	child_count(&c[0], PERIOD - 1);
	KUNIT_EXPECT_EQ(test, write_pmd(test, &req), 0);
	/* The current period does not change. */
	KUNIT_EXPECT_EQ(test, family_value(test), -10ULL);
	KUNIT_EXPECT_EQ(test, script->calls, 0);
	child_count(&c[0], 1);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_EQ(test, pmd_of(&c[0])->last_reset, -5ULL);
	child_start(test, &c[1]);
	child_count(&c[1], 4);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	child_count(&c[1], 1);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	child_count(&c[1], 5);
	KUNIT_EXPECT_EQ(test, script->calls, 3);
	KUNIT_EXPECT_EQ(test, pfm_pmd_at(ctx_of(test)->set, 0)->long_reset,
			-5ULL);
	child_end(&c[0]);
	child_end(&c[1]);
}

static void bad_resets_change_nothing(struct kunit *test)
{
	pfarg_pmd_t seldom = shorter(), smpl = shorter(), other = shorter();
	struct child c = {};

	child_start(test, &c);
	seldom.reg_long_reset = 0;
	KUNIT_EXPECT_EQ(test, write_pmd(test, &seldom), -EINVAL);
	KUNIT_EXPECT_TRUE(test, seldom.reg_flags & PFM_REG_RETFL_EINVAL);
	smpl.reg_flags = PFM_REGFL_SMPL;
	KUNIT_EXPECT_EQ(test, write_pmd(test, &smpl), -EINVAL);
	/* The members do not have counter 3. */
	other.reg_num = 3;
	KUNIT_EXPECT_EQ(test, write_pmd(test, &other), -EBUSY);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->long_reset, LONG_RESET);
	child_end(&c);
}

static struct kunit_case heritage_cases[] = {
	KUNIT_CASE(member_has_reset_values_of_root),
	KUNIT_CASE(reused_member_begins_with_a_whole_period),
	KUNIT_CASE(member_records_and_resets_pmds_of_root),
	KUNIT_CASE(resets_of_all_members_can_change),
	KUNIT_CASE(bad_resets_change_nothing),
	{}
};

static struct kunit_suite heritage_suite = {
	.name = "pfm_heritage",
	.init = share_init,
	.exit = share_exit,
	.test_cases = heritage_cases,
};

kunit_test_suites(&heritage_suite);
