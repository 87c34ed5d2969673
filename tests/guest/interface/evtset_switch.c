// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * evtset_switch.c - switch event sets by overflows and by time (specification
 *		     3.7)
 */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "worker.h"

#define TICK_MAX	10000000	/* longest possible tick in ns */
#define BY_TIME		PFM_SETFL_TIME_SWITCH
#define BY_OVFL		PFM_SETFL_OVFL_SWITCH
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define HARDWARE(id)	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id)
#define HW_COUNTERS	7	/* of the emulated PMU */
#define HW_USED		6	/* used by each set */

static __u64 runs_of(int fd, unsigned int set)
{
	return ctx_set_info(fd, set).set_runs;
}

/* Proves 3.1.5-15, 3.1.10-08, 3.7.6-15 */
TEST(overflows_switch_before_the_next_event)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, BY_OVFL);
	ctx_create_set(fd, 1, 0);
	ctx_add_set_counter(fd, 0, 0, 0, 100, 3);
	ctx_add_set_counter(fd, 1, 0, 0, 0, 0);
	ctx_start_self(fd);
	touch_pages(1000, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 1, 0), 700);
	CHECK_EQ(ctx_set_info(fd, 0).set_switch_pmds[0], 1);
	CHECK_EQ(runs_of(fd, 0), 1);
	CHECK_EQ(runs_of(fd, 1), 1);
}

/* Proves 3.1.8-11, 3.7.6-07 */
TEST(no_set_is_switched_after_unload)
{
	int fd = ctx_new(0);

	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		ctx_add_set_counter(fd, id, 0, 0, 10, 1);
	}
	ctx_start_self(fd);
	touch_pages(25, NULL);
	CHECK_OK(pfm_unload_context(fd));
	touch_pages(100, NULL);
	CHECK_EQ(runs_of(fd, 0), 2);
	CHECK_EQ(runs_of(fd, 1), 1);
}

/* Proves 3.7.1-03, P6-02, P6.1-03 */
TEST(sets_that_switch_by_overflows_share_all_events)
{
	int fd = ctx_new(0);

	for (unsigned int id = 0; id < 3; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		ctx_add_set_counter(fd, id, 0, 0, 10, 1);
		ctx_add_set_counter(fd, id, 1, 0, 0, 0);
	}
	ctx_start_self(fd);
	touch_pages(305, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 1), 105);
	CHECK_EQ(ctx_read_set(fd, 1, 1), 100);
	CHECK_EQ(ctx_read_set(fd, 2, 1), 100);
	CHECK_EQ(runs_of(fd, 0), 11);
}

/* Proves 3.7.3-01, P6-01 */
TEST(sets_switch_on_overflows_of_another_thread)
{
	int fd = ctx_new(0);
	struct worker w;

	worker_start(&w);
	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_OVFL);
		ctx_add_set_counter(fd, id, 0, 0, 7, 1);
		ctx_add_set_counter(fd, id, 1, 0, 0, 0);
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
		ctx_add_set_counter(s.fd, id, 0, 0, 10, 2);
	}
	ctx_start_self(s.fd);
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
	ctx_add_set_counter(fd, 0, 0, NOTIFY, 10, 1);
	ctx_add_set_counter(fd, 5, 0, NOTIFY, 10, 1);
	ctx_start_self(fd);
	for (unsigned int i = 0; i < 6; i++) {
		touch_pages(10, NULL);
		msg = ctx_next_message(fd);
		CHECK_EQ(msg.ovfl.msg_active_set, i % 2 ? 5 : 0);
		CHECK_EQ(ctx_read_set(fd, msg.ovfl.msg_active_set, 0), 0);
		/*
		 * While the context is masked, the set stays active. Only the
		 * restart switches to the next set.
		 */
		CHECK_EQ(runs_of(fd, 0) + runs_of(fd, 5),
			 i + 1);
		CHECK_OK(pfm_restart(fd));
	}
}

static __u64 duration(int fd, unsigned int set)
{
	pfarg_setinfo_t info = ctx_set_info(fd, set);

	return nanoseconds(&info.set_act_duration);
}

