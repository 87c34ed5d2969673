// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * default.c - sample with the default format (sections 3.4 and 3.6 of the
 *	       specification)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"
#include "retire.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		5
#define SAMPLES		40
#define BIG_BUFFER	(1 << 18)
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
/*
 * The maximum error of a time stamp in ns: the longest time that reading the
 * clock takes.
 */
#define TIME_ERROR	100

/* Creation */

/* Proves 3.6.2-02, 3.6.2-07 */
TEST(default_format_refuses_bad_arguments)
{
	const pfm_default_smpl_arg_t args[] = {
		{ .buf_size = 0 },
		{ .buf_size = smpl_size_for(1, 0, 40) - 1 },
		{ .buf_size = 4096, .buf_flags = PFM_DFL_SMPL_ALL },
		{ .buf_size = 4096, .buf_flags = 0x8 },
		{ .buf_size = 4096, .reserved1 = 1 },
		{ .buf_size = 4096, .reserved2[5] = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };

		CHECK_ERRNO(pfm_create_context(&ctx, (void *)&args[i],
					       sizeof(args[i])),
			    EINVAL);
	}
}

/* Proves 4.4.3-01 */
TEST(default_format_accepts_smallest_buffer)
{
	close(smpl_new(0, smpl_size_for(1, 0, 40), 0).fd);
}

/* Samples */

/*
 * Proves 3.4.1-01, 3.5.4-02, 3.5.14-02, 3.5.14-03, 3.6-01, 3.6-04, 3.6.3-02,
 * 3.6.3-03, 3.6.3-09, 3.6.4-07, 3.6.4-08, 3.6.4-18, 3.6.5-01
 */
TEST(each_period_makes_one_sample)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(SAMPLES * PERIOD + PERIOD - 1, NULL);
	ctx_stop(s.fd);
	smpl_expect_entries(&s, SAMPLES, getpid(), PERIOD);
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
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(SAMPLES, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
}

/* Proves 3.6.4-09 */
TEST(samples_name_the_cpu)
{
	struct counter c = counter(0, 0, 1);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	for (int i = 0; i < 2 * cpus; i++) {
		ctx_pin(i % cpus);
		touch_pages(1, NULL);
		CHECK_EQ(s.hdr->hdr_count, i + 1);
		CHECK_EQ(smpl_entry(&s, i, 0)->cpu, i % cpus);
	}
}

/* Proves 3.1.6-04, 3.6-01, 3.6.4-03 */
TEST(another_thread_is_sampled_while_it_runs)
{
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct worker w;

	worker_start_pinned(&w);
	ctx_add_counter(s.fd, 0, 0, PERIOD);
	ctx_start_on(s.fd, w.pid);
	worker_do(&w, WORK_TOUCH, SAMPLES * PERIOD);
	ctx_stop(s.fd);
	worker_do(&w, WORK_TOUCH, SAMPLES * PERIOD);
	smpl_expect_entries(&s, SAMPLES, w.pid, PERIOD);
	worker_quit(&w);
}

/* Sampling can be started while the thread is working. */
/* Proves 3.1.5-05, 3.1.5-08, 3.1.7-13, 3.1.8-07 */
TEST(busy_thread_can_be_attached_to)
{
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct worker w;

	worker_start_pinned(&w);
	ctx_add_counter(s.fd, 0, 0, PERIOD);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (worker_progress(&w) < 100)
		sched_yield();
	ctx_start_on(s.fd, w.pid);
	while (s.hdr->hdr_count < SAMPLES)
		sched_yield();
	CHECK_OK(pfm_unload_context(s.fd));
	smpl_expect_entries(&s, s.hdr->hdr_count, w.pid, PERIOD);
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
	smpl_start(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	first = smpl_values(smpl_entry(&s, 0, pmds));
	/* The order in which the two counters count an event is undefined. */
	CHECK(first[0] == PERIOD || first[0] == PERIOD - 1);
	for (int i = 0; i < SAMPLES; i++) {
		values = smpl_values(smpl_entry(&s, i, pmds));
		CHECK_EQ(values[0], first[0] + i * PERIOD);
		CHECK_EQ(values[1], thread_id());
		CHECK(values[2] > 0);
	}
}

/*
 * When a sample is taken, the hardware counter has counted events that perf has
 * not yet added to the perf event's count. The sample must include these
 * events.
 */
/* Proves 3.1.2-12 */
TEST(samples_include_live_hardware_counts)
{
	pfarg_pmc_t pmc = {
		.reg_num = 1,
		.reg_value = PFM_PERF_EVENT(PERF_TYPE_HARDWARE,
					    PERF_COUNT_HW_INSTRUCTIONS) |
			     PFM_PERF_EXCL_KERNEL,
	};
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	struct counter c = counter(0, 0, 1);
	pfarg_pmd_t pmd = { .reg_num = 1 };
	__u64 last = 0;

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(s.fd, &c);
	if (pfm_write_pmcs(s.fd, &pmc, 1))
		check_skip("needs a hardware PMU");
	CHECK_OK(pfm_write_pmds(s.fd, &pmd, 1));
	ctx_start_self(s.fd);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		__u64 rounds = 20000 * (i + 1), value;

		retire(rounds);
		touch_pages(1, NULL);
		value = *smpl_values(smpl_entry(&s, s.hdr->hdr_count - 1, 1));
		CHECK(value - last >= 2 * rounds);
		CHECK(value - last < 2 * rounds + 20000);
		/* Reading the PMD updates the perf event's count. */
		if (i % 2)
			CHECK(ctx_read(s.fd, 1) >= value);
		last = value;
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
	smpl_start(&c, s);
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
	__u64 start = clock_ns(CLOCK_MONOTONIC), sum = 0;

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_ELAPSED);
	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_ELAPSED);
	smpl_start(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	for (int i = 0; i < SAMPLES; i++)
		sum += *smpl_values(smpl_entry(&s, i, 1));
	/* Without resets, the sum would be many times as large. */
	CHECK(sum > 0 && sum <= clock_ns(CLOCK_MONOTONIC) - start);
}

