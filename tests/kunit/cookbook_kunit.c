// SPDX-License-Identifier: GPL-2.0
/*
 * cookbook_kunit.c - the call-backs of the example formats chains, mispredicts,
 * sharing and slowest, called directly
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/sizes.h>
#include "../../examples/format_mispredicts/perfmon_mispredicts_smpl.h"
#include "../../examples/format_sharing/perfmon_sharing_smpl.h"
#include "../../examples/format_slowest/perfmon_slowest_smpl.h"
#include "../../examples/format_chains/perfmon_chains_smpl.h"
#include "sink_calls.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define EVENT	77
#define PMD	3
#define OFFS	PFM_SINK_REGION_OFFS(1)

static const u64 a_write = PERF_MEM_S(OP, STORE);

/*
 * Call the handler for an overflow of @pmd in thread @tid. The sample contains
 * @n PMDs.
 */
static void overflow(struct kunit *test, u16 pmd, u32 tid,
		     const struct pfm_calls_value *values, u16 n)
{
	struct pfm_fmt_calls *d = test->priv;

	d->tid = tid;
	d->arg.pmd_eventid = EVENT;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, pmd, values, n), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void access(struct kunit *test, u64 address, u32 tid, u64 source)
{
	const struct pfm_calls_value values[] = {
		{ PFM_PMD_ADDRESS, address }, { PFM_PMD_SOURCE, source },
	};

	overflow(test, PMD, tid, values, ARRAY_SIZE(values));
}

static int mispredicts_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_MISPREDICTS_SMPL_UUID;
	pfm_sink_arg_t arg = { .buf_size = SZ_4K };
	int ret = pfm_calls_init(test, uuid);

	return ret ?: pfm_calls_try(test, &arg);
}

/*
 * Sample branches. Branch n leads from address n to 100 + n, and is
 * mispredicted if bit n of @mask is set.
 */
static void branches(struct kunit *test, u32 mask)
{
	struct pfm_calls_value values[3 * PFM_BRANCHES];
	struct pfm_calls_value *from = values, *to = from + PFM_BRANCHES;
	struct pfm_calls_value *flags = to + PFM_BRANCHES;
	u32 n;

	for (n = 0; n < PFM_BRANCHES; n++) {
		from[n].pmd = PFM_PMD_BRANCH_FROM(n);
		from[n].value = n;
		to[n].pmd = PFM_PMD_BRANCH_TO(n);
		to[n].value = 100 + n;
		flags[n].pmd = PFM_PMD_BRANCH_FLAGS(n);
		flags[n].value = mask & BIT(n) ? 1 : 2;
	}
	overflow(test, PMD, 12, values, ARRAY_SIZE(values));
}

static void newest_mispredicted_branch_is_counted(struct kunit *test)
{
	static const pfm_mispredicts_record_t expected[] = {
		{ .branch_to = 102, .branch_from = 2, .tgid = PFM_CALLS_TGID,
		  .event = EVENT, .count = 2 },
		{ .branch_to = 107, .branch_from = 7, .tgid = PFM_CALLS_TGID,
		  .event = EVENT, .count = 1 },
	};
	struct pfm_fmt_calls *d = test->priv;

	branches(test, BIT(2) | BIT(3));
	branches(test, BIT(7));
	branches(test, BIT(2));
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
}

static void predicted_branches_are_skipped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	branches(test, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 0);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 1);
}

static void branch_without_flags_is_counted(struct kunit *test)
{
	static const pfm_mispredicts_record_t expected = {
		.branch_from = 5, .tgid = PFM_CALLS_TGID, .event = EVENT,
		.count = 1,
	};
	static const struct pfm_calls_value from = {
		PFM_PMD_BRANCH_FROM(0), 5
	};
	struct pfm_fmt_calls *d = test->priv;

	overflow(test, PMD, 12, &from, 1);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, &expected, sizeof(expected));
}

