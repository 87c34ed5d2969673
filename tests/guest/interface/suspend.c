// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * suspend.c - contexts while the machine is suspended
 *
 * The kernel suspends as far as its test level (pm_test) says, waits for a
 * second, and resumes. The clocks that the tests count keep running during that
 * second, so a counter that perfmon did not pause would include that second.
 */
#define _GNU_SOURCE
#include <sched.h>
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

/* Set how far suspend() suspends the machine, and for how many seconds. */
static void set_suspend(const char *level, const char *seconds)
{
	if (access(PM_TEST, W_OK))
		check_skip("needs a kernel with CONFIG_PM_DEBUG");
	write_text("/sys/module/suspend/parameters/pm_test_delay", seconds);
	write_text(PM_TEST, level);
}

static void suspend(void)
{
	write_text("/sys/power/state", "mem");
}

static void suspend_to(const char *level)
{
	set_suspend(level, "1");
	suspend();
}

/* Create a context in which PMD0 counts the nanoseconds of a thread or CPU. */
static int new_clock(__u32 flags, __u64 event)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(flags);

	c.pmc.reg_value = event;
	counter_write(fd, &c);
	return fd;
}

/*
 * Check that the suspended second is not counted, and that counting continues.
 */
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
TEST(cpu_counts_pause_during_suspend)
{
	ctx_pin(0);
	expect_pause(new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK)),
		     "freezer");
}

/* Proves H21 */
TEST(thread_counts_pause_during_suspend)
{
	expect_pause(new_clock(0, CLOCK(TASK_CLOCK)), "freezer");
}

/* Proves H21 */
TEST(contexts_survive_suspend_of_devices_and_cpus)
{
	int fd = new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK));

	need_second_cpu();
	ctx_pin(1);
	ctx_start_on(fd, thread_id());
	ctx_pin(0);
	expect_pause(new_clock(PFM_FL_SYSTEM_WIDE, CLOCK(CPU_CLOCK)),
		     "processors");
	/* The suspend has taken CPU 1 offline. */
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

/*
 * Stop after CYCLES suspends, or after CYCLES_NS, because a debug kernel on a
 * busy machine is slow.
 */
#define CYCLES		1000
#define CYCLES_NS	(100 * SECOND)

/* A running thread with event sets that take turns. */
struct turns {
	struct worker	w;
	int		fd;
};

static void start_turns(struct turns *t)
{
	pfarg_setdesc_t descs[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout.tv_nsec = 1 },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout.tv_nsec = 1 },
	};

	worker_start(&t->w);
	t->fd = ctx_counting();
	CHECK_OK(pfm_create_evtsets(t->fd, descs, ARRAY_SIZE(descs)));
	ctx_add_set_counter(t->fd, 1, 0, 0, 0, 0);
	ctx_start_on(t->fd, t->w.pid);
	worker_ask(&t->w, WORK_TOUCH, ~0U);
}

static void expect_turns(const struct turns *t)
{
	for (int set = 0; set < 2; set++) {
		__u64 count = ctx_read_set(t->fd, set, 0);

		while (ctx_read_set(t->fd, set, 0) == count)
			sched_yield();
	}
}

/*
 * A running thread, and another process that restarts the context after each
 * overflow.
 */
struct restarts {
	struct worker	w;
	int		fd;
	pid_t		restarter;
};

static void restart_always(void *fd)
{
	for (;;) {
		ctx_expect_message(*(int *)fd, PFM_MSG_OVFL);
		CHECK_OK(pfm_restart(*(int *)fd));
	}
}

static void start_restarts(struct restarts *r)
{
	worker_start(&r->w);
	r->fd = ctx_notifying_on(&r->w, 1000);
	r->restarter = spawn(restart_always, &r->fd);
	worker_ask(&r->w, WORK_TOUCH, ~0U);
}

/* Check that the counter's value keeps changing. */
static void expect_restarts(const struct restarts *r)
{
	for (int i = 0; i < 3; i++) {
		__u64 count = ctx_read(r->fd, 0);

		while (ctx_read(r->fd, 0) == count)
			sched_yield();
	}
}

/* Proves H21 */
TEST(threads_keep_counting_after_many_suspends)
{
	__u64 begin = clock_ns(CLOCK_MONOTONIC);
	struct restarts r;
	struct turns t;

	set_suspend("freezer", "0");
	start_turns(&t);
	start_restarts(&r);
	for (int i = 0; i < CYCLES &&
	     clock_ns(CLOCK_MONOTONIC) - begin < CYCLES_NS; i++)
		suspend();
	expect_turns(&t);
	expect_restarts(&r);
}
