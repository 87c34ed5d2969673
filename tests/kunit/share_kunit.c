// SPDX-License-Identifier: GPL-2.0
/*
 * share_kunit.c - the buffers of a sampling family, one per CPU ("parts")
 */
#include <linux/errno.h>
#include <linux/sched/clock.h>
#include "defer.h"
#include "rate.h"
#include "share.h"
#include "share_fixture.h"

#define FULL	(PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_MASK)

/*
 * The child that count_other() makes overflow while a call-back of the format
 * runs.
 */
static struct child *other;

static void count_other(void)
{
	child_count(other, PERIOD);
}

static struct pfm_share *share_of(struct kunit *test)
{
	return ctx_of(test)->share;
}

static struct pfm_part *part_of(struct kunit *test)
{
	return share_of(test)->parts[raw_smp_processor_id()];
}

static u64 lost(struct kunit *test)
{
	return pfm_share_count(share_of(test)).lost;
}

static int share_restart(struct kunit *test)
{
	return family_do(test, pfm_restart_family);
}

/*
 * Take a message from the queue as read() does. Return: false if the queue is
 * empty.
 */
static bool read_msg(struct kunit *test, pfm_ovfl_msg_t *msg)
{
	struct pfm_share_pos pos;

	KUNIT_EXPECT_EQ(test, pfm_share_has_msg(share_of(test)),
			pfm_share_peek(share_of(test), msg, &pos));
	return pfm_share_peek(share_of(test), msg, &pos) &&
	       pfm_share_take(&pos);
}

static void expect_msg(struct kunit *test, const struct child *c)
{
	pfm_ovfl_msg_t msg;

	KUNIT_ASSERT_TRUE(test, read_msg(test, &msg));
	KUNIT_EXPECT_EQ(test, msg.msg_type, PFM_MSG_OVFL);
	KUNIT_EXPECT_EQ(test, msg.msg_ovfl_tid, c->task->pid);
	KUNIT_EXPECT_EQ(test, msg.msg_ovfl_cpu, raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, msg.msg_ovfl_pmds[0], 1ULL);
}

static int pmd1_count(const struct child *c, u64 d1)
{
	struct pfm_sim_tick tick = { .task = c->task, .delta = { 0, d1 } };

	return pfm_sim_advance(&tick);
}

static bool root_was_kicked;

static void note_kick(struct irq_work *work)
{
	root_was_kicked = true;
	pfm_irq_work(work);
}

/*
 * A message must not use the irq_work of the root context, because commands on
 * the root wait for that irq_work.
 */
/* Proves H08 */
static void message_does_not_kick_the_root(struct kunit *test)
{
	struct child c = {};

	root_was_kicked = false;
	ctx_of(test)->irq_work.work.func = note_kick;
	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	expect_msg(test, &c);
	pfm_wait_kicks(ctx_of(test));
	pfm_share_wait(share_of(test));
	KUNIT_EXPECT_FALSE(test, root_was_kicked);
	child_end(&c);
}

/*
 * Return whether the core has cleared the thread's state, which set_state()
 * set.
 */
static bool state_is_forgotten(const struct child *c)
{
	return !pmd_of(c)->ctx->fmt_state.words[3];
}

static void set_state(const struct child *c)
{
	pmd_of(c)->ctx->fmt_state.words[3] = 1;
}

/*
 * The second overflow happens while the handler of the first one runs, as if it
 * were reported by an irq_work that interrupts the handler.
 */
