// SPDX-License-Identifier: GPL-2.0
/*
 * histogram_kunit.c - the histogram format's call-backs, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_table.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include "sink_calls.h"

#define RECORD	sizeof(pfm_histogram_record_t)
#define SLOT	(sizeof(struct pfm_table_slot) + RECORD)
#define OFFS	PFM_SINK_REGION_OFFS(1)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)

static int histogram_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_HISTOGRAM_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/* Create a buffer with room for exactly @keys records. */
static void make(struct kunit *test, u64 keys)
{
	pfm_sink_arg_t arg = { .buf_size = OFFS + keys * RECORD };

	pfm_calls_make(test, &arg);
}

static const pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static const pfm_histogram_record_t *record_of(const struct pfm_fmt_calls *d,
					       u64 i)
{
	return (const pfm_histogram_record_t *)(d->buf + OFFS) + i;
}

/* Call the handler for @times samples at @ip. */
static void samples(struct kunit *test, u64 ip, unsigned int times)
{
	struct pfm_ovfl_data data = { .ip = ip, .tid = 12, .tgid = 11 };
	struct pfm_fmt_calls *d = test->priv;

	d->arg.ovfl_pmd = 3;
	d->arg.active_set = 4;
	while (times--) {
		d->arg.ovfl_ctrl.val = 0;
		KUNIT_EXPECT_EQ(test, d->fmt->fmt_handler(d->buf, &d->arg, 0,
							  &data), 0);
		KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	}
}

static int validate(struct kunit *test, u64 size, u32 regions, u32 flags)
{
	pfm_sink_arg_t arg = { .buf_size = size, .num_regions = regions,
			       .flags = flags };

	return pfm_calls_validate(test, &arg);
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(test, OFFS + RECORD, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, OFFS + RECORD, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, OFFS + RECORD - 1, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 0, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, U64_MAX, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, U64_MAX / 32, 1, 0), -EINVAL);
}

static void histogram_table_has_two_slots_per_record(struct kunit *test)
{
	pfm_sink_arg_t arg = { .buf_size = OFFS + 64 * RECORD };
	size_t size = 0;

	KUNIT_EXPECT_EQ(test, pfm_calls_getpriv(test, &arg, &size), 0);
	KUNIT_EXPECT_EQ(test, size, (128 + PFM_TABLE_PROBES - 1) * SLOT);
	arg.buf_size += RECORD;
	KUNIT_EXPECT_EQ(test, pfm_calls_getpriv(test, &arg, &size), 0);
	KUNIT_EXPECT_EQ(test, size, (130 + PFM_TABLE_PROBES - 1) * SLOT);
}

static void histogram_counts_each_key_in_one_record(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 8);
	samples(test, 0x1000, 1);
	samples(test, 0x2000, 3);
	samples(test, 0x1000, 4);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->ovfl_pmd, 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->set, 4);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->tgid, 11);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->ip, 0x1000);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 5);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->ip, 0x2000);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->count, 3);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 6);
}

static void histogram_loses_new_keys_when_full(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 ip;

	make(test, 4);
	for (ip = 0; ip < 6; ip++)
		samples(test, ip, 1);
	KUNIT_EXPECT_EQ(test, records_of(d), 4);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 2);
	/* Samples of recorded keys are still counted. */
	samples(test, 2, 5);
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->count, 6);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 2);
}

/*
 * The counts of the recorded keys and the lost samples add up to the number of
 * all samples.
 */
static void histogram_counts_or_loses_each_sample(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 i, sum = 0;

	make(test, 512);
	for (i = 0; i < 4096; i++)
		samples(test, 0xffffffff81000000 + (i % 700) * 5, 1);
	for (i = 0; i < records_of(d); i++)
		sum += record_of(d, i)->count;
	KUNIT_EXPECT_EQ(test, sum, records_of(d) + hdr_of(d)->hdr_past);
	KUNIT_EXPECT_EQ(test, sum + hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE],
			4096);
	KUNIT_EXPECT_GT(test, records_of(d), 450);
}

static void histogram_restart_keeps_counts(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4);
	samples(test, 1, 2);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	samples(test, 1, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 4);
}

static void handler_believes_nothing_that_is_mapped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4);
	samples(test, 1, 2);
	memset(d->buf, 0xff, OFFS + 4 * RECORD);
	samples(test, 1, 1);
	samples(test, 2, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->count, 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->ip, 2);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
}

static struct kunit_case histogram_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(histogram_table_has_two_slots_per_record),
	KUNIT_CASE(histogram_counts_each_key_in_one_record),
	KUNIT_CASE(histogram_loses_new_keys_when_full),
	KUNIT_CASE(histogram_counts_or_loses_each_sample),
	KUNIT_CASE(histogram_restart_keeps_counts),
	KUNIT_CASE(handler_believes_nothing_that_is_mapped),
	{}
};

static struct kunit_suite histogram_suite = {
	.name = "pfm_histogram",
	.init = histogram_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = histogram_cases,
};

kunit_test_suite(histogram_suite);
