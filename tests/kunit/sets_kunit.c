// SPDX-License-Identifier: GPL-2.0
/*
 * sets_kunit.c - event sets: what they are (3.1.10 - 3.1.12), and switching
 *		  (3.7.6, 3.7.7)
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include "context.h"
#include "evtset.h"
#include "idle.h"
#include "load.h"
#include "messages.h"
#include "sets.h"
#include "switch.h"

#define TICK	((u64)TICK_NSEC)
#define EXPL	PFM_SETFL_EXPL_NEXT

static int create(struct kunit *test, pfarg_setdesc_t *desc)
{
	return command(test, desc, pfm_create_evtset);
}

static int delete(struct kunit *test, pfarg_setdesc_t *desc)
{
	return command(test, desc, pfm_delete_evtset);
}

/* A set that stays active for @ticks, if it is switched by time. */
static void make_set(struct kunit *test, u16 id, u32 flags, u16 next, int ticks)
{
	pfarg_setdesc_t desc = {
		.set_id = id, .set_flags = flags, .set_id_next = next,
		.set_timeout.tv_nsec = ticks * TICK,
	};

	KUNIT_ASSERT_EQ(test, create(test, &desc), 0);
}

static pfarg_setinfo_t info(struct kunit *test, u16 id)
{
	pfarg_setinfo_t info = { .set_id = id };

	KUNIT_EXPECT_EQ(test, command(test, &info, pfm_getinfo_evtset), 0);
	return info;
}

static u64 nanoseconds(struct __kernel_timespec ts)
{
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static u64 remaining(struct kunit *test, u16 id)
{
	return nanoseconds(info(test, id).set_timeout);
}

static u64 duration(struct kunit *test, u16 id)
{
	return nanoseconds(info(test, id).set_act_duration);
}

static u16 active(struct kunit *test)
{
	return ctx_of(test)->set->id;
}

/* Events of PMD0 and PMD1, and then time; the PMU does not follow a switch. */
static void happen(struct kunit *test, u64 d0, u64 d1, u64 ns)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { d0, d1 },
				     .ns = ns };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

static void count(struct kunit *test, u64 d0)
{
	happen(test, d0, 0, 0);
	pfm_finish_switch(ctx_of(test));
}

static void pass(struct kunit *test, u64 ns)
{
	happen(test, 0, 0, ns);
	pfm_finish_switch(ctx_of(test));
}

static int sets_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

/* What sets are */

/* Proves 3.1.10-13, 3.7.5-02, 3.7.6-03 */
static void a_new_context_has_set0_which_does_not_switch(struct kunit *test)
{
	pfarg_setinfo_t set0 = info(test, 0);

	KUNIT_EXPECT_EQ(test, set0.set_flags, 0U);
	KUNIT_EXPECT_EQ(test, set0.set_runs, 0ULL);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_runs, 1ULL);
}

/* Proves 3.1.10-03, 3.1.10-16, 3.7.5-01 */
static void sets_have_any_number(struct kunit *test)
{
	make_set(test, 0xffff, 0, 0, 0);
	make_set(test, 3, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, info(test, 0xffff).set_id, 0xffff);
	KUNIT_EXPECT_EQ(test, info(test, 3).set_id, 3);
}

/* Proves 3.1.10-03, 3.1.11-09, 3.1.12-15 */
static void a_set_that_was_not_created_does_not_exist(struct kunit *test)
{
	pfarg_setinfo_t info = { .set_id = 4 };
	pfarg_setdesc_t desc = { .set_id = 4 };

	make_set(test, 5, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, command(test, &info, pfm_getinfo_evtset), -EINVAL);
	KUNIT_EXPECT_EQ(test, info.set_flags, PFM_SET_RETFL_NOSET);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_NOSET);
	KUNIT_EXPECT_EQ(test, load(test, 4), -EINVAL);
}