/* Spin until a set has become active @runs times. */
static void work_until_runs(int fd, unsigned int set, __u64 runs)
{
	while (runs_of(fd, set) < runs)
		for (volatile int i = 0; i < 100000; i++)
			;
}

/* Proves 3.1.5-15, 3.1.10-09, 3.7.6-05 */
TEST(sets_take_turns_by_time)
{
	int fd = ctx_new(0), clock;

	for (unsigned int id = 0; id < 3; id++) {
		ctx_create_set(fd, id, BY_TIME);
		ctx_add_set_counter(fd, id, 0, 0, 0, 0);
	}
	ctx_load_self(fd);
	clock = thread_clock();
	CHECK_OK(pfm_start(fd, NULL));
	work_until_runs(fd, 2, 5);
	ctx_stop(fd);
	CHECK(runs_of(fd, 1) >= 5 && runs_of(fd, 0) >= 5);
	CHECK(runs_of(fd, 0) - runs_of(fd, 2) <= 1);
	/*
	 * While the thread ran, one of the sets was active, except during the
	 * switches.
	 */
	CHECK(duration(fd, 0) + duration(fd, 1) + duration(fd, 2) <=
	      thread_clock_ns(clock));
	CHECK(duration(fd, 1) > 0);
}

/* Timers may expire late, but no time must be counted twice. */
TEST(set_following_itself_counts_no_time_twice)
{
	int fd = ctx_new(0), clock;

	ctx_create_set(fd, 0, BY_TIME);
	ctx_load_self(fd);
	clock = thread_clock();
	CHECK_OK(pfm_start(fd, NULL));
	work_until_runs(fd, 0, 400);
	ctx_stop(fd);
	CHECK(duration(fd, 0) <= thread_clock_ns(clock));
}

static void pass_time(__u64 ns)
{
	__u64 until = clock_ns(CLOCK_MONOTONIC) + ns;

	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
}

/* Proves 3.1.10-20, 3.7.6-10 */
TEST(timeout_pauses_while_the_thread_sleeps)
{
	int fd = ctx_new(0);
	struct worker w;
	__u64 runs;

	worker_start(&w);
	ctx_create_set(fd, 0, BY_TIME);
	ctx_create_set(fd, 1, BY_TIME);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 1);
	wait_asleep(w.pid);
	runs = runs_of(fd, 0) + runs_of(fd, 1);
	pass_time(10 * TICK_MAX);
	CHECK_EQ(runs_of(fd, 0) + runs_of(fd, 1), runs);
	worker_quit(&w);
}

/*
 * Return the remaining time of set0's timeout. Check that remaining and active
 * time add up to the timeout.
 */
static __u64 time_left(int fd, __u64 timeout)
{
	pfarg_setinfo_t info = ctx_set_info(fd, 0);
	__u64 left = nanoseconds(&info.set_timeout);

	CHECK_EQ(info.set_runs, 1);
	CHECK_EQ(left + nanoseconds(&info.set_act_duration), timeout);
	return left;
}

/* Proves 3.1.10-20, 3.1.12-10, 3.1.12-11, 3.7.6-10 */
TEST(remaining_timeout_is_kept_while_thread_sleeps)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };
	__u64 timeout, left[2];
	int fd = ctx_new(0);
	struct worker w;

	/*
	 * The timeout is so long that it does not expire during the test even
	 * on a slow machine.
	 */
	desc.set_timeout.tv_sec = 1000;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	timeout = nanoseconds(&desc.set_timeout);
	worker_start(&w);
	ctx_start_on(fd, w.pid);
	left[0] = timeout;
	for (int i = 0; i < 3; i++) {
		/* Repeat, because some clocks advance only at ticks. */
		do {
			worker_do(&w, WORK_TOUCH, 1000);
			wait_asleep(w.pid);
			left[1] = time_left(fd, timeout);
		} while (left[1] == left[0]);
		CHECK(left[1] < left[0]);
		pass_time(3 * TICK_MAX);
		CHECK_EQ(time_left(fd, timeout), left[1]);
		left[0] = left[1];
	}
	worker_quit(&w);
}