/* Proves H06 */
static void overflow_that_finds_part_owned_is_lost(struct kunit *test)
{
	struct child c[2] = {};

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	other = &c[1];
	script->during = count_other;
	set_state(&c[0]);
	set_state(&c[1]);
	child_count(&c[0], PERIOD);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_FALSE(test, script->overlapped);
	KUNIT_EXPECT_FALSE(test, state_is_forgotten(&c[0]));
	KUNIT_EXPECT_TRUE(test, state_is_forgotten(&c[1]));
	KUNIT_EXPECT_EQ(test, lost(test), 1ULL);
	KUNIT_EXPECT_EQ(test, pmd_of(&c[1])->last_reset, SHORT_RESET);
	child_count(&c[1], -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	child_end(&c[0]);
	child_end(&c[1]);
}

/*
 * The second overflow happens during PFM_RESTART, as if it were reported by an
 * NMI that interrupts the command.
 */
/* Proves H06 */
static void overflow_during_restart_is_lost(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	other = &c;
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	expect_msg(test, &c);
	during_restart = count_other;
	child_count(&c, -SHORT_RESET - PERIOD);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_EQ(test, lost(test), 1ULL);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	child_end(&c);
}

static void cpu_without_part_loses_overflows(struct kunit *test)
{
	unsigned int cpu = raw_smp_processor_id();
	struct pfm_part *part = part_of(test);
	struct child c = {};

	child_start(test, &c);
	share_of(test)->parts[cpu] = NULL;
	set_state(&c);
	child_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, lost(test), 1ULL);
	KUNIT_EXPECT_TRUE(test, state_is_forgotten(&c));
	KUNIT_EXPECT_NULL(test, pfm_share_at(share_of(test), 0));
	share_of(test)->parts[cpu] = part;
	KUNIT_EXPECT_EQ(test, script->calls, 0);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->last_reset, SHORT_RESET);
	child_end(&c);
}

static void full_part_loses_overflows_until_restart(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->last_reset, SHORT_RESET);
	set_state(&c);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_TRUE(test, state_is_forgotten(&c));
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_EQ(test, lost(test), 2ULL);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 1);
	KUNIT_EXPECT_FALSE(test, script->was_active);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	KUNIT_EXPECT_EQ(test, lost(test), 2ULL);
	child_end(&c);
}

static void restart_leaves_part_with_unread_message(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 0);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 1);
	child_end(&c);
}

static void full_part_without_message_is_restarted(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = PFM_OVFL_CTRL_MASK;
	child_count(&c, PERIOD);
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 1);
	child_end(&c);
}

/*
 * PMD1, which does not notify, fills the CPU's buffer. Then PMD0 overflows, and
 * must notify.
 */
static void later_overflow_reports_full_part(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	pmd1_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	child_count(&c, PERIOD);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, lost(test), 2ULL);
	expect_msg(test, &c);
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	child_end(&c);
}

static void each_message_is_restarted_once(struct kunit *test)
{
	struct child c = {};
	int i;

	child_start(test, &c);
	child_count(&c, PERIOD);
	for (i = 1; i <= 4; i++) {
		script->ctrl[i] = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_RESET;
		child_count(&c, -SHORT_RESET);
	}
	KUNIT_EXPECT_EQ(test, script->calls, 5);
	/* Only fmt_msgq_depth messages, here 2, can be unread. */
	KUNIT_EXPECT_EQ(test, pfm_share_count(share_of(test)).dropped, 2ULL);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 1);
	KUNIT_EXPECT_TRUE(test, script->was_active);
	expect_msg(test, &c);
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 2);
	KUNIT_EXPECT_EQ(test, lost(test), 0ULL);
	child_end(&c);
}

/*
 * One PFM_RESTART restarts a CPU's buffer at most fmt_msgq_depth times, here 2,
 * because an interrupt on that CPU does this, and must not take too long.
 */
/* Proves H18 */
static void restarts_at_a_time_are_limited(struct kunit *test)
{
	struct child c = {};
	int i;

	child_start(test, &c);
	child_count(&c, PERIOD);
	for (i = 1; i <= 5; i++) {
		script->ctrl[i] = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_RESET;
		child_count(&c, -SHORT_RESET);
		expect_msg(test, &c);
	}
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 2);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 4);
	child_end(&c);
}

