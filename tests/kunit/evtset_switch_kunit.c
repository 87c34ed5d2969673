// SPDX-License-Identifier: GPL-2.0
/*
 * evtset_switch_kunit.c - switch between event sets (3.7.6, 3.7.7)
 */
#include <linux/kthread.h>
#include "attach.h"
#include "command.h"
#include "context.h"
#include "evtset_fixture.h"
#include "evtset_switch.h"
#include "load.h"

/*
 * Proves 3.1.5-15, 3.1.10-04, 3.1.10-09, 3.1.10-10, 3.1.10-16, 3.1.10-17,
 * 3.7.5-03, 3.7.5-04, 3.7.6-04, 3.7.6-05, P6.2-03
 */
static void sets_switch_in_order_of_ids(struct kunit *test)
{
	/* Without PFM_SETFL_EXPL_NEXT, set_id_next is ignored. */
	make_set(test, 0, BY_TIME, 5, 1);
	make_set(test, 5, BY_TIME, 77, 1);
	make_set(test, 3, BY_TIME, 0, 1);
	load_and_start(test, 0);
	pass(test, TICK - 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	pass(test, 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 3);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 5);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
}

/* Proves 3.1.10-10, 3.7.5-05, 3.7.5-06 */
static void explicit_next_set_defines_chain(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 5, BY_TIME | EXPL, 0, 1);
	make_set(test, 8, BY_TIME, 0, 1);
	make_set(test, 11, BY_TIME | EXPL, 8, 1);
	load_and_start(test, 8);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 11);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 8);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 5);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
}

/* Proves 3.1.12-07, 3.1.12-11, 3.1.12-14, 3.7.1-01, 3.7.1-03 */
static void events_count_in_the_active_set_only(struct kunit *test)
{
	int i;

	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 2);
	fixture_pmc(test, (pfarg_pmc_t){ .reg_set = 0 });
	fixture_pmc(test, (pfarg_pmc_t){ .reg_set = 1 });
	load_and_start(test, 0);
	for (i = 0; i < 6; i++) {
		count(test, 10);
		pass(test, TICK);
	}
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), 40ULL);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 4 * TICK);
	/*
	 * PFM_LOAD_CONTEXT has activated set 0 once, and two switches have
	 * activated it again.
	 */
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_runs, 3ULL);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 2ULL);
}

/*
 * Let the timeout switch sets. Then let @ns pass before the PMU is programmed
 * for the new set. Until the PMU is programmed, the new set's timeout does not
 * run. The locked mutex delays the work item that programs the PMU. Return:
 * set_unmeasured of set 1, the time for which it was active without being on
 * the PMU. The core adds @ns to this time later.
 */
static u64 pass_unmeasured(struct kunit *test, u64 ns)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_setinfo_t info = { .set_id = 1 };

	fixture_lock(ctx);
	happen(test, 0, 0, TICK);
	happen(test, 0, 0, ns);
	KUNIT_EXPECT_EQ(test, pfm_getinfo_evtset(ctx, &info), 0);
	fixture_unlock(ctx);
	return nanoseconds(info.set_unmeasured);
}

static void time_until_pmu_follows_is_unmeasured(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 1);
	load_and_start(test, 0);
	KUNIT_EXPECT_EQ(test, pass_unmeasured(test, 5 * TICK), 0ULL);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, unmeasured(test, 1), 5 * TICK);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, pass_unmeasured(test, 3 * TICK), 5 * TICK);
	stop(test);
	KUNIT_EXPECT_EQ(test, unmeasured(test, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, unmeasured(test, 1), 8 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 1), TICK);
}

static void unmeasured_time_is_0_if_clock_steps_back(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 1);
	load_and_start(test, 0);
	pass_unmeasured(test, -1);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, unmeasured(test, 1), 0ULL);
	stop(test);
}

