// SPDX-License-Identifier: GPL-2.0
/*
 * stacks_kunit.c - the stacks format's call-backs, called directly
 *
 * The samples of this suite have no registers, so each call chain consists of
 * the sample's own address. tests/guest/formats/stacks.c records chains of real
 * threads.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_table.h>
#include <perfmon/perfmon_stacks_smpl.h>
#include "sink_calls.h"

#define OFFS	PFM_SINK_REGION_OFFS(1)
#define DEPTH	4
#define KERNEL	0xffffffff81000000ULL
#define CLOCK	5
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)

/* A record with a chain of one address. */
struct short_record {
	pfm_stacks_record_t	head;
	u64			ip;
};

#define RECORD	sizeof(struct short_record)
#define LARGEST	(sizeof(pfm_stacks_record_t) + 2 * DEPTH * sizeof(u64))

static int stacks_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_STACKS_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/* Make a buffer with room for exactly @records short records. */
static void make_with(struct kunit *test, u64 records, u32 per_thread,
		      u32 clock_pmd)
{
	pfm_stacks_smpl_arg_t arg = {
		.sink.buf_size = OFFS + LARGEST + (records - 1) * RECORD,
		.max_depth = DEPTH,
		.per_thread = per_thread,
		.clock_pmd = clock_pmd,
	};

	pfm_calls_make(test, &arg);
}

static void make(struct kunit *test, u64 records, bool per_thread)
{
	make_with(test, records, per_thread, 0);
}

static const pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static const struct short_record *record_of(const struct pfm_fmt_calls *d,
					    u64 i)
{
	return (const struct short_record *)(d->buf + OFFS) + i;
}

/* Record a sample of thread @tid at @ip and @tstamp. */
static void sample_at(struct kunit *test, u64 ip, u32 tid, u64 period,
		      u64 tstamp)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_ovfl_data data = {
		.ip = ip, .tid = tid, .tgid = 11, .state = &d->state,
	};

	d->arg.ovfl_pmd = 3;
	d->arg.active_set = 4;
	d->arg.pmd_last_reset = -period;
	d->arg.ovfl_ctrl.val = 0;
	KUNIT_EXPECT_EQ(test,
			d->fmt->fmt_handler(d->buf, &d->arg, tstamp, &data), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void sample(struct kunit *test, u64 ip, u32 tid, u64 period)
{
	sample_at(test, ip, tid, period, 0);
}

/*
 * Let thread @tid leave the CPU at @ip and @tstamp in @state, after @clock ns
 * of CPU time.
 */
static void leave(struct kunit *test, u64 ip, u32 tid, char state, u64 tstamp,
		  u64 clock)
{
	struct pfm_fmt_calls *d = test->priv;

	d->arg.num_smpl_pmds = 2;
	bitmap_set((unsigned long *)d->arg.smpl_pmds, CLOCK, 1);
	bitmap_set((unsigned long *)d->arg.smpl_pmds, PFM_PMD_STATE, 1);
	d->arg.smpl_pmds_values[0] = clock;
	d->arg.smpl_pmds_values[1] = state;
	sample_at(test, ip, tid, 1, tstamp);
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	static const struct {
		pfm_stacks_smpl_arg_t arg;
		int result;
	} cases[] = {
		{ { { OFFS + LARGEST }, DEPTH }, 0 },
		{ { { OFFS + LARGEST }, DEPTH, .per_thread = 1 }, 0 },
		{ { { OFFS + LARGEST - 1 }, DEPTH }, -EINVAL },
		{ { { SZ_1M, .num_regions = 2 }, DEPTH }, -EINVAL },
		{ { { SZ_1M, .flags = 1 }, DEPTH }, -EINVAL },
		{ { { U64_MAX }, DEPTH }, -EINVAL },
		{ { { SZ_1M }, 0 }, -EINVAL },
		{ { { SZ_1M }, PFM_STACKS_MAX_DEPTH }, 0 },
		{ { { SZ_1M }, PFM_STACKS_MAX_DEPTH + 1 }, -EINVAL },
		{ { { SZ_1M }, DEPTH, .unwind_fd = -1 }, -EINVAL },
		{ { { SZ_1M }, DEPTH, .per_thread = 2 }, -EINVAL },
		{ { { SZ_1M }, DEPTH, .clock_pmd = 1 }, 0 },
		{ { { SZ_1M }, DEPTH, .clock_pmd = PFM_MAX_PMDS }, -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pfm_stacks_smpl_arg_t arg = cases[i].arg;

		KUNIT_EXPECT_EQ_MSG(test, pfm_calls_validate(test, &arg),
				    cases[i].result, "case %u", i);
	}
}

static void stacks_counts_each_chain_in_one_record(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4, false);
	sample(test, 0x1000, 12, 100);
	sample(test, KERNEL, 12, 100);
	sample(test, 0x1000, 13, 250);
	KUNIT_ASSERT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 350);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.ovfl_pmd, 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.set, 4);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.tgid, 11);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.tid, 0);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.num_kernel, 0);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.num_user, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->ip, 0x1000);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.count, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.num_kernel, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.num_user, 0);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->ip, KERNEL);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 1);
}

