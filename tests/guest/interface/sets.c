// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sets.c - event sets (3.1.10 - 3.1.12) and how they are switched (3.7)
 */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "worker.h"

#define TICK_MAX	10000000	/* ns; ticks are shorter than that, or as long */
#define BY_TIME		PFM_SETFL_TIME_SWITCH
#define BY_OVFL		PFM_SETFL_OVFL_SWITCH
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define HARDWARE(id)	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id)
#define HW_COUNTERS	7	/* of the PMU that has some */
#define HW_USED		6	/* by each set */

/* Counter n of page faults in a set; it overflows each @period, if that is not 0. */
static void add_counter(int fd, unsigned int set, unsigned int n, __u32 flags,
			__u64 period, __u64 thres)
{
	struct counter c = counter(n, flags, period);

	c.pmc.reg_set = set;
	c.pmd.reg_set = set;
	c.pmd.reg_ovflsw_thres = thres;
	counter_write(fd, &c);
}

static __u64 nanoseconds(const struct __kernel_timespec *ts)
{
	return ts->tv_sec * 1000000000ULL + ts->tv_nsec;
}

static __u64 duration(int fd, unsigned int set)
{
	pfarg_setinfo_t info = ctx_set_info(fd, set);

	return nanoseconds(&info.set_act_duration);
}

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	CHECK_OK(clock_gettime(id, &ts));
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Be busy until a set has become active so often. */
static void work_until_runs(int fd, unsigned int set, __u64 runs)
{
	while (ctx_set_info(fd, set).set_runs < runs)
		for (volatile int i = 0; i < 100000; i++)
			;
}

/* Proves 3.1.10-15, 3.1.12-08 */
TEST(a_context_may_have_very_many_sets)
{
	pfarg_setdesc_t desc[16] = {};
	int fd = ctx_new(0);

	for (unsigned int id = 1; id < 0x10000; id += 257) {
		desc[0].set_id = id;
		CHECK_OK(pfm_create_evtsets(fd, desc, 1));
	}
	/* With set0 they are as many as there may be; another may take a place. */
	desc[0].set_id = 2;
	CHECK_ERRNO(pfm_create_evtsets(fd, desc, 1), ENOMEM);
	desc[0].set_id = 1;
	CHECK_OK(pfm_delete_evtsets(fd, desc, 1));
	desc[0].set_id = 2;
	CHECK_OK(pfm_create_evtsets(fd, desc, 1));
	ctx_load_self(fd);
	CHECK_EQ(ctx_set_info(fd, 1 + 257).set_runs, 0);
	CHECK_OK(pfm_unload_context(fd));
}

TEST(registers_of_a_set_that_does_not_exist_are_refused)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(0);

	c.pmc.reg_set = 3;
	c.pmd.reg_set = 3;
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), EINVAL);
	CHECK(c.pmc.reg_flags & PFM_REG_RETFL_NOSET);
	CHECK_ERRNO(pfm_write_pmds(fd, &c.pmd, 1), EINVAL);
	CHECK(c.pmd.reg_flags & PFM_REG_RETFL_NOSET);
	ctx_create_set(fd, 3, 0);
	c.pmc.reg_flags = 0;
	c.pmd.reg_flags = 0;
	counter_write(fd, &c);
}

/* Proves 3.1.5-15, 3.1.10-08, 3.7.6-15 */
TEST(overflows_switch_before_the_next_event)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, BY_OVFL);
	ctx_create_set(fd, 1, 0);
	add_counter(fd, 0, 0, 0, 100, 3);
	add_counter(fd, 1, 0, 0, 0, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(1000, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 1, 0), 700);
	CHECK_EQ(ctx_set_info(fd, 0).set_switch_pmds[0], 1);
	CHECK_EQ(ctx_set_info(fd, 0).set_runs, 1);
	CHECK_EQ(ctx_set_info(fd, 1).set_runs, 1);
}

/* Proves 3.1.8-11, 3.7.6-07 */
TEST(no_set_is_switched_after_unload)
{
	int fd = ctx_new(0);

	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		add_counter(fd, id, 0, 0, 10, 1);
	}
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(25, NULL);
	CHECK_OK(pfm_unload_context(fd));
	touch_pages(100, NULL);
	CHECK_EQ(ctx_set_info(fd, 0).set_runs, 2);
	CHECK_EQ(ctx_set_info(fd, 1).set_runs, 1);
}

