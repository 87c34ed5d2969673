// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sampling.c - sampling with the default format (3.4, 3.6), counting, blocking
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"
#include "worker.h"

#define PERIOD		5
#define SAMPLES		40
#define BIG_BUFFER	(1 << 18)
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static struct smpl start_sampling(struct counter *c, struct smpl s)
{
	counter_write(s.fd, c);
	ctx_start_here(s.fd);
	return s;
}

/* Counting */

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

/*
 * Proves 3.1.3-11, 3.1.4-08, 3.1.9-03, 3.1.9-06, 3.1.9-09, 3.4-02, 3.4.1-06,
 * 3.4.1-07, 3.4.2-10
 */
TEST(counter_with_notification_restarts_from_long_value)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	int fd = ctx_new(0);

	c.pmd.reg_short_reset = -700ULL;
	c.pmd.reg_long_reset = -20ULL;
	counter_write(fd, &c);
	CHECK_EQ(ctx_last_reset(fd, 0), -(__u64)PERIOD);
	ctx_start_here(fd);
	touch_pages(PERIOD + 10, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_read(fd, 0), -20ULL);
	CHECK_EQ(ctx_last_reset(fd, 0), -20ULL);
	touch_pages(19, NULL);
	ctx_expect_state(fd, "started");
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
}

/* Proves 3.1.2-13, 3.1.2-14, 3.1.9-08 */
TEST(restart_resets_the_reset_pmds)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct counter other = counter(1, 0, 0);
	int fd = ctx_new(0);

	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	other.pmd.reg_long_reset = 1000;
	counter_write(fd, &c);
	counter_write(fd, &other);
	ctx_add_counter(fd, 2, 0, 0);
	ctx_start_here(fd);
	touch_pages(PERIOD + 3, NULL);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_read(fd, 1), 1000);
	CHECK(ctx_read(fd, 2) == PERIOD || ctx_read(fd, 2) == PERIOD - 1);
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 1), 1002);
}

/* Proves 3.1.5-10, 3.1.6-06 */
TEST(stop_while_masked_stays_masked)
{
	int fd = ctx_notifying(0, PERIOD);

	ctx_start_here(fd);
	touch_pages(PERIOD, NULL);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, NULL));
	ctx_expect_state(fd, "masked");
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
	ctx_stop(fd);
	CHECK_OK(pfm_restart(fd));
	ctx_expect_state(fd, "stopped");
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 0), -(__u64)PERIOD);
}

/* Proves 3.1.4-20 */
TEST(other_threads_can_be_read_while_they_run)
{
	int fd = ctx_counting();
	__u64 last = 0, value;
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, 20000);
	for (int i = 0; i < 100; i++) {
		value = ctx_read(fd, 0);
		CHECK(value >= last && value <= 20000);
		last = value;
	}
	worker_wait(&w);
	CHECK_EQ(ctx_read(fd, 0), 20000);
	worker_quit(&w);
}

/* Sampling by the tool alone */

static void wait_for_timer(int timer)
{
	const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	__u64 ticks;

	CHECK_OK(timerfd_settime(timer, 0, &soon, NULL));
	CHECK_EQ(read(timer, &ticks, sizeof(ticks)), sizeof(ticks));
}

/* Proves 3.4-01 */
TEST(a_timer_is_enough_to_sample_by_time)
{
	int timer = CHECK_OK(timerfd_create(CLOCK_MONOTONIC, 0));
	int fd = ctx_counting();
	unsigned long progress;
	__u64 last = 0, value;
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	for (int i = 0; i < 10; i++) {
		wait_for_timer(timer);
		ctx_stop(fd);
		value = ctx_read(fd, 0);
		CHECK(value >= last);
		/* It works on, and that is not in any interval. */
		progress = worker_progress(&w);
		while (worker_progress(&w) < progress + 10)
			sched_yield();
		CHECK_EQ(ctx_read(fd, 0), value);
		last = value;
		CHECK_OK(pfm_start(fd, NULL));
	}
	/* Somewhere in ten intervals it had a page fault. */
	CHECK(last > 0);
	worker_kill(&w);
}

