// SPDX-License-Identifier: GPL-2.0
/*
 * overflow_kunit.c - what the core does around a format's handler and restart
 *		      call-back (3.5.14, 3.5.15, 3.4.3)
 */
#include <linux/kthread.h>
#include "block.h"
#include "carta.h"
#include "context.h"
#include "fixture.h"
#include "load.h"
#include "messages.h"
#include "msgq.h"
#include "overflow.h"
#include "owner.h"
#include "pause.h"
#include "rate.h"
#include "regs.h"

#define SHORT	(-100ULL)
#define LONG	(-1000ULL)

static int overflow_init(struct kunit *test)
{
	fixture_create(test, 0, true);
	return 0;
}

static int overflow_without_fmt_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

/* PMD @num overflows after 10 events; short and long values tell resets. */
static void sampling_counter(struct kunit *test, u16 num, u32 flags)
{
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = num, .reg_flags = flags });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = num, .reg_value = -10,
					 .reg_short_reset = SHORT,
					 .reg_long_reset = LONG });
}

static bool has_msg(struct fixture *f, pfm_msg_t *msg)
{
	return take_msg(&f->ctx->msgq, msg);
}

/* All combinations of the control bits, with and without notification. */
struct bits {
	u32	ctrl;
	u32	flags;
};

static const void *next_bits(const void *prev, char *desc)
{
	static struct bits all[2 * (PFM_OVFL_CTRL_ALL + 1)];
	const struct bits *p = prev;
	int i = p ? p - all + 1 : 0;

	if (i >= ARRAY_SIZE(all))
		return NULL;
	all[i].ctrl = i / 2;
	all[i].flags = i % 2 ? PFM_REGFL_OVFL_NOTIFY : 0;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "ctrl %#x%s", all[i].ctrl,
		 all[i].flags ? " with notification" : "");
	return &all[i];
}

/*
 * Proves 3.1.3-12, 3.1.9-10, 3.1.9-11, 3.5.7-08, 3.5.14-01, 3.5.14-18,
 * 3.5.14-19, 3.5.14-21, 3.5.14-22, 3.5.14-23, 3.5.15-02, 3.5.15-05, P5.4-04
 */
/* Proves H12 */
static void control_bits_do_what_they_say(struct kunit *test)
{
	const struct bits *b = test->param_value;
	struct fixture *f = test->priv;
	bool mask = b->ctrl & PFM_OVFL_CTRL_MASK;
	bool reset = b->ctrl & PFM_OVFL_CTRL_RESET && !mask;
	bool notify = b->ctrl & PFM_OVFL_CTRL_NOTIFY && b->flags;
	pfm_msg_t msg;

	sampling_counter(test, 0, b->flags);
	f->script.ctrl[0] = b->ctrl;
	fixture_start(test);
	fixture_count(test, 13);

	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), reset ? SHORT : 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val,
			reset ? SHORT : -10ULL);
	KUNIT_EXPECT_EQ(test, has_msg(f, &msg), notify);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));

	/* Masked or not? */
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT : 3ULL) + (mask ? 0 : 5));

	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.restarts, 1);
	KUNIT_EXPECT_EQ(test, f->script.was_active, !mask);
	/* What was reset at once is not reset again. */
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			reset ? SHORT + 5 : LONG);
	fixture_count(test, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT + 5 : LONG) + 7);
}

/*
 * Proves 3.1.2-12, 3.1.2-18, 3.5.14-04, 3.5.14-06, 3.5.14-09, 3.5.14-10,
 * 3.5.14-12, 3.5.14-13, 3.5.14-14, 3.5.14-15, 3.5.14-16, 3.5.14-17
 */