/* Proves 3.7.1-03, P6-02, P6.1-03 */
TEST(sets_that_switch_by_overflows_share_all_events)
{
	int fd = ctx_new(0);

	for (unsigned int id = 0; id < 3; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		add_counter(fd, id, 0, 0, 10, 1);
		add_counter(fd, id, 1, 0, 0, 0);
	}
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(305, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 1), 105);
	CHECK_EQ(ctx_read_set(fd, 1, 1), 100);
	CHECK_EQ(ctx_read_set(fd, 2, 1), 100);
	CHECK_EQ(ctx_set_info(fd, 0).set_runs, 11);
}

/* Proves 3.7.3-01, P6-01 */
TEST(another_thread_is_switched_at_its_events)
{
	int fd = ctx_new(0);
	struct worker w;

	worker_start(&w);
	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		add_counter(fd, id, 0, 0, 7, 1);
		add_counter(fd, id, 1, 0, 0, 0);
	}
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 700);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 1) / 7, 50);
	CHECK_EQ(ctx_read_set(fd, 1, 1) / 7, 50);
	worker_quit(&w);
}

/* Proves 3.6-03, 3.6.4-05, 3.7.7-03, P6-02 */
TEST(samples_of_all_sets_are_in_one_buffer)
{
	struct smpl s = smpl_new(0, 1 << 16, 0);
	const pfm_default_smpl_entry_t *e;

	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(s.fd, id, BY_OVFL);
		add_counter(s.fd, id, 0, 0, 10, 2);
	}
	faults_prepare();
	ctx_start_on(s.fd, thread_id());
	touch_pages(80, NULL);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 8);
	for (unsigned int i = 0; i < 8; i++) {
		e = smpl_entry(&s, i, 0);
		CHECK_EQ(e->set, i / 2 % 2);
	}
}

/* Proves 3.4.3-05, 3.7.7-01 */
TEST(the_message_names_the_active_set)
{
	int fd = ctx_new(0);
	pfm_msg_t msg;

	ctx_create_set(fd, 0, BY_OVFL);
	ctx_create_set(fd, 5, BY_OVFL);
	add_counter(fd, 0, 0, NOTIFY, 10, 1);
	add_counter(fd, 5, 0, NOTIFY, 10, 1);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	for (unsigned int i = 0; i < 6; i++) {
		touch_pages(10, NULL);
		msg = ctx_next_message(fd);
		CHECK_EQ(msg.ovfl.msg_active_set, i % 2 ? 5 : 0);
		CHECK_EQ(ctx_read_set(fd, msg.ovfl.msg_active_set, 0), 0);
		/* Masked, it is still the active one; the restart switches. */
		CHECK_EQ(ctx_set_info(fd, 0).set_runs + ctx_set_info(fd, 5).set_runs,
			 i + 1);
		CHECK_OK(pfm_restart(fd));
	}
}

/* Proves 3.1.10-11, 3.7.6-06 */
TEST(the_effective_timeout_is_returned)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };
	int fd = ctx_new(0);
	__u64 tick;

	desc.set_timeout.tv_nsec = 1;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	tick = nanoseconds(&desc.set_timeout);
	CHECK(tick > 1 && tick <= TICK_MAX);
	desc.set_timeout.tv_nsec = tick + 1;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	CHECK_EQ(nanoseconds(&desc.set_timeout), 2 * tick);
}

/* Proves 3.1.5-15, 3.1.10-09, 3.7.6-05 */
TEST(sets_take_turns_by_time)
{
	__u64 before, after;
	int fd = ctx_new(0);

	for (unsigned int id = 0; id < 3; id++) {
		ctx_create_set(fd, id, BY_TIME);
		add_counter(fd, id, 0, 0, 0, 0);
	}
	ctx_load_self(fd);
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	CHECK_OK(pfm_start(fd, NULL));
	work_until_runs(fd, 2, 5);
	ctx_stop(fd);
	after = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	CHECK(ctx_set_info(fd, 1).set_runs >= 5 && ctx_set_info(fd, 0).set_runs >= 5);
	CHECK(ctx_set_info(fd, 0).set_runs - ctx_set_info(fd, 2).set_runs <= 1);
	/* The sets' times are the thread's, but for the switches. */
	CHECK(duration(fd, 0) + duration(fd, 1) + duration(fd, 2) <=
	      after - before);
	CHECK(duration(fd, 1) > 0);
}