/*
 * Do what a tool does at the end. It stops the family. For each message, it
 * reads the buffer and restarts. Then it reads the other buffers, and restarts
 * all of them at once.
 */
static void restart_after_stop_empties_every_part(struct kunit *test)
{
	int parts = num_online_cpus();
	struct child c = {};

	child_start(test, &c);
	child_count(&c, PERIOD);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 0);
	KUNIT_EXPECT_EQ(test, family_do(test, pfm_stop_family), 0);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, parts);
	KUNIT_EXPECT_EQ(test, family_do(test, family_start), 0);
	script->ctrl[1] = FULL;
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, family_do(test, pfm_stop_family), 0);
	/* The part with the message is not restarted. */
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 2 * parts - 1);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 2 * parts);
	child_end(&c);
}

static void error_of_handler_fills_part(struct kunit *test)
{
	struct pfm_share_counts counts;
	struct child c = {};

	child_start(test, &c);
	script->ret[0] = -EIO;
	child_count(&c, PERIOD);
	child_count(&c, -SHORT_RESET);
	counts = pfm_share_count(share_of(test));
	KUNIT_EXPECT_EQ(test, counts.lost, 2ULL);
	KUNIT_EXPECT_EQ(test, counts.odd.errors, 1ULL);
	KUNIT_EXPECT_EQ(test, counts.odd.last_error, -EIO);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	script->ctrl[1] = 0x100;
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	KUNIT_EXPECT_EQ(test, pfm_share_count(share_of(test)).odd.bad_ctrl,
			1ULL);
	expect_msg(test, &c);
	child_end(&c);
}

static void handler_may_let_pmds_count_on(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = PFM_OVFL_CTRL_NOTIFY;
	child_count(&c, PERIOD + 3);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->last_reset, -10ULL);
	child_end(&c);
}

static void error_of_restart_keeps_part_full(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	expect_msg(test, &c);
	script->restart_ret = -EIO;
	KUNIT_EXPECT_EQ(test, share_restart(test), -EIO);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	script->restart_ret = 0;
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	child_end(&c);
}

static void restart_may_keep_part_full(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	expect_msg(test, &c);
	script->restart_ctrl = PFM_OVFL_CTRL_MASK;
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 1);
	script->restart_ctrl = 0;
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 2);
	child_count(&c, -SHORT_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	child_end(&c);
}

static void load_forgets_messages_and_full_parts(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	script->ctrl[0] = FULL;
	child_count(&c, PERIOD);
	child_end(&c);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_EXPECT_TRUE(test, pfm_share_has_msg(share_of(test)));
	KUNIT_EXPECT_EQ(test, share_restart(test), -EBUSY);
	KUNIT_EXPECT_EQ(test, family_load(test), 0);
	KUNIT_EXPECT_EQ(test, family_do(test, family_start), 0);
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 0);
	KUNIT_EXPECT_FALSE(test, part_of(test)->full);
}

/*
 * Make a thread overflow until the rate limit masks its context, and then a few
 * times more.
 */
static void overflow_too_often(const struct child *c)
{
	unsigned int max = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = 100;
	child_count(c, PERIOD);
	for (i = 0; i < 30; i++)
		child_count(c, -SHORT_RESET);
	pfm_ovfl_rate_max = max;
}

static void throttled_member_continues_after_restart(struct kunit *test)
{
	struct child c = {};
	int calls;

	child_start(test, &c);
	overflow_too_often(&c);
	calls = script->calls;
	KUNIT_EXPECT_LT(test, calls, 31);
	KUNIT_EXPECT_TRUE(test, part_of(test)->full);
	expect_msg(test, &c);
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_EQ(test, script->restarts, 1);
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->last_reset, LONG_RESET);
	child_count(&c, -LONG_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, calls + 1);
	child_end(&c);
}