/* Proves 3.1.11-07, 3.7.5-02 */
static void set0_cannot_be_deleted(struct kunit *test)
{
	pfarg_setdesc_t desc = {};

	KUNIT_EXPECT_EQ(test, delete(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_EQ(test, load(test, 0), 0);
}

/* Proves 3.1.11-03 */
static void a_deleted_set_is_gone_and_can_come_anew(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 7 };

	make_set(test, 7, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 7), 0);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, info(test, 7).set_runs, 1ULL);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), -EINVAL);
	make_set(test, 7, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, info(test, 7).set_runs, 0ULL);
}

/* Proves 3.1.10-04, 3.1.12-03, 3.1.12-10 */
static void modifying_a_set_keeps_its_registers(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	make_set(test, 1, BY_TIME, 0, 2);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_flags, BY_TIME);
	KUNIT_EXPECT_EQ(test, remaining(test, 1), 2 * TICK);
	make_set(test, 1, BY_OVFL, 0, 2);
	KUNIT_EXPECT_EQ(test, remaining(test, 1), 0ULL);
}

/* Proves 3.1.7-33, 3.1.10-14, 3.1.11-06, 3.7.4-01 */
static void sets_stay_as_they_are_while_attached(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };

	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, create(test, &desc), -EBUSY);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), -EBUSY);
	desc.set_id = 2;
	KUNIT_EXPECT_EQ(test, create(test, &desc), -EBUSY);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, create(test, &desc), 0);
}

/* Proves 3.1.10-05, 3.7.6-02 */
static void bad_descriptions_are_refused(struct kunit *test)
{
	static const pfarg_setdesc_t bad[] = {
		{ .set_flags = BY_TIME | BY_OVFL },
		{ .set_flags = 0x10 },
		{ .reserved[0] = 1 },
		{ .set_flags = BY_TIME, .set_timeout.tv_nsec = NSEC_PER_SEC },
		{ .set_flags = BY_TIME, .set_timeout.tv_nsec = -1 },
		{ .set_flags = BY_TIME, .set_timeout.tv_sec = -1 },
		{ .set_flags = BY_TIME, .set_timeout.tv_sec = S64_MAX },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		pfarg_setdesc_t desc = bad[i];

		desc.set_id = 1;
		KUNIT_EXPECT_EQ_MSG(test, create(test, &desc), -EINVAL, "%d", i);
		KUNIT_EXPECT_TRUE(test, PFM_SET_HAS_ERROR(desc.set_flags));
		KUNIT_EXPECT_NULL(test, pfm_evtset_find(ctx_of(test), 1));
	}
}

/* Proves 3.1.10-11, 3.7.6-06 */
static void a_timeout_is_rounded_up_to_ticks(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };

	desc.set_timeout.tv_nsec = TICK + TICK / 2;
	KUNIT_ASSERT_EQ(test, create(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout), 2 * TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 2 * TICK);
	desc.set_timeout = (struct __kernel_timespec){ .tv_sec = 3 };
	KUNIT_ASSERT_EQ(test, create(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout),
			roundup(3 * NSEC_PER_SEC, TICK));
	desc.set_timeout = (struct __kernel_timespec){};
	KUNIT_ASSERT_EQ(test, create(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout), TICK);
}

/* Proves 3.1.10-12 */
static void a_timeout_without_switching_by_time_is_ignored(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_timeout.tv_nsec = -5 };

	KUNIT_EXPECT_EQ(test, create(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, desc.set_timeout.tv_nsec, -5LL);
}

/* Proves 3.1.7-32, 3.1.10-18, 3.1.11-08, 3.7.5-07 */
static void a_broken_chain_is_found_by_load(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 2 };

	make_set(test, 1, EXPL, 2, 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), -EINVAL);
	KUNIT_EXPECT_FALSE(test, ctx_of(test)->loaded);
	make_set(test, 2, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), 0);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, load(test, 0), -EINVAL);
}

/* Switching by time */

/*
 * Proves 3.1.5-15, 3.1.10-04, 3.1.10-09, 3.1.10-10, 3.1.10-16, 3.1.10-17,
 * 3.7.5-03, 3.7.5-04, 3.7.6-04, 3.7.6-05, P6.2-03
 */