/* Proves 3.1.12-09 */
static void single_set_switches_to_itself(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 0);
	load_and_start(test, 0);
	happen(test, 1, 0, TICK);
	happen(test, 1, 0, TICK);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_runs, 3ULL);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 2);
}

/* Proves 3.1.5-14, 3.1.6-07, 3.1.12-10, 3.1.12-11, 3.7.6-07 */
static void remaining_timeout_survives_stop_and_start(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 3);
	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	pass(test, 9 * TICK);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	stop(test);
	pass(test, 9 * TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, 2 * TICK - 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	pass(test, 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
}

/* Proves 3.1.9-13, 3.1.12-12, 3.7.6-08, 3.7.7-05 */
static void remaining_timeout_survives_masking(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 3);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	load_and_start(test, 0);
	pass(test, TICK);
	count(test, PERIOD);
	KUNIT_ASSERT_TRUE(test, pfm_is_masked(ctx_of(test)));
	pass(test, 9 * TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	/* The restart resumes the masked set. */
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	pass(test, 2 * TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
}

/* Make the timer expire right after the overflow that masks the context. */
static void timeout_while_masked_switches_after_restart(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	load_and_start(test, 0);
	happen(test, PERIOD, 0, TICK);
	KUNIT_ASSERT_TRUE(test, pfm_is_masked(ctx_of(test)));
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
}

/*
 * The PMU whose stop() a test replaces with stop_late(). The set's timeout
 * expires during stop_late().
 */
static const struct pfm_pmu *real_pmu;

static void stop_late(struct pfm_pmu_set *s)
{
	struct pfm_sim_tick tick = { .task = current, .ns = TICK };

	pfm_sim_advance(&tick);
	real_pmu->stop(s);
}

/*
 * Stop monitoring with stop_late(). If @command, call PFM_STOP; otherwise stop
 * as if another thread had issued the command.
 */
static void stop_late_by(struct kunit *test, bool command)
{
	struct pfm_context *ctx = ctx_of(test);
	const struct pfm_ioc none = {};
	struct pfm_pmu late = *ctx->pmu;

	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 6, 0, 0, 0);
	load_and_start(test, 0);
	real_pmu = ctx->pmu;
	late.stop = stop_late;
	ctx->pmu = &late;
	if (command)
		KUNIT_EXPECT_EQ(test, 0,
				pfm_command(ctx, PFM_IOC(PFM_STOP), &none));
	else
		stop(test);
	ctx->pmu = real_pmu;
}

/* Proves 3.7.7-07 */
static void timeout_switch_waits_for_own_command(struct kunit *test)
{
	stop_late_by(test, true);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
	/*
	 * The core has set the timeout to a short time (PFM_SOON), which
	 * elapses once monitoring runs again.
	 */
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 6);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
}

/* A command of another thread does not delay the switch. */
static void timeout_switch_ignores_other_threads_commands(struct kunit *test)
{
	stop_late_by(test, false);
	KUNIT_EXPECT_EQ(test, active_set(test), 6);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
}

/*
 * Proves 3.1.3-16, 3.1.4-09, 3.1.5-15, 3.1.10-08, 3.1.12-05, 3.7.6-14,
 * 3.7.6-15, 3.7.6-19, 3.7.7-08
 */
static void overflow_threshold_switches_set(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 2);
	load_and_start(test, 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 2ULL);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 1ULL);
	/*
	 * A counter that triggers a switch is reset in the same way as a
	 * sampling counter.
	 */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
	count(test, 2 * PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 1ULL);
}

/* Proves 3.7.6-16, 3.7.6-20, P6.2-02 */
static void first_reached_threshold_switches_set(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 5);
	make_counter(test, 0, 1, 0, 1);
	load_and_start(test, 0);
	happen(test, PERIOD, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 2ULL);
}

/* Proves 3.1.12-05, 3.1.12-06, 3.7.6-20 */
static void switch_pmds_lists_all_reached_thresholds(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 0, 1, 0, 1);
	load_and_start(test, 0);
	happen(test, PERIOD, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 3ULL);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 0ULL);
}