static void handler_gets_the_overflow_described(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_ovfl_arg_t *arg = &f->script.arg[0];
	pfarg_pmc_t pmc = { .reg_num = 2, .reg_flags = PFM_REGFL_OVFL_NOTIFY,
			    .reg_smpl_eventid = 0xfeedULL };

	pmc.reg_smpl_pmds[0] = 1U << 1 | 1U << PFM_SIM_PMD_PLAIN;
	fixture_counter(test, 1, 0, 500);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 99 });
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 2, .reg_value = -10 });
	fixture_start(test);
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current, .ip = 0xabcd,
				.delta = { 0, 20, 14 } }), 0);

	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, arg->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, arg->active_set, 0);
	KUNIT_EXPECT_EQ(test, arg->ovfl_ctrl.val, 0U);
	KUNIT_EXPECT_EQ(test, arg->pmd_last_reset, -10ULL);
	KUNIT_EXPECT_EQ(test, arg->pmd_value, 4ULL);
	KUNIT_EXPECT_EQ(test, arg->pmd_eventid, 0xfeedULL);
	KUNIT_EXPECT_EQ(test, arg->ovfl_notify, 1);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds[0],
			1ULL << 1 | 1ULL << PFM_SIM_PMD_PLAIN);
	KUNIT_EXPECT_EQ(test, arg->num_smpl_pmds, 2);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds_values[0], 520ULL);
	KUNIT_EXPECT_EQ(test, arg->smpl_pmds_values[1], 99ULL);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0xabcdULL);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, f->script.data[0].tgid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, f->script.data[0].cpu, 0U);
}

/*
 * Proves 3.4.3-03, 3.4.3-06, 3.5.14-07, 3.5.14-08, 3.5.14-09, 3.5.14-10,
 * 3.5.14-24
 */
static void simultaneous_overflows_go_by_index_with_one_time(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	/* Programmed in the other order. */
	sampling_counter(test, 5, 0);
	sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current,
				.delta = { 0, 12, 0, 0, 0, 12 } }), 0);

	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_notify, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_notify, 0);
	KUNIT_EXPECT_EQ(test, f->script.tstamp[0], f->script.tstamp[1]);
	/* One message for both. */
	KUNIT_ASSERT_TRUE(test, has_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.msg_type, (u32)PFM_MSG_OVFL);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL << 1 | 1ULL << 5);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_tid, (u32)current->pid);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 5), SHORT);
}

/* Proves 3.5.14-23, 3.5.14-26 */
static void one_mask_bit_defers_all_resets_of_the_event(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 2ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG);
}

/* Proves 3.4.3-01, 3.5.14-24 */
static void notification_needs_the_flag_on_the_very_pmd(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
}

/* Proves 3.5.14-30, H12 */
static void an_error_ends_the_calls_and_masks(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	sampling_counter(test, 1, 0);
	f->script.ret[0] = -EIO;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 2ULL);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_TRUE(test, has_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
}

/* Proves H12 */
static void unknown_control_bits_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | 0x80000000U;
	fixture_start(test);
	fixture_count(test, 11);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 1ULL);
}

/* Proves 3.1.2-13, 3.5.14-19, 3.5.15-05 */
static void reset_pmds_are_reset_with_the_counter(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_reset_pmds[0] = 1U << 1;
	sampling_counter(test, 1, 0);
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10,
					 .reg_long_reset = -20 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 10, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT);
	fixture_count2(test, 10, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT + 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -20ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG);
}

/*
 * Proves 3.1.2-10, 3.1.3-19, 3.1.4-08, 3.4.2-01, 3.4.2-05, 3.4.2-08, 3.4.2-09,
 * 3.5.14-12, 3.5.14-20, 3.5.15-06
 */
static void random_resets_follow_the_series_of_the_seed(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 state = pfm_carta_seed(7);
	u64 expected = -10ULL;
	int i;

	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 0,
					 .reg_flags = PFM_REGFL_RANDOM });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10000,
					 .reg_long_reset = -50000,
					 .reg_random_mask = 0xff,
					 .reg_random_seed = 7 });
	fixture_start(test);
	for (i = 0; i < 10; i++) {
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
		fixture_count(test, -fixture_value(test, 0));
		/* The handler saw the period that led to it. */
		KUNIT_EXPECT_EQ(test, f->script.arg[i].pmd_last_reset,
				expected);
		expected = -10000ULL + (pfm_carta_next(&state) & 0xff);
		KUNIT_EXPECT_EQ(test, fixture_value(test, 0), expected);
		KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val,
				expected);
	}
	f->script.ctrl[10] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_count(test, -fixture_value(test, 0));
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			-50000ULL + (pfm_carta_next(&state) & 0xff));
}