static int sharing_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_SHARING_SMPL_UUID;
	pfm_sink_arg_t arg = { .buf_size = SZ_4K };
	int ret = pfm_calls_init(test, uuid);

	return ret ?: pfm_calls_try(test, &arg);
}

static void threads_of_a_process_are_compared(struct kunit *test)
{
	static const pfm_sharing_record_t expected[] = {
		{ .line = 0x1000, .tgid = PFM_CALLS_TGID, .event = EVENT,
		  .count = 4, .min_tid = 11, .max_tid = 13, .min_offset = 0,
		  .max_offset = 63 },
		{ .line = 0x1040, .tgid = PFM_CALLS_TGID, .event = EVENT,
		  .count = 2, .min_tid = 12, .max_tid = 12, .min_offset = 8,
		  .max_offset = 16 },
	};
	struct pfm_fmt_calls *d = test->priv;

	access(test, 0x1008, 12, a_write);
	access(test, 0x1048, 12, a_write);
	access(test, 0x103f, 11, a_write);
	access(test, 0x1050, 12, a_write);
	access(test, 0x1000, 13, a_write);
	access(test, 0x1010, 12, a_write);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
}

static void processes_do_not_share_lines(struct kunit *test)
{
	static const pfm_sharing_record_t expected[] = {
		{ .line = 0x1000, .tgid = 11, .event = EVENT, .count = 1,
		  .min_tid = 12, .max_tid = 12, .min_offset = 8,
		  .max_offset = 8 },
		{ .line = 0x1000, .tgid = 13, .event = EVENT, .count = 1,
		  .min_tid = 13, .max_tid = 13, .min_offset = 16,
		  .max_offset = 16 },
	};
	struct pfm_fmt_calls *d = test->priv;

	d->tgid = 11;
	access(test, 0x1008, 12, a_write);
	d->tgid = 13;
	access(test, 0x1010, 13, a_write);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
}

static void reads_are_skipped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	access(test, 0x1000, 12, PERF_MEM_S(OP, LOAD));
	access(test, 0x1000, 12, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 0);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 2);
}

static void access_without_source_is_a_write(struct kunit *test)
{
	static const pfm_sharing_record_t expected = {
		.line = 0x1000, .tgid = PFM_CALLS_TGID, .event = EVENT,
		.count = 1, .min_tid = 12, .max_tid = 12, .min_offset = 4,
		.max_offset = 4,
	};
	static const struct pfm_calls_value address = {
		PFM_PMD_ADDRESS, 0x1004
	};
	struct pfm_fmt_calls *d = test->priv;

	overflow(test, PMD, 12, &address, 1);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, &expected, sizeof(expected));
}

static int slowest_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_SLOWEST_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void keep(struct kunit *test, u64 number)
{
	pfm_slowest_smpl_arg_t arg = {
		.sink.buf_size = SZ_64K, .keep = number,
	};

	pfm_calls_make(test, &arg);
}

static void take(struct kunit *test, u64 latency)
{
	const struct pfm_calls_value values[] = {
		{ PFM_PMD_ADDRESS, 2 * latency }, { PFM_PMD_LATENCY, latency },
	};

	overflow(test, PMD, 12, values, ARRAY_SIZE(values));
}

static void slowest_so_far_are_recorded(struct kunit *test)
{
	static const u64 latencies[] = { 5, 0, 9, 5, 7, 7, 8, 9, 9, 10 };
	static const u64 expected[] = { 5, 0, 9, 7, 8, 9, 10 };
	struct pfm_fmt_calls *d = test->priv;
	const pfm_slowest_record_t *record;
	u32 i;

	keep(test, 2);
	for (i = 0; i < ARRAY_SIZE(latencies); i++)
		take(test, latencies[i]);
	record = d->buf + OFFS;
	KUNIT_ASSERT_EQ(test, records_of(d), ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ(test, record[i].latency, expected[i]);
	KUNIT_EXPECT_EQ(test, skipped_by(d), 3);
}

static void each_byte_of_a_slow_record_is_written(struct kunit *test)
{
	static const pfm_slowest_record_t expected = {
		.tstamp = PFM_CALLS_TSTAMP, .ip = PFM_CALLS_IP(PMD), .addr = 14,
		.latency = 7, .tid = 12, .tgid = PFM_CALLS_TGID,
		.ovfl_pmd = PMD,
	};
	struct pfm_fmt_calls *d = test->priv;

	keep(test, 1);
	memset(d->buf + OFFS, 0xff, sizeof(expected));
	take(test, 7);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, &expected, sizeof(expected));
}