/* Proves 3.1.3-16, 3.7.6-14 */
static void threshold_without_switch_ovfl_flag_is_ignored(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 0ULL);
	/* A counter that does not trigger a switch wraps. */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 0ULL);
}

/* Proves 3.1.10-19 */
static void each_set_switches_in_its_own_way(struct kunit *test)
{
	u16 id;

	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_TIME, 0, 2);
	make_set(test, 2, 0, 0, 0);
	for (id = 0; id < 3; id++)
		make_counter(test, id, 0, 0, 1);
	load_and_start(test, 0);
	/* Set 0 switches only by overflow. */
	pass(test, 9 * TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	/* The next set switches only by time. */
	count(test, PERIOD);
	pass(test, 2 * TICK - 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	pass(test, 1);
	KUNIT_EXPECT_EQ(test, active_set(test), 2);
	/* The last set never switches. */
	count(test, PERIOD);
	pass(test, 9 * TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 2);
}

/* Proves 3.7.6-01, 3.7.6-17, 3.7.6-18 */
static void threshold_restarts_when_set_becomes_active(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 2);
	load_and_start(test, 0);
	count(test, PERIOD);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = -PERIOD,
					 .reg_short_reset = -PERIOD,
					 .reg_ovflsw_thres = 3 });
	/*
	 * The new threshold is used when the set becomes active again. Until
	 * then, the countdown from the old threshold continues.
	 */
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 3ULL);
}

/* Proves 3.7.7-09 */
static void trigger_is_reset_when_set_becomes_active(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 1);
	load_and_start(test, 0);
	count(test, PERIOD + 4);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 4ULL);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
}

/* Proves 3.1.9-14, 3.7.7-08, 3.7.7-10 */
static void masked_context_switches_on_restart(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 1);
	make_counter(test, 1, 0, NOTIFY, 1);
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	/* A restart resets the counter to its long reset value. */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-3 * PERIOD));
	count(test, 3 * PERIOD);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(ctx_of(test)));
}

/* Proves 3.1.9-14, 3.7.7-08 */
static void restart_switches_only_at_threshold(struct kunit *test)
{
	int i;

	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 3);
	load_and_start(test, 0);
	count(test, PERIOD);
	for (i = 2; i > 0; i--) {
		KUNIT_ASSERT_TRUE(test, pfm_is_masked(ctx_of(test)));
		KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres,
				(u64)i);
		KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
		KUNIT_EXPECT_EQ(test, active_set(test), 0);
		KUNIT_EXPECT_EQ(test, set_info(test, 0).set_runs, 1ULL);
		KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0],
				0ULL);
		KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-3 * PERIOD));
		count(test, 3 * PERIOD);
	}
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 1ULL);
}

/*
 * Make PMD0 of set 0 trigger a switch. When PMD0 is reset, PMD1 is also reset.
 */
static void make_companion(struct kunit *test, u32 flags)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_flags = flags };

	pmc.reg_reset_pmds[0] = 1U << 1;
	make_set(test, 0, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, flags, 1);
	make_counter(test, 0, 1, 0, 0);
	fixture_pmc(test, pmc);
}

/* Proves 3.7.7-09 */
static void reset_pmds_reset_when_set_becomes_active(struct kunit *test)
{
	make_companion(test, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	load_and_start(test, 0);
	happen(test, PERIOD, 5, 0);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)-PERIOD + 5);
	pass(test, TICK);
	KUNIT_ASSERT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-2 * PERIOD));
}

/* Proves 3.7.7-10 */
static void reset_pmds_reset_when_restart_switches(
	struct kunit *test)
{
	make_companion(test, NOTIFY);
	make_set(test, 1, BY_OVFL, 0, 0);
	make_counter(test, 1, 0, NOTIFY, 1);
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_ASSERT_EQ(test, active_set(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-3 * PERIOD));
}

