// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * storm.c - overflow storms while contexts, threads, modules and CPUs come and
 * go
 *
 * Every page fault makes a counter overflow, and a clock overflows ten thousand
 * times a second. Meanwhile contexts are loaded, unloaded, restarted and
 * closed, threads exit or are killed, formats are loaded and unloaded, and a
 * CPU goes offline and back. $STORM_ROUNDS sets the amount of work, not the
 * time. With $PFM_NMI, the events are NMIs instead of page faults, as many as
 * the machine can handle.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "cpus.h"
#include "ctx.h"
#include "disturb.h"
#include "faults.h"
#include "kinds.h"
#include "rig.h"
#include "worker.h"

#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
/*
 * The clock's period in ns. If it were shorter, an emulated CPU on a busy host
 * might have no time for other work.
 */
#define PERIOD		100000
#define FAULTS		60
#define MANY_FAULTS	100000

static unsigned int rounds(void)
{
	const char *text = getenv("STORM_ROUNDS");

	return text ? strtoul(text, NULL, 0) : 1;
}

/*
 * Create a context whose counters overflow continuously. Return: its
 * descriptor, or -1 if this machine does not support the kind.
 */
static int storm_context(const struct kind *kind, __u32 flags)
{
	struct counter clock = counter(0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	struct counter faults = counter(1, PFM_REGFL_OVFL_NOTIFY, 1);
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = kind_create(kind, &ctx);

	if (fd < 0)
		return -1;
	clock.pmc.reg_value = CPU_CLOCK;
	pfm_bv_set(clock.pmc.reg_smpl_pmds, 1);
	counter_write(fd, &clock);
	counter_write(fd, &faults);
	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	return fd;
}

/*
 * Return whether a call succeeded. It may fail only because the thread has
 * exited, the CPU is offline, or the caller has migrated.
 */
static bool has_worked(int result)
{
	CHECK(!result || errno == EBUSY || errno == ENODEV);
	return !result;
}

/* Restart once for each message. Return: false after the end message. */
static bool restart_all(int fd)
{
	pfm_msg_t msg;

	while (read(fd, &msg, sizeof(msg)) == sizeof(msg)) {
		if (msg.msg_type == PFM_MSG_END)
			return false;
		has_worked(pfm_restart(fd));
	}
	return true;
}

static void work_and_restart(int fd)
{
	for (int i = 0; i < 4; i++) {
		touch_pages(FAULTS, NULL);
		restart_all(fd);
	}
}

/*
 * Monitor this process. Load and unload the context three times, then load it
 * again and close it while it is loaded.
 */
static void storm_self(void *kind)
{
	faults_prepare();
	for (unsigned int n = rounds(); n; n--) {
		int fd = storm_context(kind, 0);

		if (fd < 0)
			return;
		for (int i = 0; i < 3; i++) {
			ctx_start_on(fd, thread_id());
			work_and_restart(fd);
			if (i)
				ctx_stop(fd);
			CHECK_OK(pfm_unload_context(fd));
		}
		ctx_start_on(fd, thread_id());
		work_and_restart(fd);
		CHECK_OK(close(fd));
	}
}

/* A thread that exits, before or after its context is closed. */

struct exiting {
	pthread_barrier_t	barrier;
	pid_t			tid;
};

static void *touch_and_exit(void *arg)
{
	struct exiting *e = arg;

	e->tid = thread_id();
	pthread_barrier_wait(&e->barrier);
	pthread_barrier_wait(&e->barrier);
	touch_pages(FAULTS, NULL);
	return NULL;
}

static void monitor_exit(int fd, bool close_early)
{
	struct exiting e;
	pthread_t thread;

	pthread_barrier_init(&e.barrier, NULL, 2);
	CHECK(!pthread_create(&thread, NULL, touch_and_exit, &e));
	pthread_barrier_wait(&e.barrier);
	ctx_start_on(fd, e.tid);
	pthread_barrier_wait(&e.barrier);
	if (!close_early) {
		CHECK(!pthread_join(thread, NULL));
		ctx_wait_state(fd, "unloaded");
	}
	CHECK_OK(close(fd));
	if (close_early)
		CHECK(!pthread_join(thread, NULL));
}

static void storm_exits(void *kind)
{
	faults_prepare();
	for (unsigned int n = 4 * rounds(); n; n--) {
		int fd = storm_context(kind, 0);

		if (fd < 0)
			return;
		monitor_exit(fd, n % 2);
	}
}

/* Kill a process while its counters overflow. */
static void storm_kills(void *kind)
{
	for (unsigned int n = 2 * rounds(); n; n--) {
		int fd = storm_context(kind, 0);
		struct worker w;

		if (fd < 0)
			return;
		worker_start(&w);
		ctx_start_on(fd, w.pid);
		worker_ask(&w, WORK_TOUCH, MANY_FAULTS);
		while (worker_progress(&w) < FAULTS)
			restart_all(fd);
		worker_kill(&w);
		while (n % 2 && restart_all(fd))
			sched_yield();
		CHECK_OK(close(fd));
		close(w.ask);
		close(w.done);
	}
}

/* Monitor a CPU, which may go offline at any time. */
static void storm_cpu(const struct kind *kind, int cpu)
{
	pfarg_load_t load = { .load_pid = thread_id() };
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* If the CPU is offline, run on any CPU. */
	CHECK(!sched_setaffinity(0, sizeof(set), &set) || errno == EINVAL);
	fd = storm_context(kind, PFM_FL_SYSTEM_WIDE);
	if (fd < 0)
		return;
	if (has_worked(pfm_load_context(fd, &load)) &&
	    has_worked(pfm_start(fd, NULL))) {
		work_and_restart(fd);
		has_worked(pfm_stop(fd));
		has_worked(pfm_start(fd, NULL));
		work_and_restart(fd);
		has_worked(pfm_unload_context(fd));
	}
	CHECK_OK(close(fd));
}

static void storm_system(void *kind)
{
	faults_prepare();
	for (unsigned int n = 4 * rounds(); n; n--)
		storm_cpu(kind, n % 2);
}

/*
 * Run @function in one process per kind of context, and disturb these processes
 * with others.
 */
static void storm(void (*function)(void *kind))
{
	pid_t pids[NUM_KINDS], formats, cpus, births = 0;

	alarm(4 * check_timeout() * rounds());
	need_second_cpu();
	disturb_begin();
	rig_begin();
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		pids[i] = spawn(function, (void *)&kinds[i]);
	formats = spawn(disturb_formats, NULL);
	cpus = spawn(disturb_cpus, NULL);
	/*
	 * Families have per-thread contexts, which cannot be attached while a
	 * system-wide context is.
	 */
	if (function != storm_system)
		births = spawn(disturb_births, NULL);
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		reap(pids[i]);
	disturb_end();
	rig_end();
	reap(formats);
	reap(cpus);
	if (births)
		reap(births);
}

/* Proves H06, H07, H20 */
TEST(context_life_cycle_survives_overflow_storm)
{
	storm(storm_self);
}

/* Proves H09 */
TEST(threads_exit_while_they_overflow)
{
	storm(storm_exits);
}

TEST(processes_are_killed_while_they_overflow)
{
	storm(storm_kills);
}

/* Proves H20 */
TEST(cpus_go_offline_while_they_overflow)
{
	storm(storm_system);
}
