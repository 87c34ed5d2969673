// SPDX-License-Identifier: GPL-2.0
/*
 * threshold_kunit.c - the call-backs of the example format that filters
 * samples, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include "../../examples/format_threshold/perfmon_threshold_smpl.h"
#include "sink_calls.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)

static int threshold_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_THRESHOLD_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void make(struct kunit *test, u64 size, u64 min)
{
	pfm_threshold_smpl_arg_t arg = { .sink.buf_size = size, .min = min };

	pfm_calls_make(test, &arg);
}

/*
 * Make @pmd overflow while the recorded PMD has @value. Return: the handler's
 * result.
 */
static int overflow(struct kunit *test, u16 pmd, u64 value)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_ovfl_data data = { .ip = PFM_CALLS_IP(pmd),
				      .tid = PFM_CALLS_TID };
	int ret;

	d->arg = (pfm_ovfl_arg_t) { .ovfl_pmd = pmd, .num_smpl_pmds = 1 };
	d->arg.smpl_pmds_values[0] = value;
	preempt_disable();
	ret = d->fmt->fmt_handler(d->buf, &d->arg, PFM_CALLS_TSTAMP, &data);
	preempt_enable();
	return ret;
}

static const pfm_threshold_record_t *record_of(const struct pfm_fmt_calls *d,
					       u32 i)
{
	const pfm_sink_hdr_t *hdr = d->buf;
	const void *region = d->buf + hdr->hdr_region_offs;

	return (const pfm_threshold_record_t *)region + i;
}

static void differences_below_threshold_are_skipped(struct kunit *test)
{
	static const u64 values[] = { 99, 199, 298, 298, 400 };
	struct pfm_fmt_calls *d = test->priv;
	unsigned int i;

	make(test, SZ_4K, 100);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		KUNIT_EXPECT_EQ(test, overflow(test, 1, values[i]), 0);
		KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	}
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->difference, 100);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->difference, 102);
}

static void each_counter_has_its_own_difference(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, SZ_4K, 100);
	overflow(test, 1, 1000);
	overflow(test, 2, 5000);
	overflow(test, 1, 1100);
	overflow(test, 2, 5099);
	KUNIT_EXPECT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->difference, 100);
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->ip, PFM_CALLS_IP(1));
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->tid, PFM_CALLS_TID);
}

static void threshold_zero_records_without_pmds(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, SZ_4K, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	make(test, SZ_4K, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 0);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 1);
}

static void unwanted_samples_fit_into_full_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, PFM_SINK_REGION_OFFS(1) + sizeof(pfm_threshold_record_t), 9);
	KUNIT_EXPECT_EQ(test, overflow(test, 1, 10), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, HOLD);
	KUNIT_EXPECT_EQ(test, overflow(test, 1, 11), 0);
	KUNIT_EXPECT_EQ(test, overflow(test, 1, 30), -ENOBUFS);
}

static void changed_threshold_filters_next_sample(struct kunit *test)
{
	pfm_threshold_smpl_arg_t arg = { .sink.buf_size = SZ_4K, .min = 100 };
	struct pfm_fmt_calls *d = test->priv;

	pfm_calls_make(test, &arg);
	overflow(test, 1, 50);
	arg.min = 10;
	KUNIT_EXPECT_EQ(test, pfm_calls_set_arg(test, &arg), 0);
	overflow(test, 1, 60);
	overflow(test, 1, 69);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->difference, 10);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 2);
}

static struct kunit_case threshold_cases[] = {
	KUNIT_CASE(differences_below_threshold_are_skipped),
	KUNIT_CASE(each_counter_has_its_own_difference),
	KUNIT_CASE(threshold_zero_records_without_pmds),
	KUNIT_CASE(unwanted_samples_fit_into_full_buffer),
	KUNIT_CASE(changed_threshold_filters_next_sample),
	{}
};

static struct kunit_suite threshold_suite = {
	.name = "pfm_threshold",
	.init = threshold_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = threshold_cases,
};
kunit_test_suite(threshold_suite);
