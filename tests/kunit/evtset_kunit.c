// SPDX-License-Identifier: GPL-2.0
/*
 * evtset_kunit.c - create, delete and describe event sets (3.1.10 -
 *		    3.1.12)
 */
#include "context.h"
#include "evtset.h"
#include "evtset_fixture.h"

/* Proves 3.1.10-13, 3.7.5-02, 3.7.6-03 */
static void new_context_has_set0_without_switching(struct kunit *test)
{
	pfarg_setinfo_t set0 = set_info(test, 0);

	KUNIT_EXPECT_EQ(test, set0.set_flags, 0U);
	KUNIT_EXPECT_EQ(test, set0.set_runs, 0ULL);
	load_and_start(test, 0);
	pass(test, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, set_info(test, 0).set_runs, 1ULL);
}

/* Proves 3.1.10-03, 3.1.10-16, 3.7.5-01 */
static void event_set_ids_are_arbitrary(struct kunit *test)
{
	make_set(test, 0xffff, 0, 0, 0);
	make_set(test, 3, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 0xffff).set_id, 0xffff);
	KUNIT_EXPECT_EQ(test, set_info(test, 3).set_id, 3);
}

/* Proves 3.1.10-03, 3.1.11-09, 3.1.12-15 */
static void unknown_event_set_is_refused(struct kunit *test)
{
	pfarg_setinfo_t info = { .set_id = 4 };
	pfarg_setdesc_t desc = { .set_id = 4 };

	make_set(test, 5, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, command(test, &info, pfm_getinfo_evtset),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, info.set_flags, PFM_SET_RETFL_NOSET);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_NOSET);
	KUNIT_EXPECT_EQ(test, load(test, 4), -EINVAL);
}

/* Proves 3.1.11-07, 3.7.5-02 */
static void set0_cannot_be_deleted(struct kunit *test)
{
	pfarg_setdesc_t desc = {};

	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_EQ(test, load(test, 0), 0);
}

/* Proves 3.1.11-03 */
static void deleted_event_set_can_be_recreated(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 7 };

	make_set(test, 7, 0, 0, 0);
	make_counter(test, 7, 0, NOTIFY, 3);
	KUNIT_ASSERT_EQ(test, load(test, 7), 0);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, set_info(test, 7).set_runs, 1ULL);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), -EINVAL);
	make_set(test, 7, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 7).set_runs, 0ULL);
	/* The new set's registers have initial values. */
	KUNIT_EXPECT_EQ(test, value(test, 7, 0), 0ULL);
	load_and_start(test, 7);
	count(test, 1000);
	KUNIT_EXPECT_EQ(test, value(test, 7, 0), 0ULL);
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(ctx_of(test)));
}

/* Proves 3.1.10-04, 3.1.12-03, 3.1.12-10 */
static void modifying_a_set_keeps_its_registers(struct kunit *test)
{
	make_set(test, 1, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	make_set(test, 1, BY_TIME, 0, 2);
	KUNIT_EXPECT_EQ(test, value(test, 1, 0), (u64)-PERIOD);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_flags, BY_TIME);
	KUNIT_EXPECT_EQ(test, remaining(test, 1), 2 * TICK);
	make_set(test, 1, BY_OVFL, 0, 2);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_flags, BY_OVFL);
	KUNIT_EXPECT_EQ(test, remaining(test, 1), 0ULL);
}

/* Proves 3.1.7-33, 3.1.10-14, 3.1.11-06, 3.7.4-01 */
static void event_sets_cannot_change_while_attached(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };

	make_set(test, 1, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, create_set(test, &desc), -EBUSY);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), -EBUSY);
	desc.set_id = 2;
	KUNIT_EXPECT_EQ(test, create_set(test, &desc), -EBUSY);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, create_set(test, &desc), 0);
}

/* Proves 3.1.10-05, 3.7.6-02 */
static void invalid_event_set_descriptions_are_refused(struct kunit *test)
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
		KUNIT_EXPECT_EQ_MSG(test, create_set(test, &desc), -EINVAL,
				    "%d", i);
		KUNIT_EXPECT_TRUE(test, PFM_SET_HAS_ERROR(desc.set_flags));
		KUNIT_EXPECT_NULL(test, fixture_find_set(ctx_of(test), 1));
	}
}