static void sets_take_turns_in_the_order_of_their_numbers(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 5, BY_TIME, 0, 1);
	make_set(test, 3, BY_TIME, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK - 1);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	pass(test, 1);
	KUNIT_EXPECT_EQ(test, active(test), 3);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 5);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
}

/* Proves 3.1.10-10, 3.7.5-05, 3.7.5-06 */
static void an_explicit_next_makes_a_chain_of_its_own(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 5, BY_TIME | EXPL, 0, 1);
	make_set(test, 8, BY_TIME, 0, 1);
	make_set(test, 11, BY_TIME | EXPL, 8, 1);
	KUNIT_ASSERT_EQ(test, load(test, 8), 0);
	KUNIT_ASSERT_EQ(test, start(test, 8), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 11);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 8);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 5);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
}

/* Proves 3.1.12-07, 3.1.12-11, 3.1.12-14, 3.7.1-01, 3.7.1-03 */
static void events_count_in_the_active_set_only(struct kunit *test)
{
	int i;

	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, BY_TIME, 0, 2);
	fixture_pmc(test, (pfarg_pmc_t){ .reg_set = 0 });
	fixture_pmc(test, (pfarg_pmc_t){ .reg_set = 1 });
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	for (i = 0; i < 6; i++) {
		count(test, 10);
		pass(test, TICK);
	}
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), 40ULL);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 4 * TICK);
	/* Loaded, and come back to twice. */
	KUNIT_EXPECT_EQ(test, info(test, 0).set_runs, 3ULL);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 2ULL);
}

static void what_counts_before_the_pmu_follows_is_discarded(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	/* The work item that lets the PMU follow waits. */
	fixture_lock(ctx_of(test));
	happen(test, 5, 0, TICK);
	happen(test, 7, 0, 0);
	fixture_unlock(ctx_of(test));
	pfm_finish_switch(ctx_of(test));
	happen(test, 9, 0, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 5);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 9);
}

/* Proves 3.1.12-09 */
static void a_set_alone_may_follow_itself(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, 1, 0, TICK);
	happen(test, 1, 0, TICK);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_runs, 3ULL);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 2);
}

/* Proves 3.1.5-14, 3.1.6-07, 3.1.12-10, 3.1.12-11, 3.7.6-07 */
static void the_rest_of_a_timeout_survives_stop_and_start(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, active(test), 0);
	pass(test, 1);
	KUNIT_EXPECT_EQ(test, active(test), 1);
}

/* Proves 3.1.7-35, 3.7.6-07, 3.7.6-13 */
static void load_begins_the_timeout_anew(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 3);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 3 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
}

/* Proves 3.1.9-13, 3.1.12-12, 3.7.6-08, 3.7.7-05 */
static void the_rest_of_a_timeout_survives_masking(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 3);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	pass(test, TICK);
	count(test, PERIOD);
	KUNIT_ASSERT_TRUE(test, pfm_is_masked(ctx_of(test)));
	pass(test, 9 * TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 2 * TICK);
	KUNIT_EXPECT_EQ(test, duration(test, 0), TICK);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	/* What is restarted is what was masked. */
	KUNIT_EXPECT_EQ(test, active(test), 0);
	pass(test, 2 * TICK);
	KUNIT_EXPECT_EQ(test, active(test), 1);
}

/* The timer goes off right after the overflow that masks. */
static void a_timeout_that_comes_when_masked_is_not_lost(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, PERIOD, 0, TICK);
	KUNIT_ASSERT_TRUE(test, pfm_is_masked(ctx_of(test)));
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
}

/* Proves 3.7.7-07 */
static void no_set_is_left_by_time_while_its_thread_calls(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	ctx->in_call = current;
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	ctx->in_call = NULL;
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, duration(test, 0), 2 * TICK);
}

/* Switching by overflows */

