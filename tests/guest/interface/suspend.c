// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * suspend.c - contexts while the machine is suspended
 *
 * The kernel suspends as far as its test level says, waits for a second, and
 * resumes. Clocks go on meanwhile, and so would anything still counted.
 */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cpus.h"
#include "ctx.h"
#include "files.h"
#include "worker.h"

#define CLOCK(id)	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id)
#define PM_TEST		"/sys/power/pm_test"
#define SECOND		1000000000ULL
#define PERIOD		4

static void suspend_to(const char *level)
{
	if (access(PM_TEST, W_OK))
		check_skip("needs a kernel with CONFIG_PM_DEBUG");
	write_text("/sys/module/suspend/parameters/pm_test_delay", "1");
	write_text(PM_TEST, level);
	write_text("/sys/power/state", "mem");
}

/* A context whose PMD0 counts the nanoseconds of a thread or CPU. */
static int new_clock(__u32 flags, __u64 event)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(flags);

	c.pmc.reg_value = event;
	counter_write(fd, &c);
	return fd;
}

/* What counts time does not count the second, and goes on. */
static void expect_pause(int fd, const char *level)
{
	__u64 before = clock_ns(CLOCK_MONOTONIC), count;

	ctx_start_on(fd, thread_id());
	suspend_to(level);
	count = ctx_read(fd, 0);
	CHECK(count > 0);
	CHECK(clock_ns(CLOCK_MONOTONIC) - before - count >= SECOND);
	ctx_expect_state(fd, "started");
	while (ctx_read(fd, 0) == count)
		;
}

/* Proves H21 */
TEST(what_a_cpu_counts_stops_and_goes_on)
{
	ctx_pin(0);
	expect_pause(new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK)),
		     "freezer");
}

/* Proves H21 */
TEST(what_the_suspending_thread_counts_stops_and_goes_on)
{
	expect_pause(new_clock(0, CLOCK(TASK_CLOCK)), "freezer");
}

/* Proves H21 */
TEST(contexts_survive_that_devices_and_cpus_are_suspended)
{
	int fd = new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK));

	need_second_cpu();
	ctx_pin(1);
	ctx_start_on(fd, thread_id());
	ctx_pin(0);
	expect_pause(new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK)),
		     "processors");
	/* This CPU was taken offline. */
	ctx_expect_state(fd, "offline");
	CHECK_OK(pfm_unload_context(fd));
}

/* Proves H21 */
TEST(blocked_thread_is_frozen_and_stays_blocked)
{
	int fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, PERIOD);
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, PERIOD + 1);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	suspend_to("freezer");
	CHECK_EQ(worker_progress(&w), PERIOD - 1);
	CHECK_OK(pfm_restart(fd));
	worker_wait(&w);
	CHECK_EQ(worker_progress(&w), PERIOD + 1);
	worker_quit(&w);
}
