// SPDX-License-Identifier: GPL-2.0
/*
 * newfmt_kunit.c - tests the call-backs of the format
 *
 * Copyright YEAR AUTHOR
 */
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_newfmt_smpl.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define PMD	1

static int newfmt_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_NEWFMT_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/* Return an argument for a buffer with space for this number of keys. */
static pfm_newfmt_arg_t
argument(struct kunit *test, u64 keys)
{
	pfm_newfmt_arg_t arg;

	pfm_calls_defaults(test, &arg);
	arg.sink.buf_size = PFM_SINK_REGION_OFFS(1) +
			    keys * sizeof(pfm_newfmt_record_t);
	return arg;
}

static void make(struct kunit *test, u64 keys)
{
	pfm_newfmt_arg_t arg = argument(test, keys);

	pfm_calls_make(test, &arg);
}

static pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static u64 keys_of(const struct pfm_fmt_calls *d)
{
	return ((const pfm_sink_rgn_t *)(hdr_of(d) + 1))->rgn_count;
}

static pfm_newfmt_record_t *
record_of(const struct pfm_fmt_calls *d, u64 i)
{
	pfm_newfmt_record_t *first;

	first = d->buf + PFM_SINK_REGION_OFFS(1);
	return first + i;
}

/* Cause an overflow of an event. The event is part of the key. */
static void overflow(struct kunit *test, u32 event)
{
	struct pfm_fmt_calls *d = test->priv;

	d->arg.pmd_eventid = event;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, PMD, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

/*
 * Cause an overflow of an event. @merged: the value of each PMD whose values
 * are merged.
 */
static void overflow_with(struct kunit *test, u32 event, u64 merged)
{
	const struct pfm_calls_value values[] = {
		SAMPLED_VALUES
	};
	struct pfm_fmt_calls *d = test->priv;

	d->arg.pmd_eventid = event;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, PMD, values,
						      ARRAY_SIZE(values)), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	pfm_newfmt_arg_t arg = argument(test, 1);

	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.sink.buf_size--;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg = argument(test, 100);
	arg.sink.num_regions = 2;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg = argument(test, 100);
	arg.sink.flags = PFM_SINK_OVERWRITE;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
}

static void defaults_of_the_argument_are_accepted(struct kunit *test)
{
	const struct pfm_fmt_calls *d = test->priv;
	pfm_newfmt_arg_t arg;

	KUNIT_ASSERT_EQ(test, d->fmt->fmt_arg_size, sizeof(arg));
	pfm_calls_defaults(test, &arg);
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
}

static void every_byte_of_a_record_is_written(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	static const u64 merged[] = { SAMPLES };
	static const pfm_newfmt_record_t expected = {
		RECORD_EXPECTED
	};
	u32 i;

	make(test, 2);
	memset(record_of(d, 0), 0xff, sizeof(expected));
	for (i = 0; i < ARRAY_SIZE(merged); i++)
		overflow_with(test, 77, merged[i]);
	KUNIT_EXPECT_EQ(test, keys_of(d), 1);
	KUNIT_EXPECT_MEMEQ(test, record_of(d, 0), &expected, sizeof(expected));
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fmt_version,
			PFM_NEWFMT_SMPL_VERSION);
}

static void known_key_is_counted_in_place(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2);
	overflow(test, 1);
	overflow(test, 2);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, keys_of(d), 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->count, 1);
}

static void sample_without_room_for_key_is_lost(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1);
	overflow(test, 1);
	overflow(test, 2);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, keys_of(d), 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 2);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 1);
}

static void restart_keeps_counts_of_keys(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 2);
}

static void handler_ignores_mapped_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2);
	overflow(test, 1);
	memset(d->buf, 0xff, d->size);
	overflow(test, 1);
	overflow(test, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->count, 1);
	KUNIT_EXPECT_EQ(test, keys_of(d), 2);
}

static struct kunit_case newfmt_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(defaults_of_the_argument_are_accepted),
	KUNIT_CASE(every_byte_of_a_record_is_written),
	KUNIT_CASE(known_key_is_counted_in_place),
	KUNIT_CASE(sample_without_room_for_key_is_lost),
	KUNIT_CASE(restart_keeps_counts_of_keys),
	KUNIT_CASE(handler_ignores_mapped_buffer),
	{}
};

static struct kunit_suite newfmt_suite = {
	.name = "pfm_newfmt",
	.init = newfmt_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = newfmt_cases,
};

kunit_test_suite(newfmt_suite);
