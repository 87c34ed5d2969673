// SPDX-License-Identifier: GPL-2.0
/*
 * overflow_kunit.c - overflow handling in the core, with and without a format
 *		      (3.5.14, 3.4.3)
 */
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include "context.h"
#include "fixture.h"
#include "owner.h"
#include "rate.h"

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

	/* Count on only if not masked. */
	fixture_count(test, 5);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT_RESET : 3ULL) + (mask ? 0 : 5));

	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.restarts, 1);
	KUNIT_EXPECT_EQ(test, f->script.was_active, !mask);
	/* A counter that was reset at once is not reset again. */
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			reset ? SHORT_RESET + 5 : LONG_RESET);
	fixture_count(test, 7);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0),
			(reset ? SHORT_RESET + 5 : LONG_RESET) + 7);
}

/*
 * Proves 3.1.2-12, 3.1.2-18, 3.5.14-04, 3.5.14-06, 3.5.14-09, 3.5.14-10,
 * 3.5.14-12, 3.5.14-13, 3.5.14-14, 3.5.14-15, 3.5.14-16, 3.5.14-17
 */
static void handler_gets_overflow_description(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, arg->ovfl_cpu, 0);
}

/*
 * Proves 3.4.3-03, 3.4.3-06, 3.5.14-07, 3.5.14-08, 3.5.14-09, 3.5.14-10,
 * 3.5.14-24
 */
static void simultaneous_overflows_are_ordered_by_index(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	/* Programmed in reverse order. */
	fixture_sampling_counter(test, 5, 0);
	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
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
	/* One message for both overflows. */
	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.msg_type, (u32)PFM_MSG_OVFL);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL << 1 | 1ULL << 5);
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_tid, (u32)current->pid);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 5), SHORT_RESET);
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

/* Let PMD0, PMD1 and PMD2 overflow at the same time. */
static void overflow_three(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test,
			pfm_sim_advance(&(struct pfm_sim_tick){
				.task = current, .delta = { 11, 12, 13 } }), 0);
}

static void expect_one_message(struct kunit *test, u64 pmds)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], pmds);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

/* The buffer is full, so the PMD that notifies is never recorded. */
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
	expect_one_message(test, 0x7);
}

/* The PMD that notifies is recorded, then another one fills the buffer. */
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
	expect_one_message(test, 0x7);
}

/* Report an overflow of PMD0 only, like a PMU with separate interrupts. */
static void report_pmd0(struct kunit *test)
{
	struct pfm_pmd *pmd = fixture_pmd_of(ctx_of(test), 0);

	preempt_disable();
	pfm_overflow(&pmd->hw, 1, NULL, 0x1234);
	preempt_enable();
}

/* Proves 3.5.14-30, H12 */
static void handler_error_loses_separate_report(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ret[1] = -EIO;
	fixture_start(test);
	report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_FALSE(test, f->ctx->frozen);
	report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
	KUNIT_EXPECT_TRUE(test, f->ctx->frozen);
	expect_one_message(test, 0x1);
	/* While masked, nothing overflows or is lost. */
	report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 1ULL);
}

/*
 * Start on a PMU with 64-bit counters that reports each counter separately;
 * counter_is() sets the counters.
 */
static void start_one_by_one(struct kunit *test)
{
	static struct pfm_pmu one_by_one;
	struct pfm_context *ctx = ctx_of(test);

	one_by_one = *ctx->pmu;
	one_by_one.counter_width = 64;
	ctx->pmu = &one_by_one;
	fixture_start(test);
}

static void counter_is(struct kunit *test, int pmd, u64 value)
{
	*(u64 *)fixture_pmd_of(ctx_of(test), pmd)->hw.priv = value;
}

/* Report a counter's overflow, unless the core has handled it already. */
static void report(struct kunit *test, int num)
{
	struct pfm_pmd *pmd = fixture_pmd_of(ctx_of(test), num);
	u64 value = *(u64 *)pmd->hw.priv;

	preempt_disable();
	if ((s64)value >= 0 || !pfm_overflow_is_known(&pmd->hw, value))
		pfm_overflow(&pmd->hw, value, NULL, 0x1234);
	preempt_enable();
}

/* Proves 3.4.3-03, 3.4.3-06, 3.5.14-07, 3.5.14-08 */
static void separate_reports_are_handled_together(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	fixture_sampling_counter(test, 2, PFM_REGFL_OVFL_NOTIFY);
	for (i = 0; i < 4; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 2, 1);
	report(test, 2);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].ovfl_pmd, 0);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].pmd_value, 2ULL);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, f->script.tstamp[0], f->script.tstamp[1]);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), -10ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 2), SHORT_RESET);
	expect_one_message(test, 0x5);
	/* It has counted on before its own report comes. */
	counter_is(test, 0, SHORT_RESET + 3);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	/* Only one report is ignored. */
	counter_is(test, 0, 0);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

