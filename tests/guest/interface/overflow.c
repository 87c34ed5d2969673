// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * overflow.c - sample without a format: the tool samples when it receives a
 *		message (specification 3.4)
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "worker.h"

#define PERIOD		5
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static void wait_for_timer(int timer)
{
	const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	__u64 ticks;

	CHECK_OK(timerfd_settime(timer, 0, &soon, NULL));
	CHECK_EQ(read(timer, &ticks, sizeof(ticks)), sizeof(ticks));
}

/* Proves 3.4-01 */
TEST(sampling_by_time_needs_only_a_timer)
{
	int timer = CHECK_OK(timerfd_create(CLOCK_MONOTONIC, 0));
	int fd = ctx_counting();
	unsigned long progress;
	__u64 last = 0, value;
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	/*
	 * Ten intervals may be too few, because the worker may get no CPU time
	 * in them.
	 */
	for (int i = 0; i < 10 || !last; i++) {
		wait_for_timer(timer);
		ctx_stop(fd);
		value = ctx_read(fd, 0);
		CHECK(value >= last);
		/*
		 * Between the intervals, the worker runs without being counted.
		 */
		progress = worker_progress(&w);
		while (worker_progress(&w) < progress + 10)
			sched_yield();
		CHECK_EQ(ctx_read(fd, 0), value);
		last = value;
		CHECK_OK(pfm_start(fd, NULL));
	}
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