/* Proves 3.4.2-11 */
TEST(tool_can_choose_each_period)
{
	static const __u64 periods[] = { 7, 3, 12 };
	struct counter c = counter(0, NOTIFY, PERIOD);
	int fd = ctx_new(0);

	counter_write(fd, &c);
	ctx_start_here(fd);
	touch_pages(PERIOD, NULL);
	for (int i = 0; i < 3; i++) {
		ctx_expect_message(fd, PFM_MSG_OVFL);
		c.pmd.reg_long_reset = -periods[i];
		CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
		CHECK_OK(pfm_restart(fd));
		touch_pages(periods[i] - 1, NULL);
		ctx_expect_state(fd, "started");
		touch_pages(1, NULL);
		ctx_expect_state(fd, "masked");
	}
}

/* Samples */

static void expect_entries_of(const struct smpl *s, unsigned int n, pid_t pid)
{
	__u64 tstamp = 1;

	CHECK_EQ(s->hdr->hdr_count, n);
	for (unsigned int i = 0; i < n; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(s, i, 0);

		CHECK_EQ(e->pid, pid);
		CHECK_EQ(e->tgid, pid);
		CHECK_EQ(e->ovfl_pmd, 0);
		CHECK_EQ(e->reserved, 0);
		CHECK_EQ(e->set, 0);
		CHECK_EQ(e->last_reset_val, -(__u64)PERIOD);
		CHECK(e->tstamp >= tstamp);
		CHECK(in_touch_pages(e->ip));
		tstamp = e->tstamp;
	}
}

/*
 * Proves 3.4.1-01, 3.5.4-02, 3.5.14-02, 3.6-01, 3.6-04, 3.6.3-02, 3.6.3-03,
 * 3.6.3-09, 3.6.4-07, 3.6.4-08, 3.6.4-18, 3.6.5-01
 */
TEST(each_period_makes_one_sample)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(SAMPLES * PERIOD + PERIOD - 1, NULL);
	ctx_stop(s.fd);
	expect_entries_of(&s, SAMPLES, getpid());
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
	CHECK_EQ(s.hdr->hdr_cur_offs,
		 sizeof(*s.hdr) + SAMPLES * sizeof(pfm_default_smpl_entry_t));
	CHECK_EQ(s.hdr->hdr_overflows, 0);
	ctx_expect_no_message(s.fd);
}

