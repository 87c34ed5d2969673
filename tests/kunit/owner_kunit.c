// SPDX-License-Identifier: GPL-2.0
/*
 * owner_kunit.c - ownership of a context, by which commands and overflows
 * exclude each other
 */
#include "context.h"
#include "fixture.h"
#include "owner.h"

/* Report the overflow like a PMU that reports each counter separately. */
/* Proves H06 */
static void overflow_does_not_take_ownership_of_command(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_sampling_counter(test, 0, 0);
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_overflow(&fixture_pmd_of(f->ctx, 0)->hw, 1, NULL, 0x1234);
	KUNIT_EXPECT_EQ(test, f->ctx->busy, (u32)PFM_BUSY_COMMAND);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->ctx->busy, 0U);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static void interrupts_see_overflows(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, pfm_owner_init());
}

/*
 * pfm_owner_init() tests twice whether an interrupt can tell that it has
 * interrupted an overflow: with preemption off, as in an overflow, and with
 * preemption on. If the interrupt is wrong once, commands do not rely on
 * interrupts to detect overflows, and wait for a grace period instead.
 */
static void blind_interrupts_are_not_trusted(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, pfm_owner_judge(false, false));
	KUNIT_EXPECT_FALSE(test, pfm_owner_judge(true, true));
	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 12);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_TRUE(test, pfm_owner_init());
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(interrupts_see_overflows),
	KUNIT_CASE(blind_interrupts_are_not_trusted),
	KUNIT_CASE(overflow_does_not_take_ownership_of_command),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "pfm_owner",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = owner_cases,
};

kunit_test_suite(owner_suite);