/* Proves 3.7.6-23, 3.7.6-24 */
static void cascade_counts_only_after_threshold(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 1, .reg_set = 1 });
	load_and_start(test, 0);
	happen(test, PERIOD - 1, 50, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 0ULL);
	happen(test, 1, 0, 0);
	pfm_finish_switch(ctx_of(test));
	happen(test, 1000, 7, 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 1), 7ULL);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 1ULL);
}

/* Proves 3.4.3-05 */
static void overflow_message_names_event_set(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfm_msg_t msg;

	make_set(test, 9, BY_OVFL, 0, 0);
	make_counter(test, 9, 0, NOTIFY, 1);
	load_and_start(test, 9);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_ASSERT_TRUE(test, take_msg(&ctx->msgq, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, 9);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
}

/* Proves 3.1.12-05 */
static void timeout_switch_reports_no_pmds(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	load_and_start(test, 0);
	count(test, PERIOD);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active_set(test), 1);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_switch_pmds[0], 0ULL);
}

/*
 * The second monitored thread is a kernel thread. It never returns to user
 * space, so a work item must finish its switch.
 */
static void pending_switch_does_not_block_later_target(
		struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	struct task_struct *other;
	unsigned long flags;
	bool instead;

	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	local_irq_save(flags);
	pfm_switch_request(ctx, true);
	local_irq_restore(flags);
	fixture_unload(test);

	other = fixture_thread();
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_EQ(test, pfm_load_context(ctx, &(pfarg_load_t){
				.load_pid = task_pid_vnr(other) }), 0);
	local_irq_save(flags);
	pfm_switch_request(ctx, true);
	instead = work_pending(&ctx->switch_work.work);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, instead);
	fixture_unload(test);
	kthread_stop(other);
}

/* Run the task work of a switch, as the monitored thread would. */
static void run_switch_here(struct pfm_context *ctx)
{
	kref_get(&ctx->ref);
	__module_get(THIS_MODULE);
	set_bit(0, &ctx->switch_queued);
	ctx->switch_here.func(&ctx->switch_here);
}

static void thread_does_not_wait_for_a_command(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	unsigned int refs;

	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 1);
	load_and_start(test, 0);
	refs = kref_read(&ctx->ref);
	pfm_lock(ctx);
	happen(test, 0, 0, TICK);
	run_switch_here(ctx);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(ctx->frozen) & PFM_SWITCHING);
	/*
	 * The task work has left the switch to a work item, which waits for the
	 * lock.
	 */
	KUNIT_EXPECT_NE(test, work_busy(&ctx->switch_later.work), 0U);
	pfm_unlock(ctx);
	flush_work(&ctx->switch_later.work);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(ctx->frozen) & PFM_SWITCHING);
	KUNIT_EXPECT_FALSE(test, test_bit(0, &ctx->switch_queued));
	KUNIT_EXPECT_EQ(test, kref_read(&ctx->ref), refs);
}