/* Proves 3.4.1-08, 3.5.14-01, 4.4.4-01 */
TEST(period_of_one_samples_every_event)
{
	struct counter c = counter(0, 0, 1);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(SAMPLES, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
}

/* Proves 3.6.4-09 */
TEST(samples_name_the_cpu)
{
	struct counter c = counter(0, 0, 1);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	for (int i = 0; i < 2 * cpus; i++) {
		ctx_pin(i % cpus);
		touch_pages(1, NULL);
		CHECK_EQ(s.hdr->hdr_count, i + 1);
		CHECK_EQ(smpl_entry(&s, i, 0)->cpu, i % cpus);
	}
}

static void start_pinned_worker(struct worker *w)
{
	worker_start(w);
	worker_do(w, WORK_PIN, 0);
}

/* Proves 3.1.6-04, 3.6-01, 3.6.4-03 */
TEST(another_thread_is_sampled_while_it_runs)
{
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct worker w;

	start_pinned_worker(&w);
	ctx_add_counter(s.fd, 0, 0, PERIOD);
	ctx_start_on(s.fd, w.pid);
	worker_do(&w, WORK_TOUCH, SAMPLES * PERIOD);
	ctx_stop(s.fd);
	worker_do(&w, WORK_TOUCH, SAMPLES * PERIOD);
	expect_entries_of(&s, SAMPLES, w.pid);
	worker_quit(&w);
}

/* Sampling can begin in the middle of a thread's work. */
/* Proves 3.1.5-05, 3.1.5-08, 3.1.7-13, 3.1.8-07 */
TEST(busy_thread_can_be_attached_to)
{
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct worker w;

	start_pinned_worker(&w);
	ctx_add_counter(s.fd, 0, 0, PERIOD);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (worker_progress(&w) < 100)
		sched_yield();
	ctx_start_on(s.fd, w.pid);
	while (s.hdr->hdr_count < SAMPLES)
		sched_yield();
	CHECK_OK(pfm_unload_context(s.fd));
	expect_entries_of(&s, s.hdr->hdr_count, w.pid);
	worker_kill(&w);
}

/*
 * Proves 3.1.2-12, 3.1.2-15, 3.1.2-26, 3.2.1-01, 3.2.2-01, 3.6.4-13, P4.3-07,
 * P4.3-08
 */
TEST(samples_record_the_smpl_pmds)
{
	const unsigned int pmds = 3;
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	const __u64 *first, *values;

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_TID);
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_RESIDENT);
	ctx_add_counter(s.fd, 1, 0, 0);
	start_sampling(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	first = smpl_values(smpl_entry(&s, 0, pmds));
	/* Which of two counters sees an event first is not told. */
	CHECK(first[0] == PERIOD || first[0] == PERIOD - 1);
	for (int i = 0; i < SAMPLES; i++) {
		values = smpl_values(smpl_entry(&s, i, pmds));
		CHECK_EQ(values[0], first[0] + i * PERIOD);
		CHECK_EQ(values[1], thread_id());
		CHECK(values[2] > 0);
	}
}

/* Proves 3.1.2-13, 3.6.5-02 */
TEST(reset_pmds_turn_values_into_differences)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	ctx_add_counter(s.fd, 1, 0, 0);
	start_sampling(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	for (int i = 1; i < SAMPLES; i++)
		CHECK_EQ(*smpl_values(smpl_entry(&s, i, 1)), PERIOD);
}

/* Proves 3.1.2-15, P4.3-07 */
TEST(elapsed_time_is_reset_with_each_sample)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	__u64 start = now(), sum = 0;

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_ELAPSED);
	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_ELAPSED);
	start_sampling(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	for (int i = 0; i < SAMPLES; i++)
		sum += *smpl_values(smpl_entry(&s, i, 1));
	/* Times since the start would come to many times as much. */
	CHECK(sum > 0 && sum <= now() - start);
}

/* Two sampling counters whose entries differ in size. */
struct seen {
	unsigned int	entries[2];
	const char	*next;
};

static void see_entry(struct seen *seen)
{
	const pfm_default_smpl_entry_t *e = (const void *)seen->next;
	const __u64 *values = smpl_values(e);

	CHECK(e->ovfl_pmd < 2);
	CHECK(in_touch_pages(e->ip));
	seen->entries[e->ovfl_pmd]++;
	if (e->ovfl_pmd) {
		CHECK_EQ(values[1], thread_id());
		CHECK_EQ(e->last_reset_val, -3ULL);
		values += 2;
	} else {
		CHECK_EQ(e->last_reset_val, -7ULL);
	}
	seen->next = (const char *)values;
}