static struct kunit *reporting;

static void report_pmd0_inside(void)
{
	report(reporting, 0);
}

/* As an NMI between the look at the other counters and their reset. */
/* Proves 3.5.14-07 */
static void report_during_its_instant_is_known(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	for (i = 0; i < 4; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	reporting = test;
	f->script.during = report_pmd0_inside;
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 1, 0);
	report(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	/* The next report is that of another overflow. */
	counter_is(test, 0, 0);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
}

/*
 * The reports come with the value that the PMU read before an NMI handled the
 * overflow: to an owned context, and to a free one.
 */
static void late_report_of_known_overflow_is_ignored(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[2] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[3] = PFM_OVFL_CTRL_RESET;
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 1, 0);
	report(test, 1);
	KUNIT_ASSERT_EQ(test, f->script.calls, 2);
	counter_is(test, 0, SHORT_RESET + 3);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, &flags);
	pfm_overflow(&fixture_pmd_of(f->ctx, 0)->hw, 2, NULL, 0);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET + 3);
	counter_is(test, 0, 2);
	counter_is(test, 1, 0);
	report(test, 1);
	KUNIT_ASSERT_EQ(test, f->script.calls, 4);
	counter_is(test, 0, SHORT_RESET + 3);
	preempt_disable();
	pfm_overflow(&fixture_pmd_of(f->ctx, 0)->hw, 2, NULL, 0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
}

static void missing_report_does_not_hide_later_ones(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 1, 0);
	report(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	counter_is(test, 0, 0);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
	/* The report of an overflow comes slightly early. */
	counter_is(test, 1, 3);
	report(test, 1);
	counter_is(test, 0, -2);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 5);
}

/* Otherwise it would overflow repeatedly until the PMU can be stopped. */
/* Proves H18 */
static void masked_counter_is_reported_once(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_pmd *pmd;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_HOLD;
	start_one_by_one(test);
	pmd = fixture_pmd_of(f->ctx, 0);
	counter_is(test, 0, 1);
	report(test, 0);
	KUNIT_ASSERT_TRUE(test, f->ctx->frozen);
	KUNIT_EXPECT_EQ(test, *(u64 *)pmd->hw.priv, 1ULL);
	report(test, 0);
	/* The PMU's value is now far from an overflow; it is not used. */
	KUNIT_EXPECT_EQ(test, *(u64 *)pmd->hw.priv, 0ULL);
	KUNIT_EXPECT_EQ(test, pmd->value, 1ULL);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
}

static void writes_while_counting_affect_next_overflow(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };
	struct fixture *f = test->priv;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[2] = PFM_OVFL_CTRL_RESET;
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 99 });
	fixture_sampling_counter(test, 0, 0);
	start_one_by_one(test);
	/* PMD0 now records a value, */
	pmc.reg_smpl_pmds[0] = 1U << PFM_SIM_PMD_PLAIN;
	fixture_pmc(test, pmc);
	counter_is(test, 0, 1);
	report(test, 0);
	KUNIT_ASSERT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].num_smpl_pmds, 1);
	KUNIT_EXPECT_EQ(test, f->script.arg[0].smpl_pmds_values[0], 99ULL);
	/* and PMD2 samples, too. */
	fixture_sampling_counter(test, 2, 0);
	counter_is(test, 0, 2);
	counter_is(test, 2, 1);
	report(test, 2);
	KUNIT_ASSERT_EQ(test, f->script.calls, 3);
	KUNIT_EXPECT_EQ(test, f->script.arg[1].ovfl_pmd, 0);
	KUNIT_EXPECT_EQ(test, f->script.arg[2].ovfl_pmd, 2);
}

/* A counter that is not reset continues; its overflow counts once. */
static void counter_without_reset_overflows_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	fixture_sampling_counter(test, 1, 0);
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[2] = PFM_OVFL_CTRL_RESET;
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 1, 2);
	report(test, 1);
	counter_is(test, 0, 3);
	report(test, 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 2);
	counter_is(test, 1, 2);
	report(test, 1);
	KUNIT_EXPECT_EQ(test, f->script.calls, 3);
}

/*
 * On some machines the clock stands still until the next tick. Each overflow
 * must still have its own time stamp, whether it is handled at once or deferred
 * to an interrupt.
 */