static void stacks_counts_threads_separately_on_request(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4, true);
	sample(test, 0x1000, 12, 1);
	sample(test, 0x1000, 13, 1);
	sample(test, 0x1000, 12, 1);
	KUNIT_ASSERT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.tid, 12);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.tid, 13);
}

/*
 * Return the intermediate hash of a short record's key: the hash of everything
 * before the address.
 */
static u64 hash_before_ip(u32 tid)
{
	const pfm_stacks_record_t key = {
		.ovfl_pmd = 3, .set = 4, .tgid = 11, .tid = tid, .num_user = 1,
	};

	return ror64(pfm_table_hash((const u64 *)&key.ovfl_pmd, 2), 32);
}

static u64 hash_of(const struct short_record *record)
{
	return pfm_table_hash((const u64 *)&record->head.ovfl_pmd, 3);
}

/* Proves 3.5-05 */
static void stacks_keeps_chains_of_equal_hash_apart(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 first = 0x1000, second;
	u32 tid = 12;

	do
		second = first ^ hash_before_ip(12) ^ hash_before_ip(++tid);
	while ((s64)second < 0);
	make(test, 4, true);
	sample(test, first, 12, 1);
	sample(test, second, tid, 1);
	sample(test, second, tid, 1);
	KUNIT_ASSERT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, hash_of(record_of(d, 0)),
			hash_of(record_of(d, 1)));
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.count, 2);
}

/* Proves 3.5-05 */
static void stacks_loses_new_chains_when_full(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 ip;

	make(test, 4, false);
	for (ip = 0; ip < 6; ip++)
		sample(test, ip, 12, 1);
	KUNIT_EXPECT_EQ(test, records_of(d), 4);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 2);
	/* Samples of recorded chains are still counted. */
	sample(test, 2, 12, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->head.count, 2);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 2);
}

static void stacks_counts_or_loses_each_sample(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 i, sum = 0;

	make(test, 512, false);
	for (i = 0; i < 4096; i++)
		sample(test, KERNEL + (i % 700) * 5, 12, 1);
	for (i = 0; i < records_of(d); i++)
		sum += record_of(d, i)->head.count;
	KUNIT_EXPECT_EQ(test, sum, records_of(d) + hdr_of(d)->hdr_past);
	KUNIT_EXPECT_EQ(test, sum + hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE],
			4096);
	KUNIT_EXPECT_GT(test, records_of(d), 500);
}

static void time_off_cpu_is_that_of_the_stack_that_left(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make_with(test, 8, 1, CLOCK);
	leave(test, 0x1000, 12, 'S', 100, 50);
	/*
	 * The second sample is 200 ns after the first. The thread was on the
	 * CPU for 30 ns of that time.
	 */
	leave(test, 0x2000, 12, 'D', 300, 80);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 170);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.periods, 0);
	leave(test, 0x1000, 12, 'S', 350, 81);
	leave(test, 0x1000, 12, 'R', 450, 91);
	KUNIT_ASSERT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 170 + 90);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.set, 'S');
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.tid, 12);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.periods, 49);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.set, 'D');
	/* The thread has not returned, so its time off CPU is not known. */
	KUNIT_EXPECT_EQ(test, record_of(d, 2)->head.periods, 0);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 1);
}

/* Each thread has its own context, and therefore its own state. */
static void time_between_threads_is_not_counted(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_ovfl_state first;

	make_with(test, 8, 1, CLOCK);
	leave(test, 0x1000, 12, 'S', 100, 0);
	first = d->state;
	d->state = (struct pfm_ovfl_state){};
	leave(test, 0x1000, 13, 'S', 150, 10);
	leave(test, 0x1000, 13, 'S', 400, 110);
	d->state = first;
	leave(test, 0x2000, 12, 'S', 500, 1);
	KUNIT_ASSERT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 399);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->head.periods, 150);
}

static void time_of_threads_is_summed_by_process(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_ovfl_state first;

	make_with(test, 8, 0, CLOCK);
	leave(test, 0x1000, 12, 'S', 100, 0);
	first = d->state;
	d->state = (struct pfm_ovfl_state){};
	leave(test, 0x1000, 13, 'S', 150, 10);
	leave(test, 0x2000, 13, 'S', 400, 110);
	d->state = first;
	leave(test, 0x2000, 12, 'S', 500, 1);
	KUNIT_ASSERT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.tid, 0);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 2);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 399 + 150);
}