/* Proves 3.4.1-10, 3.6.4-04, 3.6.4-14 */
TEST(two_counters_sample_with_different_sizes)
{
	struct counter c0 = counter(0, 0, 7), c1 = counter(1, 0, 3);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct seen seen = { .next = (const char *)(s.hdr + 1) };

	pfm_bv_set(c1.pmc.reg_smpl_pmds, 0);
	pfm_bv_set(c1.pmc.reg_smpl_pmds, PFM_PMD_TID);
	counter_write(s.fd, &c0);
	start_sampling(&c1, s);
	touch_pages(21 * 10, NULL);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 30 + 70);
	for (unsigned int i = 0; i < 100; i++)
		see_entry(&seen);
	CHECK_EQ(seen.next - (const char *)s.hdr, s.hdr->hdr_cur_offs);
	CHECK_EQ(seen.entries[0], 30);
	CHECK_EQ(seen.entries[1], 70);
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
	start_sampling(&c, s);
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
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(5, NULL);
	c.pmd.reg_value = -3ULL;
	CHECK_OK(pfm_write_pmds(s.fd, &c.pmd, 1));
	touch_pages(2, NULL);
	CHECK_EQ(s.hdr->hdr_count, 0);
	touch_pages(1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -3ULL);
	/* It was this one only. */
	touch_pages(19, NULL);
	CHECK_EQ(s.hdr->hdr_count, 1);
	touch_pages(1, NULL);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -20ULL);
}

/* Carta's series (3.4.2). */
static __u32 next_random(__u32 x)
{
	return 16807ULL * x % 0x7fffffff;
}

#define RANDOM_MASK	0x1f

static void expect_random_periods(__u32 seed, __u32 first)
{
	struct counter c = counter(0, PFM_REGFL_RANDOM, 40);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	__u32 random = first;

	c.pmd.reg_random_mask = RANDOM_MASK;
	c.pmd.reg_random_seed = seed;
	start_sampling(&c, s);
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

/* Full buffers */

/*
 * Proves 3.4.1-13, 3.6.3-04, 3.6.3-08, 3.6.3-10, 3.6.5-08, 3.6.5-11, 3.6.5-12,
 * 3.6.5-15, P5.3-02
 */
TEST(full_buffer_masks_and_notifies)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new_for(0, 4, 0));

	for (unsigned int round = 1; round <= 3; round++) {
		touch_pages(4 * PERIOD - 1, NULL);
		ctx_expect_no_message(s.fd);
		touch_pages(1, NULL);
		ctx_expect_state(s.fd, "masked");
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		touch_pages(3 * PERIOD, NULL);
		expect_entries_of(&s, 4, getpid());
		CHECK_EQ(s.hdr->hdr_overflows, round);
		CHECK_OK(pfm_restart(s.fd));
		CHECK_EQ(s.hdr->hdr_count, 0);
		CHECK_EQ(s.hdr->hdr_cur_offs, sizeof(*s.hdr));
		ctx_expect_no_message(s.fd);
	}
}

static void overflow_too_often(void *arg)
{
	struct counter c = counter(0, NOTIFY, 1);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));
	pfm_msg_t msg;
	__u64 count;

	CHECK_OK(fcntl(s.fd, F_SETFL, O_NONBLOCK));
	/* A guest that stands still for a while may be slow enough at first. */
	do {
		touch_pages(20, NULL);
	} while (read(s.fd, &msg, sizeof(msg)) < 0);
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	ctx_expect_state(s.fd, "masked");
	count = s.hdr->hdr_count;
	CHECK(count >= 10);
	touch_pages(20, NULL);
	CHECK_EQ(s.hdr->hdr_count, count);
	CHECK_EQ(s.hdr->hdr_overflows, 0);
	CHECK_OK(pfm_restart(s.fd));
	touch_pages(5, NULL);
	CHECK_EQ(s.hdr->hdr_count, 5);
}

/* Proves 4.1-03, 4.4.4-02, 4.4.4-03, P7-09, H18 */
TEST(too_many_overflows_mask_and_notify)
{
	struct param_run r = { "ovfl_rate_max", "100", overflow_too_often,
			       NULL };

	with_param(&r);
}

