// SPDX-License-Identifier: GPL-2.0
/*
 * spans_kunit.c - the example format "spans", which has both a table and a
 * state per thread
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_threads.h>
#include "../../examples/format_spans/perfmon_spans_smpl.h"
#include "sink_calls.h"

#define OFFS	PFM_SINK_REGION_OFFS(1)
/* The number of threads whose state the example format keeps. */
#define THREADS	1024

static int spans_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_SPANS_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void make(struct kunit *test, u64 records)
{
	pfm_sink_arg_t arg = {
		.buf_size = OFFS + records * sizeof(pfm_spans_record_t),
	};

	pfm_calls_make(test, &arg);
}

/* Make @pmd overflow in thread @tid at @tstamp. */
static void overflow(struct kunit *test, u16 pmd, u32 tid, u64 tstamp)
{
	struct pfm_ovfl_data data = { .tid = tid, .tgid = PFM_CALLS_TGID };
	struct pfm_fmt_calls *d = test->priv;

	d->arg = (pfm_ovfl_arg_t) { .ovfl_pmd = pmd };
	preempt_disable();
	KUNIT_EXPECT_EQ(test,
			d->fmt->fmt_handler(d->buf, &d->arg, tstamp, &data), 0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
}

static void spans_between_events_are_summed_by_thread(struct kunit *test)
{
	static const pfm_spans_record_t expected[] = {
		{ .tgid = PFM_CALLS_TGID, .tid = 1, .from = 4, .ovfl_pmd = 5,
		  .count = 2, .sum = 37, .max = 30 },
		{ .tgid = PFM_CALLS_TGID, .tid = 1, .from = 5, .ovfl_pmd = 4,
		  .count = 1, .sum = 100, .max = 100 },
		{ .tgid = PFM_CALLS_TGID, .tid = 2, .from = 5, .ovfl_pmd = 5,
		  .count = 1, .sum = 60, .max = 60 },
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4);
	overflow(test, 4, 1, 100);
	overflow(test, 5, 1, 107);
	overflow(test, 5, 2, 150);
	overflow(test, 4, 1, 207);
	overflow(test, 5, 2, 210);
	overflow(test, 5, 1, 237);
	KUNIT_EXPECT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
	KUNIT_EXPECT_EQ(test, skipped_by(d), 2);
}

/*
 * Add records to the table while the states of many threads are in use. Neither
 * may overwrite the other.
 */
static void table_and_threads_do_not_overlap(struct kunit *test)
{
	const pfm_spans_record_t *records;
	struct pfm_fmt_calls *d = test->priv;
	const u32 threads = THREADS / 2;
	u32 tid;
	u64 i;

	make(test, THREADS);
	records = d->buf + OFFS;
	for (tid = 1; tid <= threads; tid++)
		overflow(test, 4, tid, tid);
	for (tid = 1; tid <= threads; tid++)
		overflow(test, 5, tid, THREADS + tid);
	KUNIT_EXPECT_EQ(test, skipped_by(d), threads);
	KUNIT_EXPECT_EQ(test, records_of(d), threads);
	for (i = 0; i < records_of(d); i++) {
		KUNIT_EXPECT_EQ(test, records[i].from, 4);
		KUNIT_EXPECT_EQ(test, records[i].sum, THREADS);
	}
}

static struct kunit_case spans_cases[] = {
	KUNIT_CASE(spans_between_events_are_summed_by_thread),
	KUNIT_CASE(table_and_threads_do_not_overlap),
	{}
};

static struct kunit_suite spans_suite = {
	.name = "pfm_spans",
	.init = spans_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = spans_cases,
};
kunit_test_suite(spans_suite);