/* Proves 3.4.2-06 */
static void each_pmd_has_a_random_series_of_its_own(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 state[2] = { pfm_carta_seed(7), pfm_carta_seed(8) };
	u64 base = -1000ULL;
	int i, n;

	for (i = 0; i < 2; i++) {
		fixture_pmc(test, (pfarg_pmc_t){
				.reg_num = i, .reg_flags = PFM_REGFL_RANDOM });
		fixture_pmd(test, (pfarg_pmd_t){
				.reg_num = i, .reg_value = -10,
				.reg_short_reset = base,
				.reg_random_mask = 0xff,
				.reg_random_seed = 7 + i });
	}
	fixture_start(test);
	for (n = 0; n < 5; n++) {
		f->script.ctrl[2 * n] = PFM_OVFL_CTRL_RESET;
		f->script.ctrl[2 * n + 1] = PFM_OVFL_CTRL_RESET;
		fixture_count2(test, -fixture_value(test, 0),
			       -fixture_value(test, 1));
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ(test, fixture_value(test, i), base +
					(pfm_carta_next(&state[i]) & 0xff));
	}
}

/* Proves 3.4.2-02 */
static void without_the_flag_nothing_is_random(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 0 });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = SHORT,
					 .reg_random_mask = ~0ULL,
					 .reg_random_seed = 7 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT);
}

/* It is reset with a counter that is random; it has no PMC to say so itself. */
/* Proves 3.4.2-03 */
static void what_does_not_count_is_not_random(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_flags = PFM_REGFL_RANDOM };

	pmc.reg_reset_pmds[0] = 1U << PFM_SIM_PMD_PLAIN;
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = SHORT });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 5, .reg_short_reset = 6,
					 .reg_random_mask = ~0ULL,
					 .reg_random_seed = 7 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_value(test, PFM_SIM_PMD_PLAIN), 6ULL);
}

/* Proves 3.5.14-27 */
static void each_pmd_of_an_event_is_reset_or_not(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 2ULL);
	/* Restart is for the other one. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG);
}

/* Proves 3.5.15-03 */
static void restart_neither_notifies_nor_blocks(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, pfm_is_blocked(f->ctx));
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	/* Nor if there was nothing to resume. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, pfm_is_blocked(f->ctx));
}

static void overflow_inside_the_handler(void)
{
	struct pfm_sim_tick tick = { .task = current, .ip = 0x77,
				     .delta = { 0, 12 } };

	pfm_sim_advance(&tick);
}

/* Proves H19 */
static void an_overflow_during_another_is_handled_after_it(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.during = overflow_inside_the_handler;
	fixture_start(test);
	fixture_count(test, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_FALSE(test, f->script.overlapped);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[1].ip, 0x77ULL);
	KUNIT_EXPECT_PTR_EQ(test, f->script.data[1].regs, NULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static void an_overflow_lost_to_a_mask_is_reset_by_restart(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.during = overflow_inside_the_handler;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
	/* Otherwise it would not overflow again before 2^64 events. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG);
}

/* Proves H12 */
static void a_positive_restart_result_is_einval(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.restart_ret = 1;
	fixture_start(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EINVAL);
}

/* Proves H19 */
static void overflows_come_from_hard_interrupts_too(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_sim_tick tick = { .task = current, .irq = true,
				     .delta = { 12 } };

	sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT);
}

/* Proves 3.1.9-11, 3.5.15-02, 3.5.15-04, 3.5.15-05 */
static void restart_may_mask_an_active_context(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.restart_ctrl = PFM_OVFL_CTRL_MASK;
	fixture_start(test);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.was_active, 1);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -6ULL);
	f->script.restart_ctrl = 0;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.was_active, 0);
	/* Resumed, and not reset. */
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -5ULL);
}

/* Proves 3.1.9-11, 3.5.15-04 */
static void restart_may_keep_a_masked_context_masked(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_MASK | PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
}

/* Proves 3.5.15-07 */
static void a_failing_restart_changes_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	f->script.restart_ret = -EIO;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EIO);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3ULL);
	f->script.restart_ret = 0;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
}

/* A command owns the context for a moment; what overflows then comes after it. */
/* Proves H06 */
static void an_overflow_that_meets_a_command_is_handled_after_it(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, 0, -100ULL);
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	fixture_count(test, 101);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	irq_work_sync(&f->ctx->irq_work);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.data[0].ip, 0x1234ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -100ULL);
	/* Whoever the interrupt that follows is in. */
	KUNIT_EXPECT_EQ(test, f->script.data[0].tid, (u32)current->pid);
}