static struct kunit_case switch_cases[] = {
	KUNIT_CASE(sets_switch_in_order_of_ids),
	KUNIT_CASE(explicit_next_set_defines_chain),
	KUNIT_CASE(events_count_in_the_active_set_only),
	KUNIT_CASE(time_until_pmu_follows_is_unmeasured),
	KUNIT_CASE(unmeasured_time_is_0_if_clock_steps_back),
	KUNIT_CASE(single_set_switches_to_itself),
	KUNIT_CASE(remaining_timeout_survives_stop_and_start),
	KUNIT_CASE(remaining_timeout_survives_masking),
	KUNIT_CASE(timeout_while_masked_switches_after_restart),
	KUNIT_CASE(timeout_switch_waits_for_own_command),
	KUNIT_CASE(thread_does_not_wait_for_a_command),
	KUNIT_CASE(timeout_switch_ignores_other_threads_commands),
	KUNIT_CASE(overflow_threshold_switches_set),
	KUNIT_CASE(first_reached_threshold_switches_set),
	KUNIT_CASE(switch_pmds_lists_all_reached_thresholds),
	KUNIT_CASE(threshold_without_switch_ovfl_flag_is_ignored),
	KUNIT_CASE(each_set_switches_in_its_own_way),
	KUNIT_CASE(threshold_restarts_when_set_becomes_active),
	KUNIT_CASE(trigger_is_reset_when_set_becomes_active),
	KUNIT_CASE(masked_context_switches_on_restart),
	KUNIT_CASE(restart_switches_only_at_threshold),
	KUNIT_CASE(reset_pmds_reset_when_set_becomes_active),
	KUNIT_CASE(reset_pmds_reset_when_restart_switches),
	KUNIT_CASE(cascade_counts_only_after_threshold),
	KUNIT_CASE(overflow_message_names_event_set),
	KUNIT_CASE(timeout_switch_reports_no_pmds),
	KUNIT_CASE(pending_switch_does_not_block_later_target),
	{}
};

static struct kunit_suite switch_suite = {
	.name = "pfm_evtset_switch",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = switch_cases,
};

/* Make PMD1 overflow inside the handler. */
static void let_pmd1_overflow(void)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { 0, PERIOD } };

	pfm_sim_advance(&tick);
}

static void switch_to_itself_keeps_deferred_overflows(
		struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 0, 1, 0, 0);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->ctrl[1] = PFM_OVFL_CTRL_RESET;
	script->during = let_pmd1_overflow;
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_runs, 2ULL);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-2 * PERIOD));
}

/* Proves 3.5.14-11 */
static void samples_have_active_set(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 6, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 6, 0, 0, 1);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->ctrl[1] = PFM_OVFL_CTRL_RESET;
	script->ctrl[2] = PFM_OVFL_CTRL_RESET;
	load_and_start(test, 0);
	count(test, PERIOD);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
	count(test, 2 * PERIOD);
	KUNIT_ASSERT_EQ(test, script->calls, 3);
	KUNIT_EXPECT_EQ(test, script->arg[0].active_set, 0);
	KUNIT_EXPECT_EQ(test, script->arg[1].active_set, 6);
	KUNIT_EXPECT_EQ(test, script->arg[2].active_set, 0);
	KUNIT_EXPECT_EQ(test, script->arg[2].pmd_last_reset,
			(u64)(-2 * PERIOD));
}

/* Proves 3.7.7-08 */
static void masking_format_defers_switch(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 6, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 1);
	script->ctrl[0] = PFM_OVFL_CTRL_HOLD;
	script->restart_ctrl = PFM_OVFL_CTRL_RESET;
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active_set(test), 0);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active_set(test), 6);
}

/* Let the timeout expire inside the handler. */
static void let_time_pass(void)
{
	struct pfm_sim_tick tick = { .task = current, .ns = TICK };

	pfm_sim_advance(&tick);
}

/* Proves 3.7.7-05, 3.7.7-06 */
static void timeout_switch_waits_for_handler(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 6, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->during = let_time_pass;
	load_and_start(test, 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, script->arg[0].active_set, 0);
	/* The switch happens after the handler. */
	KUNIT_EXPECT_EQ(test, active_set(test), 6);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
}

static struct kunit_case switch_with_fmt_cases[] = {
	KUNIT_CASE(switch_to_itself_keeps_deferred_overflows),
	KUNIT_CASE(samples_have_active_set),
	KUNIT_CASE(masking_format_defers_switch),
	KUNIT_CASE(timeout_switch_waits_for_handler),
	{}
};

static struct kunit_suite switch_with_fmt_suite = {
	.name = "pfm_evtset_switch_with_fmt",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = switch_with_fmt_cases,
};

kunit_test_suites(&switch_suite, &switch_with_fmt_suite);