/* However late the timers go off: no time is told twice. */
TEST(a_set_that_follows_itself_is_active_no_longer_than_its_thread)
{
	__u64 before, after;
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, BY_TIME);
	ctx_load_self(fd);
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	CHECK_OK(pfm_start(fd, NULL));
	work_until_runs(fd, 0, 200);
	ctx_stop(fd);
	after = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	CHECK(duration(fd, 0) <= after - before);
}

/* Proves 3.1.10-20, 3.7.6-10 */
TEST(a_timeout_does_not_pass_while_the_thread_sleeps)
{
	__u64 until, runs;
	int fd = ctx_new(0);
	struct worker w;

	worker_start(&w);
	ctx_create_set(fd, 0, BY_TIME);
	ctx_create_set(fd, 1, BY_TIME);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 1);
	wait_asleep(w.pid);
	runs = ctx_set_info(fd, 0).set_runs + ctx_set_info(fd, 1).set_runs;
	until = clock_ns(CLOCK_MONOTONIC) + 10 * TICK_MAX;
	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
	CHECK_EQ(ctx_set_info(fd, 0).set_runs + ctx_set_info(fd, 1).set_runs, runs);
	worker_quit(&w);
}

/* Proves 3.1.9-13, 3.1.12-12, 3.7.6-08 */
TEST(a_timeout_stands_still_while_masked)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };
	pfarg_setinfo_t before, after;
	int fd = ctx_new(0);
	__u64 until;

	/* Not over before the thread gets to its page fault. */
	desc.set_timeout.tv_sec = 1000;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	ctx_create_set(fd, 1, 0);
	add_counter(fd, 0, 0, NOTIFY, 1, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
	before = ctx_set_info(fd, 0);
	until = clock_ns(CLOCK_MONOTONIC) + 3 * TICK_MAX;
	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
	after = ctx_set_info(fd, 0);
	CHECK_EQ(after.set_runs, 1);
	CHECK_EQ(nanoseconds(&after.set_timeout),
		 nanoseconds(&before.set_timeout));
	CHECK_EQ(nanoseconds(&after.set_act_duration),
		 nanoseconds(&before.set_act_duration));
}

/* Proves P6-01 */
TEST(sets_of_a_cpu_take_turns_by_time)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_TIME);
		add_counter(fd, id, 0, 0, 0, 0);
	}
	faults_prepare();
	ctx_start_on(fd, thread_id());
	while (!ctx_read_set(fd, 0, 0) || !ctx_read_set(fd, 1, 0))
		touch_pages(1, NULL);
	ctx_stop(fd);
	CHECK(ctx_set_info(fd, 1).set_runs > 0);
}

/* Nanoseconds that a system-wide context counts while the CPU is mostly idle. */
static __u64 count_idleness(__u32 set_flags, __u64 *elapsed)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	pfarg_pmc_t pmc = {
		.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_CPU_CLOCK),
	};
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	__u64 before, counted;

	ctx_create_set(fd, 0, set_flags);
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	ctx_pin(0);
	ctx_start_on(fd, thread_id());
	before = clock_ns(CLOCK_MONOTONIC);
	CHECK_OK(nanosleep(&pause, NULL));
	*elapsed = clock_ns(CLOCK_MONOTONIC) - before;
	ctx_stop(fd);
	counted = ctx_read_set(fd, 0, 0);
	close(fd);
	return counted;
}

/* Proves 3.1.10-06 */
TEST(the_idle_thread_can_be_excluded)
{
	__u64 elapsed, all;

	all = count_idleness(0, &elapsed);
	CHECK(all >= elapsed);
	CHECK(count_idleness(PFM_SETFL_EXCL_IDLE, &elapsed) < elapsed / 2);
}