/* Proves 3.5.4-02, 3.6.5-09, 3.6.5-10 */
TEST(full_buffer_without_notification_is_saturated)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new_for(0, 4, 0));

	touch_pages(10 * PERIOD, NULL);
	expect_entries_of(&s, 4, getpid());
	CHECK_EQ(s.hdr->hdr_overflows, 1);
	ctx_expect_no_message(s.fd);
	CHECK_OK(pfm_restart(s.fd));
	touch_pages(2 * PERIOD, NULL);
	expect_entries_of(&s, 2, getpid());
}

/* Proves 3.6.5-16 */
TEST(restart_of_an_active_context_empties_the_buffer)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(3 * PERIOD + 2, NULL);
	CHECK_EQ(s.hdr->hdr_count, 3);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr->hdr_count, 0);
	/* The counter was not touched. */
	touch_pages(PERIOD - 2, NULL);
	expect_entries_of(&s, 1, getpid());
	CHECK_EQ(s.hdr->hdr_overflows, 0);
}

/* Proves 3.1.5-09 */
TEST(start_does_not_empty_the_buffer)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(3 * PERIOD, NULL);
	ctx_stop(s.fd);
	CHECK_OK(pfm_start(s.fd, NULL));
	touch_pages(3 * PERIOD, NULL);
	expect_entries_of(&s, 6, getpid());
}

TEST(samples_are_kept_over_unload_and_load)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = start_sampling(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(2 * PERIOD + 3, NULL);
	CHECK_OK(pfm_unload_context(s.fd));
	touch_pages(2 * PERIOD, NULL);
	CHECK_EQ(ctx_read(s.fd, 0), -2ULL);
	ctx_start_on(s.fd, thread_id());
	touch_pages(2, NULL);
	expect_entries_of(&s, 3, getpid());
}

/* Short entries */

/* Proves 3.6.2-03, 3.6.3-07 */
TEST(entries_without_header)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_new(0, smpl_size_for(8, 2 * sizeof(__u64), 0),
				 PFM_DFL_SMPL_NO_HDR);
	const __u64 *values = (const __u64 *)(s.hdr + 1);

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_TID);
	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	ctx_add_counter(s.fd, 1, 0, 0);
	start_sampling(&c, s);
	CHECK_EQ(s.hdr->hdr_buf_flags, PFM_DFL_SMPL_NO_HDR);
	touch_pages(10 * PERIOD, NULL);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	CHECK_EQ(s.hdr->hdr_count, 8);
	for (int i = 1; i < 8; i++) {
		CHECK_EQ(values[2 * i], PERIOD);
		CHECK_EQ(values[2 * i + 1], thread_id());
	}
}

/* Proves 3.6.2-04 */
TEST(entries_with_ip_only)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_new(0, smpl_size_for(8, 2 * sizeof(__u64),
						  sizeof(__u64)),
				 PFM_DFL_SMPL_IIP_HDR);
	const __u64 *values = (const __u64 *)(s.hdr + 1);

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_TID);
	start_sampling(&c, s);
	touch_pages(10 * PERIOD, NULL);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	CHECK_EQ(s.hdr->hdr_count, 8);
	for (int i = 0; i < 8; i++) {
		CHECK(in_touch_pages(values[2 * i]));
		CHECK_EQ(values[2 * i + 1], thread_id());
	}
}

/* PFM_FL_NOTIFY_BLOCK */

#define BLOCK_ENTRIES	3
#define BLOCK_FAULTS	(BLOCK_ENTRIES * PERIOD)
#define LOOKS		1000

/* On a worker that will be blocked every BLOCK_FAULTS page faults. */
static struct smpl start_blocking(const struct worker *w)
{
	struct smpl s = smpl_new_for(PFM_FL_NOTIFY_BLOCK, BLOCK_ENTRIES, 0);

	ctx_add_counter(s.fd, 0, NOTIFY, PERIOD);
	ctx_start_on(s.fd, w->pid);
	return s;
}

/* The instruction whose fault overflowed has not been finished. */
static void expect_blocked(const struct worker *w, unsigned long faults)
{
	wait_asleep(w->pid);
	for (int i = 0; i < LOOKS; i++) {
		CHECK_EQ(worker_progress(w), faults - 1);
		sched_yield();
	}
}

