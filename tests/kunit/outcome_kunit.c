// SPDX-License-Identifier: GPL-2.0
/*
 * outcome_kunit.c - the effects of the control bits that handlers set, and of
 * overflows without a handler (3.5.14, 3.4.3)
 */
#include "context.h"
#include "fixture.h"

/*
 * A combination of control bits, for a PMD with or without
 * PFM_REGFL_OVFL_NOTIFY.
 */
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
static void control_bits_have_documented_effects(struct kunit *test)
{
	const struct bits *b = test->param_value;
	struct fixture *f = test->priv;
	bool mask = b->ctrl & PFM_OVFL_CTRL_MASK;
	bool reset = b->ctrl & PFM_OVFL_CTRL_RESET && !mask;
	bool notify = b->ctrl & PFM_OVFL_CTRL_NOTIFY && b->flags;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, b->flags);
	f->script.ctrl[0] = b->ctrl;
	fixture_start(test);
	fixture_count(test, 13);

	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			reset ? SHORT_RESET : 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val,
			reset ? SHORT_RESET : -10ULL);
	KUNIT_EXPECT_EQ(test, fixture_take_msg(f, &msg), notify);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));

	/* The counter continues to count only if the context is not masked. */
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT_RESET : 3ULL) + (mask ? 0 : 5));

	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.restarts, 1);
	KUNIT_EXPECT_EQ(test, f->script.was_active, !mask);
	/*
	 * The restart does not reset a counter that was already reset at the
	 * overflow.
	 */
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			reset ? SHORT_RESET + 5 : LONG_RESET);
	fixture_count(test, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT_RESET + 5 : LONG_RESET) + 7);
}

/* Proves 3.5.14-23, 3.5.14-26 */
static void mask_bit_defers_resets_of_all_overflows(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 2ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
	/* Repeat the test with the control bits in the other order. */
	f->script.ctrl[2] = PFM_OVFL_CTRL_MASK;
	f->script.ctrl[3] = PFM_OVFL_CTRL_RESET;
	fixture_count2(test, 1 - LONG_RESET, 2 - LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 2ULL);
}

/* Proves 3.4.3-01, 3.5.14-24 */
static void notification_needs_flag_of_overflowed_pmd(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

/* Proves 3.5.14-30, H12 */
static void handler_error_masks_and_ends_calls(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, 0);
	f->script.ret[0] = -EIO;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 2ULL);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

/* Make PMD0, PMD1 and PMD2 overflow simultaneously. */
static void overflow_three(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current, .delta = { 11, 12, 13 } }), 0);
}

/*
 * The handler returns an error for PMD1, so it is not called for PMD2. The
 * overflow of PMD2 must nevertheless cause a notification.
 */
/* Proves 3.6.5-07, 3.6.5-08 */
static void handler_error_notifies_for_skipped_pmds(
	struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	fixture_sampling_counter(test, 2, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_HOLD;
	f->script.ret[1] = -ENOBUFS;
	fixture_start(test);
	overflow_three(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 2ULL);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	fixture_expect_one_message(test, 0x7);
}

/*
 * Only PMD0 has PFM_REGFL_OVFL_NOTIFY, but the handler requests no notification
 * for it. At the overflow of PMD1 the handler requests a mask and a
 * notification. The message must be sent although PMD1 does not have the flag.
 */
/* Proves 3.6.5-08 */
static void mask_notifies_for_earlier_pmds(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, 0);
	fixture_sampling_counter(test, 2, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_HOLD;
	f->script.ctrl[2] = PFM_OVFL_CTRL_MASK;
	fixture_start(test);
	overflow_three(test);
	fixture_expect_one_message(test, 0x7);
}

/* Proves 3.5.14-30, H12 */
static void handler_error_loses_separate_report(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ret[1] = -EIO;
	fixture_start(test);
	fixture_report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_FALSE(test, f->ctx->frozen);
	fixture_report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	fixture_expect_one_message(test, 0x1);
	/* A masked context does not handle overflows, or count them as lost. */
	fixture_report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
}

/* Proves H12 */
static void unknown_control_bits_cause_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET | 0x80000000U;
	fixture_start(test);
	fixture_count(test, 11);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 1ULL);
}

static void odd_handler_results_are_counted(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct pfm_odd_answers *odd = &f->ctx->odd;
	/*
	 * One element per call of the handler. The fourth and fifth overflow
	 * are simultaneous.
	 */
	static const u32 ctrl[] = { 0x10, 0, 0, 0x80000000, 0, 0, 0x2 };
	static const int ret[] = { 0, -EIO, -ENOBUFS, 0, 0, 0, 0 };
	static const u64 delta1[] = { 0, 0, 0, 1000, 0, 0 };
	int i;

	memcpy(f->script.ctrl, ctrl, sizeof(ctrl));
	memcpy(f->script.ret, ret, sizeof(ret));
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	fixture_start(test);
	for (i = 0; i < ARRAY_SIZE(delta1); i++) {
		fixture_count2(test, 1000, delta1[i]);
		KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	}
	KUNIT_EXPECT_EQ(test, f->script.calls, (int)ARRAY_SIZE(ctrl));
	KUNIT_EXPECT_EQ(test, odd->bad_ctrl, 2ULL);
	KUNIT_EXPECT_EQ(test, odd->no_ctrl, 2ULL);
	KUNIT_EXPECT_EQ(test, odd->errors, 1ULL);
	KUNIT_EXPECT_EQ(test, odd->last_error, -EIO);
}