/* Proves 3.1.10-07 */
TEST(to_exclude_the_idle_thread_is_ignored_for_threads)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, PFM_SETFL_EXCL_IDLE);
	add_counter(fd, 0, 0, 0, 0, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(10, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 10);
	CHECK_EQ(ctx_set_info(fd, 0).set_flags, PFM_SETFL_EXCL_IDLE);
}

/* Proves 3.7.6-11 */
TEST(sets_of_a_cpu_take_turns_while_their_controller_waits)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	struct worker w;
	__u64 before;

	worker_start(&w);
	worker_do(&w, WORK_PIN, 0);
	ctx_pin(0);
	for (unsigned int id = 0; id < 2; id++)
		ctx_create_set(fd, id, BY_TIME);
	ctx_start_on(fd, thread_id());
	before = ctx_set_info(fd, 1).set_runs;
	worker_do(&w, WORK_TOUCH, 50000);
	CHECK(ctx_set_info(fd, 1).set_runs > before + 1);
	worker_quit(&w);
}

/* Proves 3.1.5-11 */
TEST(start_designates_a_set)
{
	pfarg_start_t start = { .start_set = 2 };
	int fd = ctx_new(0);

	ctx_create_set(fd, 2, 0);
	add_counter(fd, 0, 0, 0, 0, 0);
	add_counter(fd, 2, 0, 0, 0, 0);
	faults_prepare();
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(30, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 0);
	CHECK_EQ(ctx_read_set(fd, 2, 0), 30);
}

TEST(registers_of_an_inactive_set_can_be_written_while_it_counts)
{
	pfarg_start_t start = { .start_set = 2 };
	int fd = ctx_new(0);

	ctx_create_set(fd, 2, 0);
	add_counter(fd, 0, 0, 0, 0, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(10, NULL);
	add_counter(fd, 2, 1, 0, 0, 0);
	touch_pages(10, NULL);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(5, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 20);
	CHECK_EQ(ctx_read_set(fd, 2, 1), 5);
}

/* Proves 3.7.6-07, H07 */
TEST(a_context_with_sets_can_be_closed_at_any_time)
{
	faults_prepare();
	for (int round = 0; round < 50; round++) {
		int fd = ctx_new(0);

		ctx_create_set(fd, 0, BY_OVFL);
		ctx_create_set(fd, 1, BY_OVFL);
		add_counter(fd, 0, 0, 0, 1, 1);
		add_counter(fd, 1, 0, 0, 1, 1);
		ctx_start_on(fd, thread_id());
		touch_pages(round, NULL);
		CHECK_OK(close(fd));
	}
}

/* Counters of the hardware, cycles all of them; false if there are none. */
static bool add_cycles(int fd, unsigned int set, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		pfarg_pmc_t pmc = { .reg_num = i, .reg_set = set,
				    .reg_value = HARDWARE(CPU_CYCLES) };

		if (pfm_write_pmcs(fd, &pmc, 1) < 0)
			return false;
	}
	return true;
}

/* What one set cannot have, three have one after the other. */
/* Proves 3.7.1-02 */
TEST(more_counters_than_the_hardware_has_are_multiplexed)
{
	int fd = ctx_new(0);

	if (!add_cycles(fd, 0, HW_COUNTERS + 1))
		check_skip("needs a hardware PMU");
	ctx_load_self(fd);
	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
	CHECK(ctx_says(fd, "pfm_denied_pmds:\t0:7 "));
	close(fd);
	fd = ctx_new(0);
	for (unsigned int id = 0; id < 3; id++) {
		ctx_create_set(fd, id, BY_TIME);
		CHECK(add_cycles(fd, id, HW_USED));
	}
	ctx_start_on(fd, thread_id());
	work_until_runs(fd, 2, 4);
	ctx_stop(fd);
	for (unsigned int id = 0; id < 3; id++) {
		for (unsigned int i = 0; i < HW_USED; i++) {
			/* A cycle is a nanosecond there. */
			__u64 cycles = ctx_read_set(fd, id, i);

			CHECK(cycles > duration(fd, id) / 10 * 8);
			CHECK(cycles < duration(fd, id) / 10 * 12);
		}
	}
}