/*
 * The value of the clock PMD is not later than the time stamp, because the PMDs
 * are read before the time stamp is taken.
 */
TEST(time_stamps_match_the_perf_clock_pmd)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	__u64 last;

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_PERF_CLOCK);
	smpl_start(&c, s);
	last = ctx_read(s.fd, PFM_PMD_PERF_CLOCK);
	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	for (int i = 0; i < SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 1);

		CHECK(*smpl_values(e) >= last);
		last = *smpl_values(e);
		CHECK(last <= e->tstamp);
	}
	CHECK(ctx_read(s.fd, PFM_PMD_PERF_CLOCK) >= last);
}

/*
 * Raw time stamps increase. Converted to ns, each lies between the clock PMD's
 * value in its own sample and the value in the next sample.
 */
/* Proves 3.5.14-02, 3.5.14-03 */
TEST(raw_time_stamps_match_the_perf_clock_pmd)
{
	struct counter c = counter(0, 0, PERIOD);
	pfm_time_conv_t time;
	__u64 raw = 0, after;
	struct smpl s;
	pfarg_ctx_t ctx;
	int fd = smpl_create(&ctx, 0, BIG_BUFFER, PFM_DFL_SMPL_RAW_TIME);

	if (fd < 0 && errno == EOPNOTSUPP)
		check_skip("needs a counter that the kernel uses as its clock");
	CHECK_OK(close(CHECK_OK(fd)));
	s = smpl_new(0, BIG_BUFFER, PFM_DFL_SMPL_RAW_TIME);
	time = (pfm_time_conv_t){ s.hdr->hdr_time_zero, s.hdr->hdr_time_mult,
				  s.hdr->hdr_time_shift };
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_PERF_CLOCK);
	smpl_start(&c, s);
	touch_pages(SAMPLES * PERIOD, NULL);
	after = ctx_read(s.fd, PFM_PMD_PERF_CLOCK);
	CHECK_EQ(s.hdr->hdr_count, SAMPLES);
	for (int i = SAMPLES - 1; i >= 0; i--) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 1);
		__u64 ns = pfm_time_ns(&time, e->tstamp);

		CHECK(*smpl_values(e) <= ns + TIME_ERROR);
		CHECK(ns <= after + TIME_ERROR);
		CHECK(!raw || e->tstamp < raw);
		after = *smpl_values(e);
		raw = e->tstamp;
	}
}

/*
 * The number of entries checked so far for each counter, and the address of the
 * next entry. The size of an entry depends on its counter.
 */
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
	smpl_start(&c1, s);
	touch_pages(21 * 10, NULL);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 30 + 70);
	for (unsigned int i = 0; i < 100; i++)
		see_entry(&seen);
	CHECK_EQ(seen.next - (const char *)s.hdr, s.hdr->hdr_cur_offs);
	CHECK_EQ(seen.entries[0], 30);
	CHECK_EQ(seen.entries[1], 70);
}

/* Full buffers */

/*
 * Proves 3.4.1-13, 3.6.3-04, 3.6.3-08, 3.6.3-10, 3.6.5-08, 3.6.5-11, 3.6.5-12,
 * 3.6.5-15
 */
TEST(full_buffer_masks_and_notifies)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_start(&c, smpl_new_for(0, 4, 0));

	for (unsigned int round = 1; round <= 3; round++) {
		touch_pages(4 * PERIOD - 1, NULL);
		ctx_expect_no_message(s.fd);
		touch_pages(1, NULL);
		ctx_expect_state(s.fd, "masked");
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		touch_pages(3 * PERIOD, NULL);
		smpl_expect_entries(&s, 4, getpid(), PERIOD);
		CHECK_EQ(s.hdr->hdr_overflows, round);
		CHECK_OK(pfm_restart(s.fd));
		CHECK_EQ(s.hdr->hdr_count, 0);
		CHECK_EQ(s.hdr->hdr_cur_offs, sizeof(*s.hdr));
		ctx_expect_no_message(s.fd);
	}
}