/*
 * Proves 3.1.3-16, 3.1.4-09, 3.1.5-15, 3.1.10-08, 3.1.12-05, 3.7.6-14,
 * 3.7.6-15, 3.7.6-19, 3.7.7-08
 */
static void a_threshold_of_overflows_switches(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 2);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 2ULL);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 1ULL);
	/* A trigger is reset like a counter that samples. */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
	count(test, 2 * PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_switch_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 1ULL);
}

/* Proves 3.7.6-16, 3.7.6-20, P6.2-02 */
static void any_of_several_triggers_switches(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 5);
	make_counter(test, 0, 1, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, PERIOD, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_switch_pmds[0], 2ULL);
}

/* Proves 3.1.12-05, 3.1.12-06, 3.7.6-20 */
static void thresholds_that_are_reached_at_once_are_all_told(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 0, 1, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, PERIOD, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_switch_pmds[0], 3ULL);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_switch_pmds[0], 0ULL);
}

/* Proves 3.1.3-16, 3.7.6-14 */
static void without_its_flag_a_set_ignores_thresholds(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 0ULL);
	/* It wraps, as it is no trigger. */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 0ULL);
}

/* Proves 3.1.10-19, 3.7.6-01, 3.7.6-17, 3.7.6-18 */
static void a_threshold_counts_anew_when_its_set_comes_again(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 2);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = -PERIOD,
					 .reg_short_reset = -PERIOD,
					 .reg_ovflsw_thres = 3 });
	/* It goes on counting down what it began with. */
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 3ULL);
}

/* Proves 3.7.7-09 */
static void what_overflowed_last_is_reset_when_its_set_comes(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	make_counter(test, 0, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD + 4);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 4ULL);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
}

/* Proves 3.1.9-14, 3.7.7-08, 3.7.7-10 */
static void a_masked_context_switches_when_it_is_restarted(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 1);
	make_counter(test, 1, 0, NOTIFY, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	/* Reset by a restart: with the long value. */
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-3 * PERIOD));
	count(test, 3 * PERIOD);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(ctx_of(test)));
}

/* PMD0 of set0 switches, and takes PMD1 along when it is reset. */
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
static void reset_pmds_are_reset_when_their_set_comes(struct kunit *test)
{
	make_companion(test, 0);
	make_set(test, 1, BY_TIME, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, PERIOD, 5, 0);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)-PERIOD + 5);
	pass(test, TICK);
	KUNIT_ASSERT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-2 * PERIOD));
}

/* Proves 3.7.7-10 */
static void reset_pmds_are_reset_when_a_restart_brings_their_set(
	struct kunit *test)
{
	make_companion(test, NOTIFY);
	make_set(test, 1, BY_OVFL, 0, 0);
	make_counter(test, 1, 0, NOTIFY, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_ASSERT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-3 * PERIOD));
}

/* Proves 3.7.6-23, 3.7.6-24 */
static void a_cascade_counts_after_the_threshold_only(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = 1, .reg_set = 1 });
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	happen(test, PERIOD - 1, 50, 0);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 0ULL);
	happen(test, 1, 0, 0);
	pfm_finish_switch(ctx_of(test));
	happen(test, 1000, 7, 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 1), 7ULL);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 1ULL);
}

/* Proves 3.4.3-05 */
static void the_message_names_the_set_of_the_overflow(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfm_msg_t msg;

	make_set(test, 9, BY_OVFL, 0, 0);
	make_counter(test, 9, 0, NOTIFY, 1);
	KUNIT_ASSERT_EQ(test, load(test, 9), 0);
	KUNIT_ASSERT_EQ(test, start(test, 9), 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_ASSERT_TRUE(test, take_msg(&ctx->msgq, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, 9);
	KUNIT_EXPECT_EQ(test, active(test), 0);
}

/* Designated sets */

/* Proves 3.1.5-11, 3.1.5-12, 3.1.7-30, 3.1.12-08 */
static void load_and_start_designate_the_first_set(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_set(test, 2, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 1), 0);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 1ULL);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 1ULL);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 2), 0);
	KUNIT_EXPECT_EQ(test, active(test), 2);
	KUNIT_EXPECT_EQ(test, info(test, 2).set_runs, 1ULL);
	stop(test);
	/* Without a number: the last active one. */
	fixture_lock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, pfm_start_monitoring(ctx_of(test), NULL), 0);
	fixture_unlock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, active(test), 2);
	KUNIT_EXPECT_EQ(test, info(test, 2).set_runs, 1ULL);
	KUNIT_EXPECT_EQ(test, start(test, 3), -EINVAL);
}

