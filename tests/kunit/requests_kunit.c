// SPDX-License-Identifier: GPL-2.0
/*
 * requests_kunit.c - the call-backs of the example format that sums a PMD's
 * values per request, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include "../../examples/format_requests/perfmon_requests_smpl.h"
#include "sink_calls.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)

static int requests_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_REQUESTS_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static int try(struct kunit *test, u32 id, u32 pmd)
{
	pfm_requests_smpl_arg_t arg = {
		.sink.buf_size = SZ_4K, .id = id, .pmd = pmd,
	};

	return pfm_calls_try(test, &arg);
}

/*
 * Make a counter overflow while PMD1 has the value @value and PMD2 the value
 * @request.
 */
static void overflow(struct kunit *test, u64 value, u64 request)
{
	const struct pfm_calls_value values[] = {
		{ 1, value }, { 2, request },
	};
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, 3, values, 2), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void values_of_a_request_are_summed(struct kunit *test)
{
	static const pfm_requests_record_t expected[] = {
		{ .request = 7, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 3, .sum = 60, .min = 10, .max = 30 },
		{ .request = 8, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 1, .sum = 5, .min = 5, .max = 5 },
	};
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_ASSERT_EQ(test, try(test, 2, 1), 0);
	overflow(test, 20, 7);
	overflow(test, 5, 8);
	overflow(test, 30, 7);
	overflow(test, 10, 7);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), expected,
			   sizeof(expected));
}

static void missing_pmds_are_0(struct kunit *test)
{
	static const pfm_requests_record_t expected[] = {
		{ .request = 7, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 1 },
	}, without_id[] = {
		{ .request = 0, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 1, .sum = 20, .min = 20, .max = 20 },
	};
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_ASSERT_EQ(test, try(test, 2, 3), 0);
	overflow(test, 20, 7);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), expected,
			   sizeof(expected));
	KUNIT_ASSERT_EQ(test, try(test, 3, 1), 0);
	overflow(test, 20, 7);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), without_id,
			   sizeof(without_id));
}

/*
 * The PMD numbers are out of range, but their lower 16 bits name sampled PMDs.
 */
static void pmds_out_of_range_are_0(struct kunit *test)
{
	static const pfm_requests_record_t expected = {
		.tid = PFM_CALLS_TID, .ovfl_pmd = 3, .count = 1,
	};
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_ASSERT_EQ(test, try(test, SZ_64K + 2, SZ_64K + 1), 0);
	overflow(test, 20, 7);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), &expected,
			   sizeof(expected));
}

static struct kunit_case requests_cases[] = {
	KUNIT_CASE(values_of_a_request_are_summed),
	KUNIT_CASE(missing_pmds_are_0),
	KUNIT_CASE(pmds_out_of_range_are_0),
	{}
};

static struct kunit_suite requests_suite = {
	.name = "pfm_requests",
	.init = requests_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = requests_cases,
};

kunit_test_suite(requests_suite);
