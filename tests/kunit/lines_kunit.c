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

/*
 * Call the handler with a sample that contains @values consecutive PMDs, from
 * @pmd on. Their values are in the array @value.
 */
static void overflow(struct kunit *test, u16 pmd, u16 values, const u64 *value)
{
	struct pfm_ovfl_data data = { .tid = PFM_CALLS_TID };
	struct pfm_fmt_calls *d = test->priv;

	d->arg = (pfm_ovfl_arg_t) { .ovfl_pmd = 3, .num_smpl_pmds = values };
	bitmap_set((unsigned long *)d->arg.smpl_pmds, pmd, values);
	memcpy(d->arg.smpl_pmds_values, value, values * sizeof(*value));
	preempt_disable();
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_handler(d->buf, &d->arg, 0, &data),
			0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void access(struct kunit *test, u64 address, u64 latency)
{
	const u64 values[] = { address, latency };

	overflow(test, PFM_PMD_ADDRESS, 2, values);
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
	static const u64 value = 70;
	struct pfm_fmt_calls *d = test->priv;

	make(test, 0);
	overflow(test, 1, 1, &value);
	overflow(test, PFM_PMD_LATENCY, 1, &value);
	overflow(test, PFM_PMD_ADDRESS, 1, &value);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + PFM_SINK_REGION_OFFS(1), expected,
			   sizeof(expected));
	make(test, 71);
	overflow(test, PFM_PMD_LATENCY, 1, &value);
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