/* Proves 3.7.1-01 */
static void values_are_kept_where_start_designates_another(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, 5);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	count(test, 6);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 5);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 6);
}

/* What belongs to a set */

/* Proves 3.1.2-17 */
static void bit_vectors_mean_the_set_of_their_pmc(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_set = 1, .reg_flags = NOTIFY };

	pmc.reg_reset_pmds[0] = 1 << 1;
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 1, 0, 0);
	make_counter(test, 1, 1, 0, 0);
	make_counter(test, 1, 0, NOTIFY, 0);
	fixture_pmc(test, pmc);
	KUNIT_ASSERT_EQ(test, load(test, 1), 0);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	count(test, PERIOD);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, value(test, 1, 1), (u64)(-3 * PERIOD));
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)-PERIOD);
}

/* Proves 3.1.3-16 */
static void a_register_that_does_not_count_has_no_threshold(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_ovflsw_thres = 1 });
	KUNIT_EXPECT_EQ(test,
			read(test, 0, PFM_SIM_PMD_PLAIN).reg_ovflsw_thres, 0ULL);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test,
			read(test, 0, PFM_SIM_PMD_PLAIN).reg_ovflsw_thres, 0ULL);
}

/* Proves 3.1.7-34, 3.7.6-22 */
static void load_begins_thresholds_anew(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 3);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 2ULL);
	fixture_unload(test);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 3ULL);
}

/* Proves 3.1.12-05 */
static void a_set_left_by_time_tells_no_pmds(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	pass(test, TICK);
	KUNIT_EXPECT_EQ(test, active(test), 1);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_switch_pmds[0], 0ULL);
}

/* Proves 3.1.12-07, 3.1.12-13 */
static void runs_and_duration_go_with_the_set_only(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	int i;

	make_set(test, 1, 0, 0, 0);
	for (i = 1; i <= 3; i++) {
		KUNIT_ASSERT_EQ(test, load(test, 1), 0);
		KUNIT_ASSERT_EQ(test, start(test, 1), 0);
		pass(test, TICK);
		fixture_unload(test);
		KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, (u64)i);
		KUNIT_EXPECT_EQ(test, duration(test, 1), i * TICK);
	}
	/* To be modified is not to be created. */
	make_set(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 3 * TICK);
	KUNIT_ASSERT_EQ(test, delete(test, &desc), 0);
	make_set(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, info(test, 1).set_runs, 0ULL);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 0ULL);
}

/* Proves 3.1.11-04, 3.1.12-03 */
static void delete_and_getinfo_have_no_input_flags(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_setdesc_t desc = { .set_id = 1, .set_flags = BY_TIME };
	pfarg_setinfo_t info = { .set_id = 1, .set_flags = BY_TIME };

	make_set(test, 1, BY_OVFL, 0, 0);
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_getinfo_evtset(ctx, &info), -EINVAL);
	fixture_unlock(ctx);
	KUNIT_EXPECT_TRUE(test, info.set_flags & PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), -EINVAL);
	KUNIT_EXPECT_TRUE(test, desc.set_flags & PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, pfm_evtset_find(ctx, 1));
}