/*
 * A thread of a family leaves one CPU, runs on another CPU, and leaves that
 * one, too.
 */
static void time_after_migration_is_in_the_first_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *first = test->priv, *second;

	second = kunit_kzalloc(test, sizeof(*second), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, second);
	make_with(test, 8, 1, CLOCK);
	*second = *first;
	second->base = NULL;
	second->area = NULL;
	test->priv = second;
	make_with(test, 8, 1, CLOCK);
	test->priv = first;
	leave(test, 0x1000, 12, 'S', 100, 50);
	second->state = first->state;
	test->priv = second;
	leave(test, 0x2000, 12, 'D', 300, 80);
	leave(test, 0x3000, 12, 'S', 500, 80);
	KUNIT_EXPECT_EQ(test, records_of(second), 2);
	KUNIT_EXPECT_EQ(test, record_of(second, 0)->head.periods, 200);
	KUNIT_EXPECT_EQ(test, record_of(first, 0)->head.periods, 170);
	pfm_calls_end(test);
	test->priv = first;
	/*
	 * The record sums the times that were measured on both CPUs: 170 + 30.
	 */
	first->state = (struct pfm_ovfl_state){};
	leave(test, 0x1000, 12, 'S', 600, 0);
	leave(test, 0x1000, 12, 'S', 630, 0);
	KUNIT_EXPECT_EQ(test, record_of(first, 0)->head.periods, 200);
	KUNIT_EXPECT_EQ(test, record_of(first, 0)->head.count, 3);
}

static void time_off_cpu_needs_a_context_of_a_thread(struct kunit *test)
{
	pfm_stacks_smpl_arg_t arg = {
		.sink.buf_size = SZ_64K, .max_depth = DEPTH, .per_thread = 1,
		.clock_pmd = CLOCK,
	};
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, d->fmt->fmt_validate(0, 1, &arg), 0);
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_validate(PFM_FL_SYSTEM_WIDE, 1, &arg),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_validate(PFM_FL_INHERIT, 1, &arg), 0);
}

/*
 * First the CPU time increases by more than the time that has passed. Then the
 * CPU time decreases, as if a tool had written the PMD.
 */
static void time_off_cpu_is_never_negative(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make_with(test, 8, 1, CLOCK);
	leave(test, 0x1000, 12, 'S', 100, 100);
	leave(test, 0x1000, 12, 'S', 110, 111);
	leave(test, 0x1000, 12, 'S', 200, 5);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 0);
	leave(test, 0x1000, 12, 'S', 300, 15);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 90);
}

/*
 * Time off CPU that begins at a lost sample is not counted, but time off CPU
 * that begins at the next sample is.
 */
static void time_off_cpu_of_lost_sample_is_not_counted(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make_with(test, 1, 1, CLOCK);
	leave(test, 0x1000, 12, 'S', 100, 0);
	leave(test, 0x2000, 12, 'S', 200, 0);
	leave(test, 0x1000, 12, 'S', 300, 0);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE], 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 100);
	leave(test, 0x1000, 12, 'S', 400, 0);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.periods, 200);
}

static void handler_believes_nothing_that_is_mapped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4, false);
	sample(test, 1, 12, 1);
	sample(test, 1, 12, 1);
	memset(d->buf, 0xff, d->size);
	sample(test, 1, 12, 1);
	sample(test, 2, 12, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0)->head.count, 3);
	KUNIT_EXPECT_EQ(test, record_of(d, 1)->ip, 2);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
}

static struct kunit_case stacks_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(stacks_counts_each_chain_in_one_record),
	KUNIT_CASE(stacks_counts_threads_separately_on_request),
	KUNIT_CASE(stacks_keeps_chains_of_equal_hash_apart),
	KUNIT_CASE(stacks_loses_new_chains_when_full),
	KUNIT_CASE(stacks_counts_or_loses_each_sample),
	KUNIT_CASE(time_off_cpu_is_that_of_the_stack_that_left),
	KUNIT_CASE(time_between_threads_is_not_counted),
	KUNIT_CASE(time_of_threads_is_summed_by_process),
	KUNIT_CASE(time_after_migration_is_in_the_first_buffer),
	KUNIT_CASE(time_off_cpu_needs_a_context_of_a_thread),
	KUNIT_CASE(time_off_cpu_is_never_negative),
	KUNIT_CASE(time_off_cpu_of_lost_sample_is_not_counted),
	KUNIT_CASE(handler_believes_nothing_that_is_mapped),
	{}
};

static struct kunit_suite stacks_suite = {
	.name = "pfm_stacks",
	.init = stacks_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = stacks_cases,
};

kunit_test_suite(stacks_suite);
