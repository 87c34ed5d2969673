// SPDX-License-Identifier: GPL-2.0
/*
 * flight_kunit.c - the flight format's call-backs, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_fmt_kunit.h>

#define RECORD	sizeof(pfm_flight_record_t)
#define OFFS	PFM_SINK_REGION_OFFS(2)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)

static int flight_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_FLIGHT_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static int validate(struct kunit *test, u64 size, u32 regions, u32 flags)
{
	pfm_sink_arg_t arg = { .buf_size = size, .num_regions = regions,
			       .flags = flags };

	return pfm_calls_validate(test, &arg);
}

/* The size of a region that is full with two records without PMDs. */
static u64 region_size(void)
{
	return 2 * RECORD + 8 * pfm_num_pmds();
}

static void make(struct kunit *test)
{
	pfm_sink_arg_t arg = { .buf_size = OFFS + 2 * region_size(),
			       .num_regions = 2,
			       .flags = PFM_SINK_OVERWRITE };

	pfm_calls_make(test, &arg);
}

/* Let @pmd overflow. Return: the control bits of the handler. */
static u32 overflow(struct kunit *test, u16 pmd, bool notify)
{
	struct pfm_fmt_calls *d = test->priv;

	d->arg.ovfl_notify = notify;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, 0), 0);
	return d->arg.ovfl_ctrl.val;
}

static const pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static const pfm_flight_record_t *record_of(const struct pfm_fmt_calls *d,
					    u32 region, u32 i)
{
	void *first = d->buf + OFFS + region * hdr_of(d)->hdr_region_size;

	return (const pfm_flight_record_t *)first + i;
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	const u32 over = PFM_SINK_OVERWRITE;

	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, over), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 64, over), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, over), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 65, over), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, over | 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, OFFS, 2, over), -EINVAL);
}

static void flight_record_has_all_fields(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_flight_record_t *record;
	const u64 *values;

	make(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 5, 2), 0);
	record = record_of(d, 0, 0);
	values = (const u64 *)(record + 1);
	KUNIT_EXPECT_EQ(test, record->tstamp, PFM_CALLS_TSTAMP);
	KUNIT_EXPECT_EQ(test, record->ip, PFM_CALLS_IP(5));
	KUNIT_EXPECT_EQ(test, record->tid, PFM_CALLS_TID);
	KUNIT_EXPECT_EQ(test, record->tgid, PFM_CALLS_TGID);
	KUNIT_EXPECT_EQ(test, record->ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, record->cpu, PFM_CALLS_CPU);
	KUNIT_EXPECT_EQ(test, record->set, PFM_CALLS_SET);
	KUNIT_EXPECT_EQ(test, record->num_pmds, 2);
	KUNIT_EXPECT_EQ(test, values[0], PFM_CALLS_VALUE(0));
	KUNIT_EXPECT_EQ(test, values[1], PFM_CALLS_VALUE(1));
}

static void flight_overwrites_oldest_records(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u16 i;

	make(test);
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, overflow(test, i, false), GO_ON);
	/* Each region has two records: 8 replaced 4. */
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 8);
	KUNIT_EXPECT_EQ(test, record_of(d, 1, 1)->ovfl_pmd, 7);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 6);
}

static void flight_notification_holds_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	overflow(test, 1, false);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, true), HOLD);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 1)->ovfl_pmd, 2);
	/* The restart empties the buffer. */
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 2);
	KUNIT_EXPECT_EQ(test, overflow(test, 3, false), GO_ON);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 3);
}

static void handler_believes_nothing_that_is_mapped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	memset(d->buf, 0xff, OFFS + 2 * region_size());
	KUNIT_EXPECT_EQ(test, overflow(test, 1, false), GO_ON);
	KUNIT_EXPECT_EQ(test,
			((pfm_flight_record_t *)(d->buf + OFFS))->ovfl_pmd, 1);
}

static struct kunit_case flight_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(flight_record_has_all_fields),
	KUNIT_CASE(flight_overwrites_oldest_records),
	KUNIT_CASE(flight_notification_holds_buffer),
	KUNIT_CASE(handler_believes_nothing_that_is_mapped),
	{}
};

static struct kunit_suite flight_suite = {
	.name = "pfm_flight",
	.init = flight_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = flight_cases,
};

kunit_test_suite(flight_suite);