/* Proves 3.1.9-13, 3.1.12-12, 3.7.6-08 */
TEST(timeout_pauses_while_masked)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };
	pfarg_setinfo_t before, after;
	int fd = ctx_new(0);

	/*
	 * The timeout is so long that it does not expire before the thread's
	 * page fault masks the context.
	 */
	desc.set_timeout.tv_sec = 1000;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	ctx_create_set(fd, 1, 0);
	ctx_add_set_counter(fd, 0, 0, NOTIFY, 1, 0);
	ctx_start_self(fd);
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
	before = ctx_set_info(fd, 0);
	pass_time(3 * TICK_MAX);
	after = ctx_set_info(fd, 0);
	CHECK_EQ(after.set_runs, 1);
	CHECK_EQ(nanoseconds(&after.set_timeout),
		 nanoseconds(&before.set_timeout));
	CHECK_EQ(nanoseconds(&after.set_act_duration),
		 nanoseconds(&before.set_act_duration));
}

/* Proves P6-01 */
TEST(cpu_sets_alternate_by_time)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(fd, id, BY_TIME);
		ctx_add_set_counter(fd, id, 0, 0, 0, 0);
	}
	ctx_start_self(fd);
	while (!ctx_read_set(fd, 0, 0) || !ctx_read_set(fd, 1, 0))
		touch_pages(1, NULL);
	ctx_stop(fd);
	CHECK(runs_of(fd, 1) > 0);
}

/* Proves 3.7.6-11 */
TEST(cpu_sets_alternate_while_controller_sleeps)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	unsigned long n = 1000;
	struct worker w;
	__u64 before;

	worker_start(&w);
	worker_do(&w, WORK_PIN, 0);
	ctx_pin(0);
	for (unsigned int id = 0; id < 2; id++)
		ctx_create_set(fd, id, BY_TIME);
	ctx_start_on(fd, thread_id());
	/*
	 * This thread sleeps in each worker_do() until the worker has touched
	 * all pages.
	 */
	do {
		before = runs_of(fd, 1);
		worker_do(&w, WORK_TOUCH, n);
		n *= 2;
	} while (runs_of(fd, 1) <= before + 1);
	worker_quit(&w);
}

/*
 * The session samples all threads of CPU 0. A worker pinned there must account
 * for most of the samples.
 */
/* Proves 3.6-02, 3.6-03, 3.6.4-05, P6-01, P6-02 */
TEST(cpu_sets_alternate_while_sampling)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 18, 0);
	const pfm_default_smpl_entry_t *e;
	unsigned int of_worker = 0;
	struct worker w;

	for (unsigned int id = 0; id < 2; id++) {
		ctx_create_set(s.fd, id, BY_OVFL);
		ctx_add_set_counter(s.fd, id, id, 0, 10, 2);
	}
	worker_start_pinned(&w);
	ctx_pin(0);
	ctx_start_on(s.fd, thread_id());
	/*
	 * After a switch, events are discarded until the PMU has been
	 * programmed for the new set, so repeat until there are enough samples.
	 */
	do
		worker_do(&w, WORK_TOUCH, 100);
	while (s.hdr->hdr_count < 100);
	ctx_stop(s.fd);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++) {
		e = smpl_entry(&s, i, 0);
		CHECK_EQ(e->set, i / 2 % 2);
		CHECK_EQ(e->ovfl_pmd, e->set);
		CHECK_EQ(e->cpu, 0);
		CHECK_EQ(e->last_reset_val, -10ULL);
		of_worker += e->tgid == (__u32)w.pid;
	}
	CHECK(of_worker > 90);
	CHECK_EQ(runs_of(s.fd, 0) + runs_of(s.fd, 1),
		 1 + s.hdr->hdr_count / 2);
	worker_quit(&w);
}

/*
 * Add @n hardware counters that count cycles. Return: false if the machine does
 * not have a hardware PMU.
 */
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

/* Three sets take turns. Together they use more counters than the PMU has. */
/* Proves 3.7.1-02 */
TEST(event_sets_multiplex_hardware_counters)
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
			/*
			 * On the emulated machine, a cycle takes a nanosecond.
			 */
			__u64 cycles = ctx_read_set(fd, id, i);

			CHECK(cycles > duration(fd, id) / 10 * 8);
			CHECK(cycles < duration(fd, id) / 10 * 12);
		}
	}
}