/* Proves 3.1.2-13, 3.5.14-19, 3.5.15-05 */
static void reset_pmds_are_reset_with_the_counter(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfarg_pmc_t pmc = { .reg_num = 0 };

	pmc.reg_reset_pmds[0] = 1U << 1;
	fixture_sampling_counter(test, 1, 0);
	fixture_pmc(test, pmc);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10,
					 .reg_short_reset = -10,
					 .reg_long_reset = -20 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 10, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	fixture_count2(test, 10, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET + 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -20ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
}

/* Proves 3.5.14-27 */
static void overflowed_pmds_are_reset_individually(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count2(test, 11, 12);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 2ULL);
	/*
	 * The restart resets only the counter that was not reset at the
	 * overflow.
	 */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
}

static struct kunit_case outcome_cases[] = {
	KUNIT_CASE_PARAM(control_bits_have_documented_effects, next_bits),
	KUNIT_CASE(mask_bit_defers_resets_of_all_overflows),
	KUNIT_CASE(notification_needs_flag_of_overflowed_pmd),
	KUNIT_CASE(handler_error_masks_and_ends_calls),
	KUNIT_CASE(handler_error_notifies_for_skipped_pmds),
	KUNIT_CASE(mask_notifies_for_earlier_pmds),
	KUNIT_CASE(handler_error_loses_separate_report),
	KUNIT_CASE(unknown_control_bits_cause_mask),
	KUNIT_CASE(odd_handler_results_are_counted),
	KUNIT_CASE(reset_pmds_are_reset_with_the_counter),
	KUNIT_CASE(overflowed_pmds_are_reset_individually),
	{}
};

static struct kunit_suite outcome_suite = {
	.name = "pfm_outcome",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = outcome_cases,
};

/* Proves 3.1.2-08, 3.1.3-11, 3.1.9-03, 3.1.9-06, 3.1.9-08, 3.4.3-07 */
static void notification_masks_until_restart(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_counter(test, 1, 0, 0);
	fixture_start(test);
	fixture_count2(test, 13, 13);
	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_ip, 0x1234ULL);
	fixture_count2(test, 5, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 13ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 13ULL);
	fixture_count2(test, 5, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET + 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 18ULL);
}

/* Proves 3.4.3-02 */
static void restart_does_not_reset_wrapped_counter(struct kunit *test)
{
	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, 0);
	fixture_start(test);
	fixture_count2(test, 0, 13);
	fixture_count2(test, 13, 0);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 3ULL);
}

/*
 * The first report masks the context. The message also contains the second
 * overflow, which has not been reported yet.
 */
/* Proves 3.4.3-06, 3.4.3-07 */
static void mask_includes_unreported_overflows(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	fixture_start_one_by_one(test);
	fixture_counter_is(test, 0, 2);
	fixture_counter_is(test, 1, 3);
	fixture_report(test, 0);
	fixture_report(test, 1);
	fixture_expect_one_message(test, 0x3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
	/*
	 * The core does not mistake this report for the one that it discarded
	 * while the context was masked.
	 */
	fixture_counter_is(test, 1, 0);
	fixture_report(test, 1);
	fixture_expect_one_message(test, 0x2);
}

static struct kunit_case outcome_without_fmt_cases[] = {
	KUNIT_CASE(notification_masks_until_restart),
	KUNIT_CASE(restart_does_not_reset_wrapped_counter),
	KUNIT_CASE(mask_includes_unreported_overflows),
	{}
};

static struct kunit_suite outcome_without_fmt_suite = {
	.name = "pfm_outcome_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = outcome_without_fmt_cases,
};

/* Proves 3.1.1-07, 3.3.7-05, 3.4.3-10 */
static void no_msg_contexts_queue_nothing(struct kunit *test)
{
	struct fixture *f = fixture_create(test, PFM_FL_OVFL_NO_MSG, false);
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, f->ctx->frozen);
}

static struct kunit_case outcome_no_msg_cases[] = {
	KUNIT_CASE(no_msg_contexts_queue_nothing),
	{}
};

static struct kunit_suite outcome_no_msg_suite = {
	.name = "pfm_outcome_no_msg",
	.exit = fixture_exit,
	.test_cases = outcome_no_msg_cases,
};

kunit_test_suites(&outcome_suite,
		  &outcome_without_fmt_suite,
		  &outcome_no_msg_suite);
