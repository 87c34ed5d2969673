// SPDX-License-Identifier: GPL-2.0
/*
 * lines_kunit.c - the call-backs of the example format that sums latencies by
 * cache line, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include "../../examples/format_lines/perfmon_lines_smpl.h"
#include "sink_calls.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)

static int lines_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_LINES_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void make(struct kunit *test, u64 min)
{
	pfm_lines_smpl_arg_t arg = { .sink.buf_size = SZ_4K, .min = min };

	pfm_calls_make(test, &arg);
}

/* Call the handler with a sample that contains @n PMDs. */
static void overflow(struct kunit *test, const struct pfm_calls_value *values,
		     u16 n)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, 3, values, n), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void access(struct kunit *test, u64 address, u64 latency)
{
	const struct pfm_calls_value values[] = {
		{ PFM_PMD_ADDRESS, address }, { PFM_PMD_LATENCY, latency },
	};

	overflow(test, values, ARRAY_SIZE(values));
}

static void accesses_of_a_line_are_summed(struct kunit *test)
{
	static const pfm_lines_record_t expected[] = {
		{ .line = 0x1000, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 3, .sum = 60, .max = 30 },
		{ .line = 0x1040, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 1, .sum = 5, .max = 5 },
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test, 0);
	access(test, 0x1000, 10);
	access(test, 0x1040, 5);
	access(test, 0x103f, 30);
	access(test, 0x1008, 20);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), expected,
			   sizeof(expected));
}

static void fast_accesses_are_skipped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 100);
	access(test, 0x1000, 99);
	access(test, 0x2000, 100);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 1);
}

static void missing_data_are_0(struct kunit *test)
{
	static const pfm_lines_record_t expected[] = {
		{ .line = 0, .tid = PFM_CALLS_TID, .ovfl_pmd = 3,
		  .count = 2, .sum = 70, .max = 70 },
		{ .line = 64, .tid = PFM_CALLS_TID, .ovfl_pmd = 3, .count = 1 },
	};
	static const struct pfm_calls_value other = { 1, 70 };
	static const struct pfm_calls_value latency = { PFM_PMD_LATENCY, 70 };
	static const struct pfm_calls_value address = { PFM_PMD_ADDRESS, 70 };
	struct pfm_fmt_calls *d = test->priv;

	make(test, 0);
	overflow(test, &other, 1);
	overflow(test, &latency, 1);
	overflow(test, &address, 1);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), expected,
			   sizeof(expected));
	make(test, 71);
	overflow(test, &latency, 1);
	KUNIT_EXPECT_EQ(test, records_of(d), 0);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 1);
}

static struct kunit_case lines_cases[] = {
	KUNIT_CASE(accesses_of_a_line_are_summed),
	KUNIT_CASE(fast_accesses_are_skipped),
	KUNIT_CASE(missing_data_are_0),
	{}
};

static struct kunit_suite lines_suite = {
	.name = "pfm_lines",
	.init = lines_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = lines_cases,
};

kunit_test_suite(lines_suite);