static void overflow_in_turns(struct child *c,
			      int (*count)(const struct child *, u64))
{
	unsigned int max = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = 100;
	count(&c[0], PERIOD);
	count(&c[1], PERIOD);
	for (i = 0; i < 30; i++)
		count(&c[i % 2], -SHORT_RESET);
	pfm_ovfl_rate_max = max;
}

static bool is_masked(const struct child *c)
{
	return pfm_is_masked(pmd_of(c)->ctx);
}

static int report(const struct child *c, u64 unused)
{
	struct pfm_pmd *pmd = pmd_of(c);

	pmd->hw.reload = pmd->plain_reset;
	preempt_disable();
	pfm_overflow(&pmd->hw, 1, NULL, 0x1234);
	preempt_enable();
	return 0;
}

/*
 * Check that two threads together may have ten more overflows after the first
 * one. @count causes an overflow.
 */
static void check_common_limit(struct kunit *test,
			       int (*count)(const struct child *, u64))
{
	struct child c[2] = {};
	pfm_ovfl_msg_t msg;

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	overflow_in_turns(c, count);
	KUNIT_EXPECT_EQ(test, script->calls, 11);
	KUNIT_EXPECT_EQ(test, lost(test), 1ULL);
	KUNIT_EXPECT_TRUE(test, is_masked(&c[0]));
	KUNIT_EXPECT_TRUE(test, is_masked(&c[1]));
	KUNIT_EXPECT_EQ(test, pmd_of(&c[0])->ctx->throttled, 1ULL);
	KUNIT_EXPECT_EQ(test, pmd_of(&c[1])->ctx->throttled, 0ULL);
	KUNIT_EXPECT_TRUE(test, read_msg(test, &msg));
	KUNIT_EXPECT_FALSE(test, read_msg(test, &msg));
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, is_masked(&c[0]));
	KUNIT_EXPECT_FALSE(test, is_masked(&c[1]));
	count(&c[0], -LONG_RESET);
	count(&c[1], -LONG_RESET);
	KUNIT_EXPECT_EQ(test, script->calls, 13);
	child_end(&c[0]);
	child_end(&c[1]);
}

/* Proves H18 */
static void threads_on_a_cpu_have_a_common_limit(struct kunit *test)
{
	check_common_limit(test, child_count);
}

/* Proves H18 */
static void reported_overflows_have_a_common_limit(struct kunit *test)
{
	check_common_limit(test, report);
}

/* Each thread exits before the end of its first window of the rate limit. */
static void short_threads_have_a_common_limit(struct kunit *test)
{
	unsigned int max = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = 100;
	for (i = 0; i < 14; i++) {
		struct child c = {};

		child_start(test, &c);
		/*
		 * Start the window again, because creating the child took time.
		 */
		if (part_of(test)->rate.began)
			part_of(test)->rate.began = local_clock();
		child_count(&c, PERIOD);
		child_end(&c);
	}
	KUNIT_EXPECT_EQ(test, script->calls, 11);
	pfm_ovfl_rate_max = max;
}

static void limit_without_flag_is_told_by_a_pmd_with_it(struct kunit *test)
{
	struct child c[2] = {};

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	overflow_in_turns(c, pmd1_count);
	KUNIT_EXPECT_TRUE(test, part_of(test)->limited);
	KUNIT_EXPECT_TRUE(test, is_masked(&c[0]));
	KUNIT_EXPECT_FALSE(test, pfm_share_has_msg(share_of(test)));
	KUNIT_EXPECT_EQ(test, share_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, part_of(test)->limited);
	KUNIT_EXPECT_FALSE(test, is_masked(&c[0]));
	child_end(&c[0]);
	child_end(&c[1]);
}

static void load_forgets_the_limit(struct kunit *test)
{
	struct child c = {};

	child_start(test, &c);
	overflow_too_often(&c);
	child_end(&c);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_ASSERT_EQ(test, family_load(test), 0);
	KUNIT_EXPECT_FALSE(test, part_of(test)->limited);
	KUNIT_EXPECT_EQ(test, part_of(test)->rate.began, 0ULL);
}