/* Commands that pause do not meet what an earlier one left to an interrupt. */
/* Proves H06 */
static void a_pause_waits_for_what_was_left_to_an_interrupt(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, 0, -100ULL);
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	fixture_count(test, 101);
	pfm_disown(f->ctx, flags);
	pfm_pause(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, pfm_resume(f->ctx), 0);
	fixture_unlock(f->ctx);
}

/*
 * An overflow was interrupted by another, and when it is through there is a
 * command: the other one comes after that.
 */
/* Proves H06 */
static void an_overflow_in_another_is_not_forgotten_for_a_command(
	struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, 0, -100ULL);
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	f->ctx->set->pmds[0].deferred = true;
	f->ctx->deferred = 1;
	pfm_see_to_deferred(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	irq_work_sync(&f->ctx->irq_work);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
}

static int refuse_sampling(struct pfm_pmu_reg *reg)
{
	return reg->sampling ? -EINVAL : 0;
}

/* Proves 3.1.3-06 */
static void a_refused_pmd_value_changes_nothing(struct kunit *test)
{
	struct pfm_context *ctx = ((struct fixture *)test->priv)->ctx;
	pfarg_pmd_t pmd = { .reg_value = -10, .reg_short_reset = SHORT,
			    .reg_long_reset = LONG, .reg_smpl_eventid = 3,
			    .reg_flags = PFM_REGFL_SMPL };
	struct pfm_pmd *mine = &ctx->set->pmds[0];
	const struct pfm_pmu *real = ctx->pmu;
	struct pfm_pmu pmu = *real;

	fixture_counter(test, 0, 0, 5);
	fixture_start(test);
	fixture_count(test, 2);
	pmu.write_pmc = refuse_sampling;
	ctx->pmu = &pmu;
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_write_pmd(ctx, &pmd), -EINVAL);
	fixture_unlock(ctx);
	ctx->pmu = real;
	KUNIT_EXPECT_TRUE(test, pmd.reg_flags & PFM_REG_RETFL_EINVAL);
	KUNIT_EXPECT_FALSE(test, mine->hw.sampling);
	KUNIT_EXPECT_EQ(test, mine->short_reset, 5ULL);
	KUNIT_EXPECT_EQ(test, mine->long_reset, 5ULL);
	KUNIT_EXPECT_EQ(test, mine->ovfl->arg.pmd_eventid, 0ULL);
	KUNIT_EXPECT_EQ(test, mine->ovfl->arg.pmd_last_reset, 5ULL);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 8ULL);
}

/* Forty overflows in no time, with this limit for a second. */
static void overflow_fast(struct kunit *test, unsigned int limit)
{
	struct fixture *f = test->priv;
	unsigned int max = pfm_ovfl_rate_max;
	int i;

	pfm_ovfl_rate_max = limit;
	for (i = 0; i < SCRIPT_MAX; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -1ULL);
	fixture_start(test);
	for (i = 0; i < 40; i++)
		fixture_count(test, 1);
	pfm_ovfl_rate_max = max;
}

/* Ten overflows in a tenth of a second are allowed here; the test needs less. */
/* Proves 4.4.4-02, H18 */
static void too_many_overflows_mask_and_notify(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	overflow_fast(test, 100);
	/* The first one asks the clock, and ten follow. */
	KUNIT_EXPECT_EQ(test, f->script.calls, 11);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 1U);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 1ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_TRUE(test, take_msg(&f->ctx->msgq, &msg));
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 12);
}

/* Proves 4.4.4-03, H18 */
static void without_a_limit_nothing_is_throttled(struct kunit *test)
{
	struct fixture *f = test->priv;

	overflow_fast(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 40);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 0ULL);
}

/* Proves 3.3.1-03, 3.5.7-03 */
static void the_format_says_how_deep_the_queue_is(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;
	int i;

	for (i = 0; i < 3; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -10);
	fixture_start(test);
	for (i = 0; i < 3; i++)
		fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, f->ctx->msgq.dropped, 1ULL);
	for (i = 0; i < script_fmt.fmt_msgq_depth; i++)
		KUNIT_EXPECT_TRUE(test, has_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
}