/* Proves P5.3-02 */
TEST(reader_finds_all_entries_when_notified)
{
	struct smpl s = smpl_new_for(0, 4, 0);
	struct worker w;

	ctx_add_counter(s.fd, 0, NOTIFY, PERIOD);
	worker_start(&w);
	ctx_start_on(s.fd, w.pid);
	for (unsigned int round = 1; round <= 100; round++) {
		worker_ask(&w, WORK_TOUCH, 5 * PERIOD);
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		smpl_expect_entries(&s, 4, w.pid, PERIOD);
		CHECK_EQ(s.hdr->hdr_overflows, round);
		worker_wait(&w);
		CHECK_OK(pfm_restart(s.fd));
	}
	worker_quit(&w);
}

/*
 * The counter also counts in the kernel, and its period is so short that an
 * overflow interrupts the CPU before each instruction, even at the end of the
 * system call that starts the counter. A kernel thread stops the PMU after the
 * context was masked. If the counter kept overflowing, that kernel thread might
 * never run.
 */
/* Proves H18 */
TEST(masking_stops_counter_with_tiny_period)
{
	struct counter c = counter(0, NOTIFY, 2);
	struct smpl s = smpl_new_for(0, 4, 0);

	c.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_HARDWARE,
					 PERF_COUNT_HW_CPU_CYCLES);
	if (pfm_write_pmcs(s.fd, &c.pmc, 1))
		check_skip("needs a hardware PMU");
	smpl_start(&c, s);
	for (unsigned int round = 1; round <= 3; round++) {
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		ctx_expect_state(s.fd, "masked");
		CHECK_EQ(s.hdr->hdr_count, 4);
		CHECK_EQ(s.hdr->hdr_overflows, round);
		CHECK_OK(pfm_restart(s.fd));
	}
}

static void overflow_too_often(void *arg)
{
	struct counter c = counter(0, NOTIFY, 1);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));
	pfm_msg_t msg;
	__u64 count;

	CHECK_OK(fcntl(s.fd, F_SETFL, O_NONBLOCK));
	/*
	 * Repeat, because a guest that the host stalls for a while may be too
	 * slow to exceed ovfl_rate_max.
	 */
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
	struct smpl s = smpl_start(&c, smpl_new_for(0, 4, 0));

	touch_pages(10 * PERIOD, NULL);
	smpl_expect_entries(&s, 4, getpid(), PERIOD);
	CHECK_EQ(s.hdr->hdr_overflows, 1);
	ctx_expect_no_message(s.fd);
	CHECK_OK(pfm_restart(s.fd));
	touch_pages(2 * PERIOD, NULL);
	smpl_expect_entries(&s, 2, getpid(), PERIOD);
}

/* Proves 3.6.5-16 */
TEST(restart_of_an_active_context_empties_the_buffer)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(3 * PERIOD + 2, NULL);
	CHECK_EQ(s.hdr->hdr_count, 3);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr->hdr_count, 0);
	/*
	 * The restart has not reset the counter, so PERIOD - 2 more page faults
	 * complete the period.
	 */
	touch_pages(PERIOD - 2, NULL);
	smpl_expect_entries(&s, 1, getpid(), PERIOD);
	CHECK_EQ(s.hdr->hdr_overflows, 0);
}

/* Proves 3.1.5-09 */
TEST(start_does_not_empty_the_buffer)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(3 * PERIOD, NULL);
	ctx_stop(s.fd);
	CHECK_OK(pfm_start(s.fd, NULL));
	touch_pages(3 * PERIOD, NULL);
	smpl_expect_entries(&s, 6, getpid(), PERIOD);
}

TEST(samples_survive_unload_and_load)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(2 * PERIOD + 3, NULL);
	CHECK_OK(pfm_unload_context(s.fd));
	touch_pages(2 * PERIOD, NULL);
	CHECK_EQ(ctx_read(s.fd, 0), -2ULL);
	ctx_start_on(s.fd, thread_id());
	touch_pages(2, NULL);
	smpl_expect_entries(&s, 3, getpid(), PERIOD);
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
	smpl_start(&c, s);
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
	smpl_start(&c, s);
	touch_pages(10 * PERIOD, NULL);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	CHECK_EQ(s.hdr->hdr_count, 8);
	for (int i = 0; i < 8; i++) {
		CHECK(in_touch_pages(values[2 * i]));
		CHECK_EQ(values[2 * i + 1], thread_id());
	}
}
