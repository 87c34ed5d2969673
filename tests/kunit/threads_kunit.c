// SPDX-License-Identifier: GPL-2.0
/*
 * threads_kunit.c - the state of threads in the example format "intervals"
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_threads.h>
#include "../../examples/format_intervals/perfmon_intervals_smpl.h"
#include "sink_calls.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define OFFS	PFM_SINK_REGION_OFFS(1)
/* The number of threads whose state the example format keeps. */
#define THREADS	1024
#define PMD	5

static int threads_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_INTERVALS_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void make(struct kunit *test, u64 min)
{
	pfm_intervals_smpl_arg_t arg = {
		.sink.buf_size = SZ_64K, .min = min, .pmd = PMD,
	};

	pfm_calls_make(test, &arg);
}

/*
 * Make a counter overflow in thread @tid at @tstamp while the recorded PMD has
 * @value.
 */
static void overflow(struct kunit *test, u32 tid, u64 tstamp, u64 value)
{
	struct pfm_ovfl_data data = {
		.ip = tid, .tid = tid, .tgid = PFM_CALLS_TGID,
	};
	struct pfm_fmt_calls *d = test->priv;

	d->arg = (pfm_ovfl_arg_t) { .num_smpl_pmds = 1 };
	bitmap_set((unsigned long *)d->arg.smpl_pmds, PMD, 1);
	d->arg.smpl_pmds_values[0] = value;
	preempt_disable();
	KUNIT_EXPECT_EQ(test,
			d->fmt->fmt_handler(d->buf, &d->arg, tstamp, &data), 0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static u64 evicted_by(const struct pfm_fmt_calls *d)
{
	const pfm_sink_more_t *more = d->buf + PFM_SINK_MORE_OFFS(1);

	return more->more_evicted;
}

static void each_thread_has_its_own_interval(struct kunit *test)
{
	static const pfm_intervals_record_t expected[] = {
		{ .tstamp = 150, .ip = 1, .interval = 50, .counted = 7,
		  .tid = 1, .tgid = PFM_CALLS_TGID },
		{ .tstamp = 180, .ip = 2, .interval = 60, .counted = 2,
		  .tid = 2, .tgid = PFM_CALLS_TGID },
		{ .tstamp = 190, .ip = 1, .interval = 40, .counted = 1,
		  .tid = 1, .tgid = PFM_CALLS_TGID },
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test, 0);
	overflow(test, 1, 100, 10);
	overflow(test, 2, 120, 20);
	overflow(test, 1, 150, 17);
	overflow(test, 2, 180, 22);
	overflow(test, 1, 190, 18);
	KUNIT_EXPECT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_MEMEQ(test, d->buf + OFFS, expected, sizeof(expected));
	KUNIT_EXPECT_EQ(test, skipped_by(d), 2);
}

static void interval_shorter_than_minimum_is_skipped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_intervals_record_t *record;

	make(test, 50);
	overflow(test, 1, 100, 10);
	overflow(test, 1, 149, 11);
	overflow(test, 1, 199, 13);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	record = d->buf + OFFS;
	KUNIT_EXPECT_EQ(test, record->interval, 50ULL);
	KUNIT_EXPECT_EQ(test, record->counted, 2ULL);
}

static void interval_is_at_least_1(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_intervals_record_t *record;

	make(test, 0);
	overflow(test, 1, 100, 0);
	overflow(test, 1, 99, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	record = d->buf + OFFS;
	KUNIT_EXPECT_EQ(test, record->interval, 1ULL);
}

/*
 * Return the first thread ID, starting with @tid, for which the search for the
 * thread's state begins at the last place.
 */
static u32 tid_at_last_place(u32 tid)
{
	const u64 tgid = (u64)PFM_CALLS_TGID << 32;

	while (pfm_threads_hash(tgid | tid, THREADS) != THREADS - 1)
		tid++;
	return tid;
}

static void oldest_thread_nearby_makes_room(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u32 tids[PFM_THREADS_PROBES + 1];
	u64 now = 100;
	int i;

	make(test, 0);
	for (i = 0; i < ARRAY_SIZE(tids); i++)
		tids[i] = tid_at_last_place(i ? tids[i - 1] + 1 : 1);
	for (i = 0; i < PFM_THREADS_PROBES; i++)
		overflow(test, tids[i], now++, 0);
	overflow(test, tids[0], now++, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	KUNIT_EXPECT_EQ(test, evicted_by(d), 0);
	/* The second thread was sampled longest ago, so it is evicted. */
	overflow(test, tids[PFM_THREADS_PROBES], now++, 0);
	KUNIT_EXPECT_EQ(test, evicted_by(d), 1);
	overflow(test, tids[0], now++, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	overflow(test, tids[1], now++, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, evicted_by(d), 2);
}

/*
 * A thread's first sample is skipped, because an earlier one is needed for an
 * interval. Only the last thread is sampled twice.
 */
static void more_threads_than_places_are_counted(struct kunit *test)
{
	const u32 most = THREADS + PFM_THREADS_PROBES - 1, all = 3 * THREADS;
	struct pfm_fmt_calls *d = test->priv;
	u32 tid;

	make(test, 0);
	for (tid = 1; tid <= all; tid++)
		overflow(test, tid, tid, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 0);
	KUNIT_EXPECT_EQ(test, skipped_by(d), all);
	KUNIT_EXPECT_GE(test, evicted_by(d), (u64)all - most);
	KUNIT_EXPECT_LT(test, evicted_by(d), (u64)all);
	overflow(test, all, all + 1, 0);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE(each_thread_has_its_own_interval),
	KUNIT_CASE(interval_shorter_than_minimum_is_skipped),
	KUNIT_CASE(interval_is_at_least_1),
	KUNIT_CASE(oldest_thread_nearby_makes_room),
	KUNIT_CASE(more_threads_than_places_are_counted),
	{}
};

static struct kunit_suite threads_suite = {
	.name = "pfm_threads",
	.init = threads_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = threads_cases,
};
kunit_test_suite(threads_suite);
