// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * release.c - measure how long a monitored thread takes to release its events
 *
 * Releasing the last event of a tracepoint waits for RCU grace periods. The
 * times are reproducible, because the guest's clock counts instructions.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "worker.h"

#define EVENTS		"/sys/kernel/tracing/events/"
#define PAIRS		16
#define SETS		20
#define TRACEPOINTS	(SETS * PAIRS)

/*
 * Find @n tracepoints that nothing else uses. Leave out ftrace's and the system
 * calls' tracepoints, which are special, and the busiest ones, whose hits would
 * take time.
 */
static void find_tracepoints(__u64 *ids, unsigned int n)
{
	static const char *const left_out[] = {
		"/ftrace/", "syscalls/", "/sched/", "/irq/", "/timer/", "/rcu/",
		"/kprobes/", "/initcall/", "/ipi/",
	};
	unsigned int found = 0;
	glob_t files;

	CHECK(!glob(EVENTS "*/*/id", 0, NULL, &files));
	for (size_t i = 0; i < files.gl_pathc && found < n; i++) {
		const char *path = files.gl_pathv[i];
		bool usable = true;

		for (unsigned int j = 0; j < ARRAY_SIZE(left_out); j++)
			usable &= !strstr(path, left_out[j]);
		if (usable)
			ids[found++] = read_number(path);
	}
	globfree(&files);
	CHECK_EQ(found, n);
}

static __u64 now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Kill and reap a worker. Return: the time that this takes. */
static __u64 killing(const struct worker *w)
{
	__u64 start = now();

	worker_kill(w);
	return now() - start;
}

/*
 * Open a tracepoint event for a thread with perf. Return: the event's
 * descriptor.
 */
static int open_tracepoint(pid_t tid, __u64 id)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
	};

	return CHECK_OK(syscall(SYS_perf_event_open, &attr, tid, -1, -1, 0));
}

/*
 * Kill a worker that perf's events monitor. Return: the time until it is
 * reaped.
 */
static __u64 killing_under_perf(const __u64 *ids)
{
	struct worker w;
	__u64 time;

	worker_start(&w);
	for (unsigned int i = 0; i < TRACEPOINTS; i++)
		open_tracepoint(w.pid, ids[i]);
	time = killing(&w);
	return time;
}

/* Write all 16 PMCs of a set with tracepoints. */
static void write_set(int fd, unsigned int set, const __u64 *ids)
{
	pfarg_pmc_t pmcs[PAIRS] = {};

	for (unsigned int i = 0; i < PAIRS; i++) {
		pmcs[i].reg_num = i;
		pmcs[i].reg_set = set;
		pmcs[i].reg_value = PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT,
						   ids[i]);
	}
	CHECK_OK(pfm_write_pmcs(fd, pmcs, PAIRS));
}

/*
 * Create a context with all tracepoints. Writing the PMCs leaves events that
 * are released later. Load and unload the context to release them now.
 */
static int new_context(const __u64 *ids)
{
	int fd = ctx_new(0);

	for (unsigned int i = 0; i < SETS; i++) {
		ctx_create_set(fd, i, 0);
		write_set(fd, i, ids + i * PAIRS);
	}
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	return fd;
}

static void allow_descriptors(void)
{
	struct rlimit limit = { 1000, 1000 };

	CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
}

TEST(exit_costs_at_most_twice_that_under_perf)
{
	__u64 ids[TRACEPOINTS], perfs, ours;
	struct worker w;
	int fd;

	allow_descriptors();
	find_tracepoints(ids, TRACEPOINTS);
	fd = new_context(ids);
	worker_start(&w);
	ctx_start_on(fd, w.pid);
	ours = killing(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	/*
	 * Close the context, which releases all events, so that perf is
	 * measured under the same conditions.
	 */
	close(fd);
	perfs = killing_under_perf(ids);
	printf("# exit: %llu us under perf, %llu us under perfmon\n",
	       perfs / 1000, ours / 1000);
	need_exact_clock();
	CHECK(ours <= 2 * perfs);
}

/* Return the time that the worker takes to execute the set-uid program. */
static __u64 executing(const struct worker *w)
{
	__u64 start = now();

	worker_do(w, WORK_EXEC_SETID, 0);
	return now() - start;
}

/*
 * When a thread executes a set-uid program, the kernel removes the thread's
 * events. A context attached by an administrator continues, so the new program
 * must wait until perfmon has created new events. It must not have to wait
 * until the old events are released.
 */
TEST(setuid_exec_waits_for_new_events_only)
{
	__u64 ids[TRACEPOINTS], load, alone, ours;
	struct worker w;
	int fd;

	worker_make_setid();
	find_tracepoints(ids, TRACEPOINTS);
	worker_start_as_nobody(&w);
	alone = executing(&w);
	worker_quit(&w);
	fd = new_context(ids);
	worker_start_as_nobody(&w);
	load = now();
	ctx_start_on(fd, w.pid);
	load = now() - load;
	ours = executing(&w);
	printf("# exec: %llu us alone, %llu us under perfmon; load: %llu us\n",
	       alone / 1000, ours / 1000, load / 1000);
	ctx_expect_state(fd, "started");
	worker_quit(&w);
	need_exact_clock();
	CHECK(ours <= alone + 2 * load);
}

/* Compare writing a PMC with perf_event_open(), which also creates an event. */
TEST(writing_pmcs_costs_as_much_as_opening_events)
{
	__u64 ids[PAIRS], perfs, ours;
	int fd = ctx_new(0), fds[PAIRS];

	find_tracepoints(ids, PAIRS);
	ours = now();
	write_set(fd, 0, ids);
	ours = now() - ours;
	close(fd);
	perfs = now();
	for (unsigned int i = 0; i < PAIRS; i++)
		fds[i] = open_tracepoint(thread_id(), ids[i]);
	perfs = now() - perfs;
	for (unsigned int i = 0; i < PAIRS; i++)
		close(fds[i]);
	printf("# 16 tracepoints: %llu us for perf, %llu us for perfmon\n",
	       perfs / 1000, ours / 1000);
	need_exact_clock();
	CHECK(ours <= 2 * perfs);
}