/* Proves 3.1.10-11, 3.7.6-06 */
static void a_timeout_is_rounded_up_to_ticks(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };

	desc.set_timeout.tv_nsec = TICK + TICK / 2;
	KUNIT_ASSERT_EQ(test, create_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout), 2 * TICK);
	KUNIT_EXPECT_EQ(test, remaining(test, 0), 2 * TICK);
	desc.set_timeout = (struct __kernel_timespec){ .tv_sec = 3 };
	KUNIT_ASSERT_EQ(test, create_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout),
			roundup(3 * NSEC_PER_SEC, TICK));
	desc.set_timeout = (struct __kernel_timespec){};
	KUNIT_ASSERT_EQ(test, create_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, nanoseconds(desc.set_timeout), TICK);
}

/* Proves 3.1.10-12 */
static void timeout_without_switch_time_flag_is_ignored(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_timeout.tv_nsec = -5 };

	KUNIT_EXPECT_EQ(test, create_set(test, &desc), 0);
	KUNIT_EXPECT_EQ(test, desc.set_timeout.tv_nsec, -5LL);
}

/* Proves 3.1.12-07, 3.1.12-13 */
static void set_runs_and_duration_survive_modification(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	int i;

	make_set(test, 1, 0, 0, 0);
	for (i = 1; i <= 3; i++) {
		load_and_start(test, 1);
		pass(test, TICK);
		fixture_unload(test);
		KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, (u64)i);
		KUNIT_EXPECT_EQ(test, duration(test, 1), i * TICK);
	}
	/*
	 * Modifying a set resets neither its number of runs nor its duration.
	 */
	make_set(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 3ULL);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 3 * TICK);
	KUNIT_ASSERT_EQ(test, delete_set(test, &desc), 0);
	make_set(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, set_info(test, 1).set_runs, 0ULL);
	KUNIT_EXPECT_EQ(test, duration(test, 1), 0ULL);
}

/* Proves 3.1.11-04, 3.1.12-03 */
static void delete_and_getinfo_refuse_input_flags(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_setdesc_t desc = { .set_id = 1, .set_flags = BY_TIME };
	pfarg_setinfo_t info = { .set_id = 1, .set_flags = BY_TIME };

	make_set(test, 1, BY_OVFL, 0, 0);
	fixture_lock(ctx);
	KUNIT_EXPECT_EQ(test, pfm_getinfo_evtset(ctx, &info), -EINVAL);
	fixture_unlock(ctx);
	KUNIT_EXPECT_TRUE(test, info.set_flags & PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), -EINVAL);
	KUNIT_EXPECT_TRUE(test, desc.set_flags & PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, fixture_find_set(ctx, 1));
}

/* Proves 3.1.11-05, 3.1.12-04 */
static void evtset_output_fields_are_ignored_as_input(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, delete_set(test, &desc), 0);
}

static struct kunit_case evtset_cases[] = {
	KUNIT_CASE(new_context_has_set0_without_switching),
	KUNIT_CASE(event_set_ids_are_arbitrary),
	KUNIT_CASE(unknown_event_set_is_refused),
	KUNIT_CASE(set0_cannot_be_deleted),
	KUNIT_CASE(deleted_event_set_can_be_recreated),
	KUNIT_CASE(modifying_a_set_keeps_its_registers),
	KUNIT_CASE(event_sets_cannot_change_while_attached),
	KUNIT_CASE(invalid_event_set_descriptions_are_refused),
	KUNIT_CASE(a_timeout_is_rounded_up_to_ticks),
	KUNIT_CASE(timeout_without_switch_time_flag_is_ignored),
	KUNIT_CASE(set_runs_and_duration_survive_modification),
	KUNIT_CASE(delete_and_getinfo_refuse_input_flags),
	KUNIT_CASE(evtset_output_fields_are_ignored_as_input),
	{}
};

static struct kunit_suite evtset_suite = {
	.name = "pfm_evtset",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = evtset_cases,
};

static const pfm_buffer_fmt_t noset_fmt = {
	.fmt_name	= "noset",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_flags	= PFM_FMTFL_NOSET,
	.fmt_handler	= script_handler,
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
static void noset_format_allows_set0_only(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };

	KUNIT_EXPECT_EQ(test, create_set(test, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	make_set(test, 0, BY_TIME, 0, 1);
}

static struct kunit_case evtset_noset_cases[] = {
	KUNIT_CASE(noset_format_allows_set0_only),
	{}
};

static struct kunit_suite evtset_noset_suite = {
	.name = "pfm_evtset_noset",
	.init = noset_init,
	.exit = noset_exit,
	.test_cases = evtset_noset_cases,
};

kunit_test_suites(&evtset_suite, &evtset_noset_suite);