/*
 * Take 100 samples with decreasing latencies while the format keeps the @number
 * slowest. Check that there are @expected records.
 */
static void count(struct kunit *test, u64 number, u64 expected)
{
	u64 i;

	keep(test, number);
	for (i = 0; i < 100; i++)
		take(test, 100 - i);
	KUNIT_EXPECT_EQ(test, records_of(test->priv), expected);
}

static void number_to_keep_is_limited(struct kunit *test)
{
	count(test, 0, 1);
	count(test, 64, 64);
	count(test, 65, 64);
	count(test, U64_MAX, 64);
}

static int chains_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_CHAINS_SMPL_UUID;
	pfm_sink_arg_t arg = { .buf_size = SZ_4K };
	int ret = pfm_calls_init(test, uuid);

	return ret ?: pfm_calls_try(test, &arg);
}

/*
 * User-mode Linux, on which this suite also runs, has no call chains.
 * tests/vm/test_cookbook.py tests samples with chains.
 */
static void sample_without_stack_has_its_address(struct kunit *test)
{
	static const pfm_chains_record_t expected[] = {
		{ .event = EVENT, .tgid = PFM_CALLS_TGID, .num_chain = 1,
		  .chain[0] = PFM_CALLS_IP(PMD), .count = 2 },
		{ .event = EVENT, .tgid = PFM_CALLS_TGID, .num_chain = 1,
		  .chain[0] = PFM_CALLS_IP(4), .count = 1 },
	};
	struct pfm_fmt_calls *d = test->priv;

	overflow(test, PMD, 12, NULL, 0);
	overflow(test, 4, 12, NULL, 0);
	overflow(test, PMD, 13, NULL, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
}

static struct kunit_case mispredicts_cases[] = {
	KUNIT_CASE(newest_mispredicted_branch_is_counted),
	KUNIT_CASE(predicted_branches_are_skipped),
	KUNIT_CASE(branch_without_flags_is_counted),
	{}
};

static struct kunit_case sharing_cases[] = {
	KUNIT_CASE(threads_of_a_process_are_compared),
	KUNIT_CASE(processes_do_not_share_lines),
	KUNIT_CASE(reads_are_skipped),
	KUNIT_CASE(access_without_source_is_a_write),
	{}
};

static struct kunit_case slowest_cases[] = {
	KUNIT_CASE(slowest_so_far_are_recorded),
	KUNIT_CASE(each_byte_of_a_slow_record_is_written),
	KUNIT_CASE(number_to_keep_is_limited),
	{}
};

static struct kunit_case chains_cases[] = {
	KUNIT_CASE(sample_without_stack_has_its_address),
	{}
};

static struct kunit_suite mispredicts_suite = {
	.name = "pfm_mispredicts",
	.init = mispredicts_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = mispredicts_cases,
};

static struct kunit_suite sharing_suite = {
	.name = "pfm_sharing",
	.init = sharing_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = sharing_cases,
};

static struct kunit_suite slowest_suite = {
	.name = "pfm_slowest",
	.init = slowest_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = slowest_cases,
};

static struct kunit_suite chains_suite = {
	.name = "pfm_chains",
	.init = chains_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = chains_cases,
};

kunit_test_suites(&mispredicts_suite, &sharing_suite, &slowest_suite,
		  &chains_suite);
