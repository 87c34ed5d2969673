// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * value.c - 64-bit values of counters, and reset values (specification 3.1.3,
 *	     3.4.1, 3.4.2)
 */
#define _GNU_SOURCE
#include <limits.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		5
#define SAMPLES		40
#define BIG_BUFFER	(1 << 18)
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

#define RANDOM_MASK	0x1f

/* Proves 3.1.4-18, 3.1.5-04, 4.3.2-03 */
TEST(counter_counts_every_event)
{
	int fd = ctx_counting();

	ctx_start_here(fd);
	for (unsigned int n = 1; n <= 1000; n++) {
		touch_pages(1, NULL);
		CHECK_EQ(ctx_read(fd, 0), n);
	}
}

/* Proves P4.1-07 */
TEST(all_counters_count_at_once)
{
	int fd = ctx_new(0);

	for (int i = 0; i < 16; i++)
		ctx_add_counter(fd, i, 0, 1000 * i);
	ctx_start_here(fd);
	touch_pages(50, NULL);
	for (int i = 0; i < 16; i++)
		CHECK_EQ(ctx_read(fd, i), 50 - 1000ULL * i);
}

/* Proves 3.1.3-08, 3.1.3-09, 3.1.4-13, P4.3-02, H14 */
TEST(counters_have_64_bits)
{
	pfarg_pmd_t pmd = { .reg_value = 0x123456789ffffffeULL };
	int fd = ctx_counting();

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_EQ(ctx_read(fd, 0), 0x123456789ffffffeULL);
	ctx_start_here(fd);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0x12345678a0000003ULL);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_EQ(ctx_read(fd, 0), 0x12345678a0000003ULL);
}

/* Proves 3.1.2-09, 3.1.3-13, 3.4.3-01, 3.4.3-02 */
TEST(counter_without_notification_wraps)
{
	int fd = ctx_new(0);

	ctx_add_counter(fd, 0, 0, PERIOD);
	ctx_start_here(fd);
	touch_pages(PERIOD + 3, NULL);
	CHECK_EQ(ctx_read(fd, 0), 3);
	ctx_expect_no_message(fd);
}

#define VALUES	100	/* number of different values to read */

/* Proves 3.1.4-13, 3.1.4-20 */
TEST(other_threads_can_be_read_while_they_run)
{
	unsigned long before, after;
	int fd = ctx_counting();
	__u64 value = 0, last;
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	for (int values = 0; values < VALUES; values += value > last) {
		last = value;
		before = worker_progress(&w);
		value = ctx_read(fd, 0);
		after = worker_progress(&w);
		/*
		 * A page fault is counted before the worker has recorded it as
		 * progress.
		 */
		CHECK(value >= before && value <= after + 1);
		CHECK(value >= last);
	}
	worker_kill(&w);
}

/* Reset values */

/*
 * Proves 3.1.2-10, 3.1.3-11, 3.1.3-13, 3.4.1-01, 3.4.1-03, 3.4.1-04, 3.4.1-06,
 * 3.4.1-07, 3.4.1-11, 3.6.4-06, 3.6.5-14, P5.1-02
 */
TEST(initial_short_and_long_periods)
{
	struct counter c = counter(0, NOTIFY, 10);
	struct smpl s = smpl_new_for(0, 3, 0);

	c.pmd.reg_short_reset = -4ULL;
	c.pmd.reg_long_reset = -20ULL;
	smpl_start(&c, s);
	touch_pages(10 + 4 + 4, NULL);
	CHECK_EQ(s.hdr->hdr_count, 3);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -10ULL);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -4ULL);
	CHECK_EQ(smpl_entry(&s, 2, 0)->last_reset_val, -4ULL);
	CHECK_OK(pfm_restart(s.fd));
	touch_pages(20 + 4 - 1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 1);
	touch_pages(1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -20ULL);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -4ULL);
}

/* Proves 3.4.1-05 */
TEST(period_can_be_changed_while_it_runs)
{
	struct counter c = counter(0, 0, 20);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(5, NULL);
	c.pmd.reg_value = -3ULL;
	CHECK_OK(pfm_write_pmds(s.fd, &c.pmd, 1));
	touch_pages(2, NULL);
	CHECK_EQ(s.hdr->hdr_count, 0);
	touch_pages(1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -3ULL);
	/* The write has changed only the current period. */
	touch_pages(19, NULL);
	CHECK_EQ(s.hdr->hdr_count, 1);
	touch_pages(1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -20ULL);
}

/*
 * Return the number after @x from Carta's random number generator
 * (specification 3.4.2).
 */
static __u32 next_random(__u32 x)
{
	return 16807ULL * x % 0x7fffffff;
}

static void expect_random_periods(__u32 seed, __u32 first)
{
	struct counter c = counter(0, PFM_REGFL_RANDOM, 40);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	__u32 random = first;

	c.pmd.reg_random_mask = RANDOM_MASK;
	c.pmd.reg_random_seed = seed;
	smpl_start(&c, s);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		__u64 start = -40ULL;

		if (i) {
			random = next_random(random);
			start += random & RANDOM_MASK;
		}
		touch_pages(-start - 1, NULL);
		CHECK_EQ(s.hdr->hdr_count, i);
		touch_pages(1, NULL);
		CHECK_EQ(s.hdr->hdr_count, i + 1);
		CHECK_EQ(smpl_entry(&s, i, 0)->last_reset_val, start);
	}
	close(s.fd);
}

/*
 * Proves 3.1.2-10, 3.1.3-18, 3.1.3-19, 3.4.2-01, 3.4.2-05, 3.4.2-08, 3.6.4-06
 */
TEST(random_periods_follow_from_the_seed)
{
	expect_random_periods(12345, 12345);
	expect_random_periods(12345, 12345);
	expect_random_periods(1, 1);
	expect_random_periods(0, 1);
}

/* Proves 3.1.3-19, 3.1.4-08, 3.1.9-07, 3.4.2-08, 3.4.2-10 */
TEST(random_number_is_added_to_the_long_value)
{
	struct counter c = counter(0, NOTIFY | PFM_REGFL_RANDOM, PERIOD);
	int fd = ctx_new(0);

	c.pmd.reg_long_reset = -100ULL;
	c.pmd.reg_random_mask = 0xf;
	c.pmd.reg_random_seed = 99;
	counter_write(fd, &c);
	ctx_start_here(fd);
	touch_pages(PERIOD, NULL);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_last_reset(fd, 0), -100ULL + (next_random(99) & 0xf));
	CHECK_EQ(ctx_read(fd, 0), ctx_last_reset(fd, 0));
}