/* Proves 3.1.11-05, 3.1.12-04 */
static void what_is_no_input_is_ignored(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_setdesc_t desc = { .set_id = 1, .set_id_next = 77,
				 .set_timeout.tv_nsec = -1 };
	pfarg_setinfo_t info = { .set_id_next = 77, .set_runs = 77,
				 .set_switch_pmds[0] = 77,
				 .set_timeout.tv_nsec = -1,
				 .set_act_duration.tv_sec = -1 };

	make_set(test, 1, 0, 0, 0);
	info.set_id = 1;
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_getinfo_evtset(ctx, &info), 0);
	fixture_unlock(ctx);
	KUNIT_EXPECT_EQ(test, info.set_id_next, 0);
	KUNIT_EXPECT_EQ(test, info.set_runs, 0ULL);
	KUNIT_EXPECT_EQ(test, info.set_switch_pmds[0], 0ULL);
	KUNIT_EXPECT_EQ(test, nanoseconds(info.set_timeout), 0ULL);
	KUNIT_EXPECT_EQ(test, nanoseconds(info.set_act_duration), 0ULL);
	KUNIT_EXPECT_EQ(test, delete(test, &desc), 0);
}

static int stand_by(void *unused)
{
	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* A thread of the kernel never gets back to user level. */
static void a_thread_that_is_held_up_keeps_no_other_from_switching(
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

	other = kthread_run(stand_by, NULL, "pfm_other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_EQ(test, pfm_load_context(ctx, &(pfarg_load_t){
				.load_pid = task_pid_vnr(other) }), 0);
	local_irq_save(flags);
	pfm_switch_request(ctx, true);
	instead = work_pending(&ctx->switch_work);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, instead);
	fixture_unload(test);
	kthread_stop(other);
}

static struct kunit_case sets_cases[] = {
	KUNIT_CASE(a_new_context_has_set0_which_does_not_switch),
	KUNIT_CASE(sets_have_any_number),
	KUNIT_CASE(a_set_that_was_not_created_does_not_exist),
	KUNIT_CASE(set0_cannot_be_deleted),
	KUNIT_CASE(a_deleted_set_is_gone_and_can_come_anew),
	KUNIT_CASE(modifying_a_set_keeps_its_registers),
	KUNIT_CASE(sets_stay_as_they_are_while_attached),
	KUNIT_CASE(bad_descriptions_are_refused),
	KUNIT_CASE(a_timeout_is_rounded_up_to_ticks),
	KUNIT_CASE(a_timeout_without_switching_by_time_is_ignored),
	KUNIT_CASE(a_broken_chain_is_found_by_load),
	KUNIT_CASE(sets_take_turns_in_the_order_of_their_numbers),
	KUNIT_CASE(an_explicit_next_makes_a_chain_of_its_own),
	KUNIT_CASE(events_count_in_the_active_set_only),
	KUNIT_CASE(what_counts_before_the_pmu_follows_is_discarded),
	KUNIT_CASE(a_set_alone_may_follow_itself),
	KUNIT_CASE(the_rest_of_a_timeout_survives_stop_and_start),
	KUNIT_CASE(load_begins_the_timeout_anew),
	KUNIT_CASE(the_rest_of_a_timeout_survives_masking),
	KUNIT_CASE(a_timeout_that_comes_when_masked_is_not_lost),
	KUNIT_CASE(no_set_is_left_by_time_while_its_thread_calls),
	KUNIT_CASE(a_threshold_of_overflows_switches),
	KUNIT_CASE(any_of_several_triggers_switches),
	KUNIT_CASE(thresholds_that_are_reached_at_once_are_all_told),
	KUNIT_CASE(without_its_flag_a_set_ignores_thresholds),
	KUNIT_CASE(a_threshold_counts_anew_when_its_set_comes_again),
	KUNIT_CASE(what_overflowed_last_is_reset_when_its_set_comes),
	KUNIT_CASE(a_masked_context_switches_when_it_is_restarted),
	KUNIT_CASE(reset_pmds_are_reset_when_their_set_comes),
	KUNIT_CASE(reset_pmds_are_reset_when_a_restart_brings_their_set),
	KUNIT_CASE(a_cascade_counts_after_the_threshold_only),
	KUNIT_CASE(the_message_names_the_set_of_the_overflow),
	KUNIT_CASE(load_and_start_designate_the_first_set),
	KUNIT_CASE(values_are_kept_where_start_designates_another),
	KUNIT_CASE(a_thread_that_is_held_up_keeps_no_other_from_switching),
	KUNIT_CASE(bit_vectors_mean_the_set_of_their_pmc),
	KUNIT_CASE(a_register_that_does_not_count_has_no_threshold),
	KUNIT_CASE(load_begins_thresholds_anew),
	KUNIT_CASE(a_set_left_by_time_tells_no_pmds),
	KUNIT_CASE(runs_and_duration_go_with_the_set_only),
	KUNIT_CASE(delete_and_getinfo_have_no_input_flags),
	KUNIT_CASE(what_is_no_input_is_ignored),
	{}
};