static void losses_of_members_are_kept(struct kunit *test)
{
	struct pfm_losses losses;
	struct child c[2] = {};

	child_start(test, &c[0]);
	child_start(test, &c[1]);
	overflow_too_often(&c[0]);
	pmd_of(&c[1])->ctx->lost = 5;
	child_end(&c[0]);
	fixture_lock(ctx_of(test));
	losses = pfm_family_losses(ctx_of(test));
	fixture_unlock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, losses.throttled, 1ULL);
	KUNIT_EXPECT_EQ(test, losses.lost, 5ULL);
	child_end(&c[1]);
	KUNIT_EXPECT_EQ(test, pfm_unload_family(ctx_of(test)), 0);
	KUNIT_EXPECT_EQ(test, ctx_of(test)->throttled, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx_of(test)->lost, 5ULL);
}

/*
 * Creating a member must not access the format, because its module may have
 * been unloaded.
 */
/* Proves H11 */
static void members_do_not_read_the_format(struct kunit *test)
{
	static const pfm_buffer_fmt_t gone = { .fmt_msgq_depth = 1000 };
	struct child c = {};

	share_of(test)->fmt = &gone;
	child_start(test, &c);
	share_of(test)->fmt = ctx_of(test)->fmt;
	KUNIT_EXPECT_EQ(test, pmd_of(&c)->ctx->msgq.depth, 1);
	child_end(&c);
}

static void member_has_raw_time_of_root(struct kunit *test)
{
	struct pfm_context *ctx;
	struct child c = {};

	share_of(test)->raw.time_mult = 3;
	child_start(test, &c);
	ctx = pmd_of(&c)->ctx;
	KUNIT_EXPECT_TRUE(test, ctx->raw_time);
	KUNIT_EXPECT_EQ(test, ctx->raw.conv.time_mult, 3);
	child_end(&c);
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(message_does_not_kick_the_root),
	KUNIT_CASE(overflow_that_finds_part_owned_is_lost),
	KUNIT_CASE(overflow_during_restart_is_lost),
	KUNIT_CASE(cpu_without_part_loses_overflows),
	KUNIT_CASE(full_part_loses_overflows_until_restart),
	KUNIT_CASE(restart_leaves_part_with_unread_message),
	KUNIT_CASE(full_part_without_message_is_restarted),
	KUNIT_CASE(later_overflow_reports_full_part),
	KUNIT_CASE(each_message_is_restarted_once),
	KUNIT_CASE(restarts_at_a_time_are_limited),
	KUNIT_CASE(restart_after_stop_empties_every_part),
	KUNIT_CASE(error_of_handler_fills_part),
	KUNIT_CASE(handler_may_let_pmds_count_on),
	KUNIT_CASE(error_of_restart_keeps_part_full),
	KUNIT_CASE(restart_may_keep_part_full),
	KUNIT_CASE(load_forgets_messages_and_full_parts),
	KUNIT_CASE(throttled_member_continues_after_restart),
	KUNIT_CASE(threads_on_a_cpu_have_a_common_limit),
	KUNIT_CASE(reported_overflows_have_a_common_limit),
	KUNIT_CASE(short_threads_have_a_common_limit),
	KUNIT_CASE(limit_without_flag_is_told_by_a_pmd_with_it),
	KUNIT_CASE(load_forgets_the_limit),
	KUNIT_CASE(losses_of_members_are_kept),
	KUNIT_CASE(members_do_not_read_the_format),
	KUNIT_CASE(member_has_raw_time_of_root),
	{}
};

static struct kunit_suite share_suite = {
	.name = "pfm_share",
	.init = share_init,
	.exit = share_exit,
	.test_cases = share_cases,
};

kunit_test_suites(&share_suite);
