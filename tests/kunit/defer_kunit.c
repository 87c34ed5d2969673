// SPDX-License-Identifier: GPL-2.0
/*
 * defer_kunit.c - overflows that occur while a command or another overflow owns
 * the context
 */
#include "context.h"
#include "defer.h"
#include "fixture.h"
#include "owner.h"
#include "value.h"

/* Proves H19 */
static void nested_overflow_is_handled_afterwards(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.during = fixture_overflow_inside;
	fixture_start(test);
	fixture_count(test, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_FALSE(test, f->script.overlapped);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[1].ip, 0x77ULL);
	KUNIT_EXPECT_PTR_EQ(test, f->script.data[1].regs, NULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

/*
 * While a command owns the context, overflows are deferred until the command is
 * done.
 */
/* Proves H06 */
static void overflow_during_command_is_deferred(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_start_owned(test, &flags);
	fixture_count(test, 101);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0x1234ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -100ULL);
	/*
	 * The sample contains the ID of the monitored thread, no matter which
	 * thread handles the overflow.
	 */
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)current->pid);
}

/*
 * An overflow interrupts the handler of another overflow, and is deferred. When
 * that handler has finished, a command owns the context, so the deferred
 * overflow is handled after the command.
 */
/* Proves H06 */
static void nested_overflow_is_deferred_after_command(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_start_owned(test, &flags);
	fixture_pmd_of(f->ctx, 0)->state = PFM_NOTED;
	f->ctx->deferred = 1;
	pfm_see_to_deferred(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
}

/* Only the owner of the context may change the count of lost overflows. */
static void lost_overflows_during_command_are_counted(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_pmu_reg *reg;
	unsigned long flags;

	fixture_start_owned(test, &flags);
	reg = &fixture_pmd_of(f->ctx, 0)->hw;
	preempt_disable();
	pfm_overflow_lost(reg, 3);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 3ULL);
	preempt_disable();
	pfm_overflow_lost(reg, 2);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 5ULL);
}

static struct pfm_context *script_ctx;
static struct task_struct *away;
static u32 owner_while_away;

static void overflow_while_away(void)
{
	struct pfm_sim_tick tick = { .task = away, .ip = 0x77,
				     .delta = { 0, 12 } };

	owner_while_away = READ_ONCE(script_ctx->busy);
	pfm_sim_advance(&tick);
}

/*
 * Monitor the thread "away", which is switched out, and make it overflow while
 * a command owns the context.
 */
static void defer_overflow_of_away(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_start_on(test, away);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_sim_advance(&(struct pfm_sim_tick){ .task = away, .ip = 0x1234,
						.delta = { 12 } });
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
}

/*
 * The handler for the deferred overflow runs while the thread is switched out.
 * Meanwhile, the thread may run on another CPU and overflow there. The core
 * leaves an overflow to a running handler only if the overflow interrupts that
 * handler on the same CPU. Therefore, the core must defer the overflow on the
 * other CPU, as if a command owned the context.
 */
/* Proves H06 */
static void deferred_work_ignores_switched_out_thread(struct kunit *test)
{
	struct fixture *f = test->priv;

	away = fixture_thread();
	KUNIT_ASSERT_FALSE(test, IS_ERR(away));
	script_ctx = f->ctx;
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.during = overflow_while_away;
	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	defer_overflow_of_away(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0x1234ULL);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)away->pid);
	KUNIT_EXPECT_EQ(test, owner_while_away, (u32)PFM_BUSY_COMMAND);
	KUNIT_EXPECT_EQ(test, f->script.data[1].ip, 0x77ULL);
	KUNIT_EXPECT_FALSE(test, f->script.overlapped);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	fixture_unload(test);
	kthread_stop(away);
}

/*
 * Report an overflow of PMD0 while a command owns the context. Before that, put
 * PMD0 into the state PFM_KNOWN (overflow handled, but not yet reported) as if
 * an NMI had interrupted pfm_overflow() and had handled an overflow when the
 * value of PMD0 was @known_from. Return: the number of calls of the handler.
 */
static int defer_known(struct kunit *test, u64 known_from)
{
	struct fixture *f = test->priv;
	struct pfm_pmd *pmd;
	unsigned long flags;

	fixture_start_owned(test, &flags);
	pmd = fixture_pmd_of(f->ctx, 0);
	pfm_value_write_ovfl(pmd, 1);
	pmd->last_reset = -100ULL;
	pmd->known_from = known_from;
	pmd->state = PFM_KNOWN;
	pfm_defer(pmd, 0x77, PFM_BUSY_COMMAND);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, pmd->state, PFM_QUIET);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	return f->script.calls;
}

static void known_overflow_is_not_noted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, defer_known(test, 0), 0);
}

static void overflow_after_known_one_is_noted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, defer_known(test, -90ULL), 1);
}

/* The tool may be waiting for this overflow, because it may be the last one. */
/* Proves H06 */
static void switched_out_overflow_notifies(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	away = fixture_thread();
	KUNIT_ASSERT_FALSE(test, IS_ERR(away));
	f->script.ctrl[0] = PFM_OVFL_CTRL_HOLD;
	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	defer_overflow_of_away(test);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(f->ctx));
	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_ip, 0x1234ULL);
	fixture_unload(test);
	kthread_stop(away);
}

/* Proves 3.4.3-03 */
static void deferred_overflows_share_time_stamp(struct kunit *test)
{
	struct pfm_sim_tick tick = { .task = current, .ip = 0x77,
				     .delta = { 0, 12, 12 } };
	struct fixture *f = test->priv;
	unsigned long flags;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 2, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_HOLD;
	f->script.ctrl[1] = PFM_OVFL_CTRL_HOLD;
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_sim_advance(&tick);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.data[1].ip, 0x77ULL);
	KUNIT_EXPECT_EQ(test, f->script.tstamp[0], f->script.tstamp[1]);
	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL << 1 | 1ULL << 2);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static struct kunit_case defer_cases[] = {
	KUNIT_CASE(nested_overflow_is_handled_afterwards),
	KUNIT_CASE(overflow_during_command_is_deferred),
	KUNIT_CASE(nested_overflow_is_deferred_after_command),
	KUNIT_CASE(lost_overflows_during_command_are_counted),
	KUNIT_CASE(known_overflow_is_not_noted),
	KUNIT_CASE(overflow_after_known_one_is_noted),
	KUNIT_CASE(deferred_work_ignores_switched_out_thread),
	KUNIT_CASE(switched_out_overflow_notifies),
	KUNIT_CASE(deferred_overflows_share_time_stamp),
	{}
};

static struct kunit_suite defer_suite = {
	.name = "pfm_defer",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = defer_cases,
};

kunit_test_suite(defer_suite);