static struct kunit_suite sets_suite = {
	.name = "pfm_sets",
	.init = sets_init,
	.exit = fixture_exit,
	.test_cases = sets_cases,
};

/* With a format */

static int set_fmt_init(struct kunit *test)
{
	fixture_create(test, 0, true);
	return 0;
}

/* Proves 3.5.14-11 */
static void samples_carry_the_active_set(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 6, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 6, 0, 0, 1);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->ctrl[1] = PFM_OVFL_CTRL_RESET;
	script->ctrl[2] = PFM_OVFL_CTRL_RESET;
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
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
static void a_format_that_masks_defers_the_switch(struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_set(test, 6, 0, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 1);
	script->ctrl[0] = PFM_OVFL_CTRL_HOLD;
	script->restart_ctrl = PFM_OVFL_CTRL_RESET;
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, active(test), 6);
}

/* Time runs out inside the handler. */
static void let_time_pass(void)
{
	struct pfm_sim_tick tick = { .task = current, .ns = TICK };

	pfm_sim_advance(&tick);
}

/* Proves 3.7.7-05, 3.7.7-06 */
static void no_set_is_left_by_time_inside_a_handler(struct kunit *test)
{
	make_set(test, 0, BY_TIME, 0, 1);
	make_set(test, 6, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->during = let_time_pass;
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, script->arg[0].active_set, 0);
	/* But it is afterwards. */
	KUNIT_EXPECT_EQ(test, active(test), 6);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)(-2 * PERIOD));
}

/* PMD1 overflows inside the handler. */
static void let_pmd1_overflow(void)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { 0, PERIOD } };

	pfm_sim_advance(&tick);
}

static void a_set_that_follows_itself_keeps_overflows_that_wait(
		struct kunit *test)
{
	make_set(test, 0, BY_OVFL, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 0, 1, 0, 0);
	script->ctrl[0] = PFM_OVFL_CTRL_RESET;
	script->ctrl[1] = PFM_OVFL_CTRL_RESET;
	script->during = let_pmd1_overflow;
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	count(test, PERIOD);
	KUNIT_EXPECT_EQ(test, info(test, 0).set_runs, 2ULL);
	KUNIT_EXPECT_EQ(test, script->calls, 2);
	KUNIT_EXPECT_EQ(test, value(test, 0, 1), (u64)(-2 * PERIOD));
}

static struct kunit_case set_fmt_cases[] = {
	KUNIT_CASE(a_set_that_follows_itself_keeps_overflows_that_wait),
	KUNIT_CASE(samples_carry_the_active_set),
	KUNIT_CASE(a_format_that_masks_defers_the_switch),
	KUNIT_CASE(no_set_is_left_by_time_inside_a_handler),
	{}
};

static struct kunit_suite set_fmt_suite = {
	.name = "pfm_sets_format",
	.init = set_fmt_init,
	.exit = fixture_exit,
	.test_cases = set_fmt_cases,
};

/* With a format that cannot */

static const pfm_buffer_fmt_t noset_fmt = {
	.fmt_name	= "noset",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_flags	= PFM_FMTFL_NOSET,
	.fmt_handler	= script_handler,
	.fmt_owner	= THIS_MODULE,
};