/* Proves 3.1.9-02 */
static void restart_of_a_detached_context_is_ebusy(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EBUSY);
}

/* Proves 3.1.6-06 */
static void stop_while_masked_keeps_the_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 13);
	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_stop_monitoring(f->ctx), 0);
	fixture_unlock(f->ctx);
	/* RESTART unmasks and resets, but does not start. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_start_monitoring(f->ctx, NULL), 0);
	fixture_unlock(f->ctx);
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG + 5);
}

static struct kunit_case overflow_cases[] = {
	KUNIT_CASE_PARAM(control_bits_do_what_they_say, next_bits),
	KUNIT_CASE(handler_gets_the_overflow_described),
	KUNIT_CASE(simultaneous_overflows_go_by_index_with_one_time),
	KUNIT_CASE(one_mask_bit_defers_all_resets_of_the_event),
	KUNIT_CASE(notification_needs_the_flag_on_the_very_pmd),
	KUNIT_CASE(an_error_ends_the_calls_and_masks),
	KUNIT_CASE(unknown_control_bits_mask),
	KUNIT_CASE(reset_pmds_are_reset_with_the_counter),
	KUNIT_CASE(random_resets_follow_the_series_of_the_seed),
	KUNIT_CASE(each_pmd_has_a_random_series_of_its_own),
	KUNIT_CASE(without_the_flag_nothing_is_random),
	KUNIT_CASE(what_does_not_count_is_not_random),
	KUNIT_CASE(each_pmd_of_an_event_is_reset_or_not),
	KUNIT_CASE(restart_neither_notifies_nor_blocks),
	KUNIT_CASE(an_overflow_during_another_is_handled_after_it),
	KUNIT_CASE(an_overflow_lost_to_a_mask_is_reset_by_restart),
	KUNIT_CASE(a_positive_restart_result_is_einval),
	KUNIT_CASE(overflows_come_from_hard_interrupts_too),
	KUNIT_CASE(restart_may_mask_an_active_context),
	KUNIT_CASE(restart_may_keep_a_masked_context_masked),
	KUNIT_CASE(a_failing_restart_changes_nothing),
	KUNIT_CASE(an_overflow_that_meets_a_command_is_handled_after_it),
	KUNIT_CASE(a_pause_waits_for_what_was_left_to_an_interrupt),
	KUNIT_CASE(an_overflow_in_another_is_not_forgotten_for_a_command),
	KUNIT_CASE(a_refused_pmd_value_changes_nothing),
	KUNIT_CASE(too_many_overflows_mask_and_notify),
	KUNIT_CASE(without_a_limit_nothing_is_throttled),
	KUNIT_CASE(the_format_says_how_deep_the_queue_is),
	KUNIT_CASE(restart_of_a_detached_context_is_ebusy),
	KUNIT_CASE(stop_while_masked_keeps_the_mask),
	{}
};

static struct kunit_suite overflow_suite = {
	.name = "pfm_overflow",
	.init = overflow_init,
	.exit = fixture_exit,
	.test_cases = overflow_cases,
};

/*
 * Without a format
 */

/* Proves 3.1.2-08, 3.1.3-11, 3.1.9-03, 3.1.9-06, 3.1.9-08, 3.4.3-07 */
static void notification_masks_until_restart(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_counter(test, 1, 0, 0);
	fixture_start(test);
	fixture_count2(test, 13, 13);
	KUNIT_ASSERT_TRUE(test, has_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_ip, 0x1234ULL);
	fixture_count2(test, 5, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 13ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 13ULL);
	fixture_count2(test, 5, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG + 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 18ULL);
}

/* Proves 3.4.3-02 */
static void wrapping_is_not_undone_by_a_later_restart(struct kunit *test)
{
	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	sampling_counter(test, 1, 0);
	fixture_start(test);
	fixture_count2(test, 0, 13);
	fixture_count2(test, 13, 0);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 3ULL);
}

/* Proves 3.1.9-12 */
static void restart_of_an_active_context_is_harmless(struct kunit *test)
{
	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -6ULL);
}

/* Proves 3.3.1-04, 3.4.3-09, H23 */
static void a_full_queue_drops_messages_and_counts_them(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 1000);
	KUNIT_EXPECT_EQ(test, f->ctx->msgq.dropped, 1ULL);
	KUNIT_EXPECT_TRUE(test, has_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
}