/* Proves 3.5.14-02, 3.5.14-03 */
static void overflow_time_stamps_are_unique(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 last = local_clock() + 3600 * NSEC_PER_SEC;
	unsigned long flags;
	int i;

	fixture_counter(test, 1, 0, -10ULL);
	for (i = 0; i < 4; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	fixture_start_owned(test, &flags);
	this_cpu_write(pfm_last_stamp, last);
	fixture_count(test, 100);
	pfm_disown(f->ctx, flags);
	fixture_unlock(f->ctx);
	pfm_wait_kicks(f->ctx);
	fixture_count2(test, 0, 10);
	report_pmd0(test);
	report_pmd0(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_GT(test, f->script.tstamp[i], last);
		last = f->script.tstamp[i];
	}
	this_cpu_write(pfm_last_stamp, 0);
}

/* A PMU that does not report the value it re-armed with did not re-arm. */
static void core_resets_counter_that_pmu_did_not_rearm(
	struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_counter(test, 0, 0, -10ULL);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = 0, .reg_value = -10 });
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.ctrl[1] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	/* The first overflow also checks the rate; test the second. */
	report_pmd0(test);
	*(u64 *)fixture_pmd_of(f->ctx, 0)->hw.priv = 1;
	report_pmd0(test);
	KUNIT_EXPECT_EQ(test, *(u64 *)fixture_pmd_of(f->ctx, 0)->hw.priv, 0ULL);
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
	/* Per call; the fourth and the fifth happen at the same time. */
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
	/* Restart resets only the other one. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
}

/* Proves H19 */
static void overflows_in_hard_interrupts_are_handled(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pfm_sim_tick tick = { .task = current, .irq = true,
				     .delta = { 12 } };

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), SHORT_RESET);
}

static struct kunit_case overflow_cases[] = {
	KUNIT_CASE_PARAM(control_bits_have_documented_effects, next_bits),
	KUNIT_CASE(handler_gets_overflow_description),
	KUNIT_CASE(simultaneous_overflows_are_ordered_by_index),
	KUNIT_CASE(mask_bit_defers_resets_of_all_overflows),
	KUNIT_CASE(notification_needs_flag_of_overflowed_pmd),
	KUNIT_CASE(handler_error_masks_and_ends_calls),
	KUNIT_CASE(handler_error_notifies_for_skipped_pmds),
	KUNIT_CASE(mask_notifies_for_earlier_pmds),
	KUNIT_CASE(handler_error_loses_separate_report),
	KUNIT_CASE(separate_reports_are_handled_together),
	KUNIT_CASE(report_during_its_instant_is_known),
	KUNIT_CASE(late_report_of_known_overflow_is_ignored),
	KUNIT_CASE(missing_report_does_not_hide_later_ones),
	KUNIT_CASE(writes_while_counting_affect_next_overflow),
	KUNIT_CASE(counter_without_reset_overflows_once),
	KUNIT_CASE(overflow_time_stamps_are_unique),
	KUNIT_CASE(core_resets_counter_that_pmu_did_not_rearm),
	KUNIT_CASE(unknown_control_bits_cause_mask),
	KUNIT_CASE(odd_handler_results_are_counted),
	KUNIT_CASE(reset_pmds_are_reset_with_the_counter),
	KUNIT_CASE(overflowed_pmds_are_reset_individually),
	KUNIT_CASE(masked_counter_is_reported_once),
	KUNIT_CASE(overflows_in_hard_interrupts_are_handled),
	{}
};

static struct kunit_suite overflow_suite = {
	.name = "pfm_overflow",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = overflow_cases,
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

/* The first report masks; no overflow is lost or missing in a message. */
/* Proves 3.4.3-06, 3.4.3-07 */
static void mask_includes_unreported_overflows(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, PFM_REGFL_OVFL_NOTIFY);
	start_one_by_one(test);
	counter_is(test, 0, 2);
	counter_is(test, 1, 3);
	report(test, 0);
	report(test, 1);
	expect_one_message(test, 0x3);
	KUNIT_EXPECT_EQ(test, f->ctx->lost, 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), LONG_RESET);
	/* A report that the mask discarded is not awaited. */
	counter_is(test, 1, 0);
	report(test, 1);
	expect_one_message(test, 0x2);
}

static struct kunit_case overflow_without_fmt_cases[] = {
	KUNIT_CASE(notification_masks_until_restart),
	KUNIT_CASE(restart_does_not_reset_wrapped_counter),
	KUNIT_CASE(mask_includes_unreported_overflows),
	{}
};

static struct kunit_suite overflow_without_fmt_suite = {
	.name = "pfm_overflow_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = overflow_without_fmt_cases,
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

static struct kunit_case overflow_no_msg_cases[] = {
	KUNIT_CASE(no_msg_contexts_queue_nothing),
	{}
};

static struct kunit_suite overflow_no_msg_suite = {
	.name = "pfm_overflow_no_msg",
	.exit = fixture_exit,
	.test_cases = overflow_no_msg_cases,
};

kunit_test_suites(&overflow_suite,
		  &overflow_without_fmt_suite,
		  &overflow_no_msg_suite);