static int noset_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = SCRIPT_UUID;

	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&noset_fmt), 0);
	fixture_create_with(test, uuid, NULL, 0);
	return 0;
}

static void noset_exit(struct kunit *test)
{
	fixture_exit(test);
	pfm_unregister_buffer_fmt(noset_fmt.fmt_uuid);
}

/* Proves 3.1.10-21, 3.5.7-06, 3.7.7-02 */
static void a_format_without_sets_allows_set0_only(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };

	KUNIT_EXPECT_EQ(test, create(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	make_set(test, 0, BY_TIME, 0, 1);
}

static struct kunit_case noset_cases[] = {
	KUNIT_CASE(a_format_without_sets_allows_set0_only),
	{}
};

static struct kunit_suite noset_suite = {
	.name = "pfm_sets_noset",
	.init = noset_init,
	.exit = noset_exit,
	.test_cases = noset_cases,
};

/* System-wide */

static int set_cpu_init(struct kunit *test)
{
	fixture_create(test, PFM_FL_SYSTEM_WIDE, false);
	return 0;
}

/* The same for the CPU that the test runs on. */
static void cpu_happens(struct kunit *test, u64 d0, u64 ns)
{
	struct pfm_sim_tick tick = { .cpu = raw_smp_processor_id(),
				     .delta = { d0 }, .ns = ns };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

/* The CPU is idle meanwhile. */
static void cpu_idles(struct kunit *test, u64 d0, u64 ns)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_idle_changed(ctx_of(test), true);
	cpu_happens(test, d0, ns);
	pfm_idle_changed(ctx_of(test), false);
	local_irq_restore(flags);
}

static void events_of_the_idle_thread_are_not_counted(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE, 0, 0);
	make_counter(test, 0, 0, NOTIFY, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	cpu_happens(test, 10, 0);
	cpu_idles(test, 1000, 0);
	cpu_happens(test, 5, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 15);
	cpu_happens(test, PERIOD - 15, 0);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(ctx_of(test)));
}

static void without_the_flag_the_idle_thread_counts(struct kunit *test)
{
	make_counter(test, 0, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	cpu_idles(test, 10, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD + 10);
}

/* Proves 3.7.6-12 */
static void a_timeout_passes_while_the_idle_thread_runs(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE | BY_TIME, 0, 2);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	cpu_idles(test, 10, TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), TICK);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	cpu_idles(test, 10, TICK);
	pfm_finish_switch(ctx_of(test));
	KUNIT_EXPECT_EQ(test, active(test), 1);
	cpu_happens(test, 3, 0);
	KUNIT_EXPECT_EQ(test, value(test, 0, 0), (u64)-PERIOD);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD + 3);
}

/* Proves 3.7.6-21 */
static void no_overflow_switches_while_the_idle_thread_runs(struct kunit *test)
{
	make_set(test, 0, PFM_SETFL_EXCL_IDLE | BY_OVFL, 0, 0);
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 0, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	cpu_idles(test, 2 * PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active(test), 0);
	KUNIT_EXPECT_EQ(test, read(test, 0, 0).reg_ovflsw_thres, 1ULL);
	cpu_happens(test, PERIOD, 0);
	KUNIT_EXPECT_EQ(test, active(test), 1);
}

static struct kunit_case set_cpu_cases[] = {
	KUNIT_CASE(events_of_the_idle_thread_are_not_counted),
	KUNIT_CASE(without_the_flag_the_idle_thread_counts),
	KUNIT_CASE(a_timeout_passes_while_the_idle_thread_runs),
	KUNIT_CASE(no_overflow_switches_while_the_idle_thread_runs),
	{}
};

static struct kunit_suite set_cpu_suite = {
	.name = "pfm_sets_cpu",
	.init = set_cpu_init,
	.exit = fixture_exit,
	.test_cases = set_cpu_cases,
};

kunit_test_suites(&sets_suite, &set_fmt_suite, &noset_suite, &set_cpu_suite);
