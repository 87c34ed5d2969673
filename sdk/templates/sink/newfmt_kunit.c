// SPDX-License-Identifier: GPL-2.0
/*
 * newfmt_kunit.c - tests the call-backs of the format
 *
 * Copyright YEAR AUTHOR
 */
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_newfmt_smpl.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define TELL	((u32)(PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY))
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)
#define PMD	1

static int newfmt_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_NEWFMT_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/* Return the size of a record with the values of all PMDs. */
static u64 largest(void)
{
	return sizeof(pfm_newfmt_record_t) +
	       pfm_num_pmds() * sizeof(u64);
}

/* Return an argument for regions with space for this number of records each. */
static pfm_newfmt_arg_t
argument(struct kunit *test, u32 regions, u64 records)
{
	pfm_newfmt_arg_t arg;

	pfm_calls_defaults(test, &arg);
	arg.sink.buf_size = PFM_SINK_REGION_OFFS(regions) +
			    regions * records * largest();
	arg.sink.num_regions = regions;
	return arg;
}

static void make(struct kunit *test, u32 regions, u64 records)
{
	pfm_newfmt_arg_t arg = argument(test, regions, records);

	pfm_calls_make(test, &arg);
}

static pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static pfm_sink_rgn_t *rgn_of(const struct pfm_fmt_calls *d, u32 n)
{
	return (pfm_sink_rgn_t *)(hdr_of(d) + 1) + n;
}

static void *region_of(const struct pfm_fmt_calls *d, u32 n)
{
	const pfm_sink_hdr_t *hdr = hdr_of(d);

	return d->buf + hdr->hdr_region_offs + n * hdr->hdr_region_size;
}

/* Cause an overflow that records all PMDs. Return: the control bits. */
static u32 overflow(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, PMD, pfm_num_pmds()), 0);
	return d->arg.ovfl_ctrl.val;
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	pfm_newfmt_arg_t arg = argument(test, 2, 1);

	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.sink.buf_size--;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg = argument(test, PFM_SINK_MAX_REGIONS + 1, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg = argument(test, 2, 1);
	arg.sink.flags = PFM_SINK_ALL + 1;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
}

static void defaults_of_the_argument_are_accepted(struct kunit *test)
{
	const struct pfm_fmt_calls *d = test->priv;
	pfm_newfmt_arg_t arg;

	KUNIT_ASSERT_EQ(test, d->fmt->fmt_arg_size, sizeof(arg));
	pfm_calls_defaults(test, &arg);
	KUNIT_EXPECT_EQ(test, arg.sink.num_regions, NUM_REGIONS);
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
}

static void every_byte_of_a_record_is_written(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	static const struct pfm_calls_value values[] = {
		SAMPLED_VALUES
	};
	static const pfm_newfmt_record_t expected = {
		RECORD_EXPECTED
	};
	const pfm_newfmt_record_t *record;
	const u64 *pmds;
	u32 i;

	make(test, 1, 2);
	record = region_of(d, 0);
	pmds = (const u64 *)(record + 1);
	memset(region_of(d, 0), 0xff, largest());
	d->arg.pmd_eventid = 77;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, PMD, values,
						      ARRAY_SIZE(values)), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	KUNIT_EXPECT_MEMEQ(test, record, &expected, sizeof(expected));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		KUNIT_EXPECT_EQ(test, pmds[i], values[i].value);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_used,
			sizeof(expected) + sizeof(u64) * i);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fmt_version,
			PFM_NEWFMT_SMPL_VERSION);
}

static void last_record_masks_monitoring(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 2);
	KUNIT_EXPECT_EQ(test, overflow(test), GO_ON);
	KUNIT_EXPECT_EQ(test, overflow(test), HOLD);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 2);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_READY);
}

static void sample_without_room_is_lost(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 1);
	overflow(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, PMD, 0), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, HOLD);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_FULL], 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1);
}

static void restart_empties_full_region(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 2);
	overflow(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 0);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 2);
	KUNIT_EXPECT_EQ(test, overflow(test), GO_ON);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1);
}

static void active_restart_keeps_partial_region(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 2);
	overflow(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1);
}

static void several_regions_are_handed_out_in_turn(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 1);
	KUNIT_EXPECT_EQ(test, overflow(test), TELL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_READY);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, overflow(test), TELL);
	KUNIT_EXPECT_EQ(test, overflow(test), HOLD);
}

static void handler_believes_nothing_in_the_mapped_header(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_newfmt_record_t *second;

	make(test, 2, 1);
	second = region_of(d, 1);
	memset(d->buf, 0xff, hdr_of(d)->hdr_region_offs);
	KUNIT_EXPECT_EQ(test, overflow(test), TELL);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, overflow(test), TELL);
	KUNIT_EXPECT_EQ(test, second->ip, PFM_CALLS_IP(PMD));
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 2);
}

static struct kunit_case newfmt_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(defaults_of_the_argument_are_accepted),
	KUNIT_CASE(every_byte_of_a_record_is_written),
	KUNIT_CASE(last_record_masks_monitoring),
	KUNIT_CASE(sample_without_room_is_lost),
	KUNIT_CASE(restart_empties_full_region),
	KUNIT_CASE(active_restart_keeps_partial_region),
	KUNIT_CASE(several_regions_are_handed_out_in_turn),
	KUNIT_CASE(handler_believes_nothing_in_the_mapped_header),
	{}
};

static struct kunit_suite newfmt_suite = {
	.name = "pfm_newfmt",
	.init = newfmt_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = newfmt_cases,
};

kunit_test_suite(newfmt_suite);