/* A worker that has been given work and was blocked by it. */
static struct smpl block_worker(struct worker *w)
{
	struct smpl s;

	start_pinned_worker(w);
	s = start_blocking(w);
	worker_ask(w, WORK_TOUCH, 2 * BLOCK_FAULTS - 1);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(w, BLOCK_FAULTS);
	return s;
}

static void expect_finished(const struct worker *w)
{
	worker_wait(w);
	CHECK_EQ(worker_progress(w), 2 * BLOCK_FAULTS - 1);
	worker_quit(w);
}

/* Proves 3.1.1-05, 3.1.9-05, 3.4.3-12, 3.5.14-21, 3.5.14-28, P5.2-06 */
TEST(thread_is_blocked_until_restart)
{
	struct worker w;
	struct smpl s;

	start_pinned_worker(&w);
	s = start_blocking(&w);
	worker_ask(&w, WORK_TOUCH, 5 * BLOCK_FAULTS + 1);
	for (int i = 1; i <= 5; i++) {
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		expect_blocked(&w, i * BLOCK_FAULTS);
		expect_entries_of(&s, BLOCK_ENTRIES, w.pid);
		CHECK_OK(pfm_restart(s.fd));
	}
	worker_wait(&w);
	worker_quit(&w);
}

/* Proves 3.4.1-12 */
TEST(blocked_thread_goes_on_with_the_long_period)
{
	const unsigned long second = 20 + (BLOCK_ENTRIES - 1) * PERIOD;
	struct smpl s = smpl_new_for(PFM_FL_NOTIFY_BLOCK, BLOCK_ENTRIES, 0);
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct worker w;

	start_pinned_worker(&w);
	c.pmd.reg_long_reset = -20ULL;
	counter_write(s.fd, &c);
	ctx_start_on(s.fd, w.pid);
	worker_ask(&w, WORK_TOUCH, BLOCK_FAULTS + second + 1);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(&w, BLOCK_FAULTS);
	CHECK_OK(pfm_restart(s.fd));
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(&w, BLOCK_FAULTS + second);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -20ULL);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -(__u64)PERIOD);
	CHECK_OK(pfm_restart(s.fd));
	worker_wait(&w);
	worker_quit(&w);
}

/* Proves 3.1.4-19, 3.6.5-03 */
TEST(blocked_thread_can_be_read)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_EQ(ctx_read(s.fd, 0), 0);
	CHECK_OK(pfm_restart(s.fd));
	expect_finished(&w);
}

/* Proves 3.3.6-02, H24 */
TEST(blocked_thread_can_be_killed)
{
	struct worker w;
	struct smpl s = block_worker(&w);
	pfm_msg_t msg;

	worker_kill(&w);
	CHECK_EQ(worker_progress(&w), BLOCK_FAULTS - 1);
	CHECK_EQ(read(s.fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.msg_type, PFM_MSG_END);
}

/* Proves H24 */
TEST(unload_lets_a_blocked_thread_go_on)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_OK(pfm_unload_context(s.fd));
	expect_finished(&w);
}

/* Proves 3.1.15-08, H24 */
TEST(close_lets_a_blocked_thread_go_on)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_OK(close(s.fd));
	expect_finished(&w);
}

/* Proves 3.1.1-05, 3.1.9-05, 3.4.3-11, 3.4.3-12 */
TEST(blocking_works_without_format)
{
	struct worker w;
	int fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, PERIOD);

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, 2 * PERIOD + 1);
	for (int i = 1; i <= 2; i++) {
		ctx_expect_message(fd, PFM_MSG_OVFL);
		expect_blocked(&w, i * PERIOD);
		CHECK_OK(pfm_restart(fd));
	}
	worker_wait(&w);
	worker_quit(&w);
}