/* Proves 3.1.7-09, 3.3.5-01 */
static void attaching_resets_the_queue(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	fixture_unload(test);
	KUNIT_EXPECT_FALSE(test, pfm_msgq_empty(&f->ctx->msgq));
	fixture_start(test);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
}

static struct kunit_case overflow_without_fmt_cases[] = {
	KUNIT_CASE(notification_masks_until_restart),
	KUNIT_CASE(wrapping_is_not_undone_by_a_later_restart),
	KUNIT_CASE(restart_of_an_active_context_is_harmless),
	KUNIT_CASE(a_full_queue_drops_messages_and_counts_them),
	KUNIT_CASE(attaching_resets_the_queue),
	{}
};

static struct kunit_suite overflow_without_fmt_suite = {
	.name = "pfm_overflow_without_fmt",
	.init = overflow_without_fmt_init,
	.exit = fixture_exit,
	.test_cases = overflow_without_fmt_cases,
};

/* Proves 3.1.1-07, 3.3.7-05, 3.4.3-10 */
static void no_msg_contexts_queue_nothing(struct kunit *test)
{
	struct fixture *f = fixture_create(test, PFM_FL_OVFL_NO_MSG, false);
	pfm_msg_t msg;

	sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_FALSE(test, has_msg(f, &msg));
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, f->ctx->frozen);
}

/* Proves 3.1.1-10 */
static void blocking_oneself_is_refused_at_load(struct kunit *test)
{
	struct fixture *f = fixture_create(test, PFM_FL_NOTIFY_BLOCK, false);
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_EXPECT_EQ(test, pfm_load_context(f->ctx, &load), -EINVAL);
}

/* A thread to monitor. It never goes to user level: nothing holds it. */
static int idle_until_stopped(void *data)
{
	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* PMD0 and PMD1 of a thread that may be blocked overflow in one instant. */
static struct task_struct *overflow_of_two(struct kunit *test, u32 ctrl0,
					   u32 ctrl1)
{
	struct fixture *f = fixture_create(test, PFM_FL_NOTIFY_BLOCK, true);
	struct task_struct *task = kthread_run(idle_until_stopped, NULL,
					       "monitored");
	struct pfm_sim_tick tick = { .task = task, .delta = { 11, 12 } };

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	sampling_counter(test, 0, 0);
	sampling_counter(test, 1, 0);
	f->script.ctrl[0] = ctrl0;
	f->script.ctrl[1] = ctrl1;
	fixture_start_on(test, task);
	KUNIT_EXPECT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	return task;
}

static void let_go(struct kunit *test, struct task_struct *task)
{
	fixture_unload(test);
	kthread_stop(task);
}

/* Proves 3.5.14-25, 3.5.14-29 */
static void one_block_bit_blocks_and_masks_nothing(struct kunit *test)
{
	struct task_struct *task = overflow_of_two(test, PFM_OVFL_CTRL_BLOCK |
						   PFM_OVFL_CTRL_RESET,
						   PFM_OVFL_CTRL_RESET);
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, pfm_is_blocked(f->ctx));
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT);
	let_go(test, task);
}

/* Proves 3.5.14-29 */
static void one_mask_bit_masks_and_does_not_block(struct kunit *test)
{
	struct task_struct *task = overflow_of_two(test, PFM_OVFL_CTRL_RESET,
						   PFM_OVFL_CTRL_MASK);
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, pfm_is_blocked(f->ctx));
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(f->ctx));
	let_go(test, task);
}

static struct kunit_case ctx_flags_cases[] = {
	KUNIT_CASE(no_msg_contexts_queue_nothing),
	KUNIT_CASE(blocking_oneself_is_refused_at_load),
	KUNIT_CASE(one_block_bit_blocks_and_masks_nothing),
	KUNIT_CASE(one_mask_bit_masks_and_does_not_block),
	{}
};

static struct kunit_suite ctx_flags_suite = {
	.name = "pfm_ctx_flags",
	.exit = fixture_exit,
	.test_cases = ctx_flags_cases,
};

kunit_test_suites(&overflow_suite, &overflow_without_fmt_suite,
		  &ctx_flags_suite);
