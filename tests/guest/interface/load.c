// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * load.c - attach contexts to threads and CPUs, start and stop them
 *	    (specification 3.1.5 - 3.1.8)
 */
#define _GNU_SOURCE
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

/* PFM_LOAD_CONTEXT */

/* Proves 3.1.7-02 */
TEST(load_takes_exactly_one_argument)
{
	pfarg_load_t load = { .load_pid = thread_id() };
	int fd = ctx_new(0);

	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 0), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 2), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, -1), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_LOAD_CONTEXT, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_load_context(fd, BAD_ADDRESS), EFAULT);
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1-08, 3.1.7-31, P7-01 */
TEST(load_refuses_unknown_set_and_reserved_fields)
{
	pfarg_load_t set = { .load_pid = thread_id(), .load_set = 1 };
	pfarg_load_t first = { .load_pid = thread_id(), .reserved1 = 1 };
	pfarg_load_t last = { .load_pid = thread_id(),
			      .reserved2 = { 0, 1 } };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_load_context(fd, &set), EINVAL);
	CHECK_ERRNO(pfm_load_context(fd, &first), EINVAL);
	CHECK_ERRNO(pfm_load_context(fd, &last), EINVAL);
	ctx_expect_state(fd, "unloaded");
}

static int load_result(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

/* Proves 3.1.7-04 */
TEST(load_refuses_unknown_thread)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(load_result(fd, 0x7fffffff), ESRCH);
	CHECK_ERRNO(load_result(fd, 0), ESRCH);
	CHECK_ERRNO(load_result(fd, -1), ESRCH);
	ctx_load_self(fd);
}

/* Proves 3.1.7-04, H09 */
TEST(load_refuses_a_thread_that_has_exited)
{
	struct worker w;
	int fd = ctx_counting();
	siginfo_t info;

	worker_start(&w);
	CHECK_OK(kill(w.pid, SIGKILL));
	CHECK_OK(waitid(P_PID, w.pid, &info, WEXITED | WNOWAIT));
	/* The thread is now a zombie. */
	CHECK_ERRNO(ctx_try_load(fd, w.pid), ESRCH);
	wait_for(w.pid);
	CHECK_ERRNO(ctx_try_load(fd, w.pid), ESRCH);
}

static void *load_first_thread(void *fd)
{
	CHECK_ERRNO(load_result(*(int *)fd, getpid()), EINVAL);
	return NULL;
}

/* Proves 3.1.1-10 */
TEST(load_refuses_blocking_own_process)
{
	int fd = ctx_new(PFM_FL_NOTIFY_BLOCK);
	pthread_t other;

	CHECK_ERRNO(load_result(fd, thread_id()), EINVAL);
	CHECK(!pthread_create(&other, NULL, load_first_thread, &fd));
	CHECK(!pthread_join(other, NULL));
}

/* Proves 3.1.7-05, 3.1.7-07, 4.2-07, P4.1-08 */
TEST(load_refuses_loaded_context)
{
	int fd = ctx_new(0);

	ctx_load_self(fd);
	CHECK_ERRNO(load_result(fd, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(fd));
	ctx_load_self(fd);
}

/* Proves 3.1.7-06, 3.1.7-07, 3.1.8-08, P4.1-09, P4.1-12 */
TEST(load_refuses_second_context_of_a_thread)
{
	int first = ctx_new(0), second = ctx_new(0);

	ctx_load_self(first);
	CHECK_ERRNO(load_result(second, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(first));
	ctx_load_self(second);
	CHECK_ERRNO(load_result(first, thread_id()), EBUSY);
	close(second);
	ctx_load_self(first);
}

/* Proves 3.1.7-14, P4.1-11 */
TEST(threads_have_contexts_of_their_own)
{
	int mine = ctx_new(0), other = ctx_new(0);
	struct worker w;

	worker_start(&w);
	ctx_load_self(mine);
	ctx_load(other, w.pid);
	worker_quit(&w);
}

/* Proves 3.1.7-20, 3.1.8-08, P4.1-09 */
TEST(load_refuses_second_context_of_a_cpu)
{
	int first = ctx_new(PFM_FL_SYSTEM_WIDE);
	int second = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	ctx_load_self(first);
	CHECK_ERRNO(load_result(second, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(first));
	ctx_load_self(second);
}

static void *load_in_second_thread(void *arg)
{
	int fd = *(int *)arg;

	/* getpid() returns the ID of the process, not of the calling thread. */
	CHECK_ERRNO(load_result(fd, getpid()), EINVAL);
	ctx_load_self(fd);
	return NULL;
}

/* Proves 3.1.7-15 */
TEST(system_wide_load_names_the_calling_thread)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	pthread_t thread;

	ctx_pin(0);
	CHECK_ERRNO(load_result(fd, getppid()), EINVAL);
	CHECK_ERRNO(load_result(fd, 0), EINVAL);
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	CHECK(!pthread_create(&thread, NULL, load_in_second_thread, &fd));
	CHECK(!pthread_join(thread, NULL));
	ctx_expect_state(fd, "stopped");
}

/* Proves 3.1.7-23, 3.1.7-24, P4.1-10 */
TEST(thread_and_system_wide_contexts_exclude_each_other)
{
	int thread = ctx_new(0), system = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	ctx_load_self(thread);
	CHECK_ERRNO(load_result(system, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(thread));
	ctx_load_self(system);
	CHECK_ERRNO(load_result(thread, thread_id()), EBUSY);
	CHECK_OK(pfm_unload_context(system));
	ctx_load_self(thread);
}

static void load_is_not_permitted(void *parent)
{
	int fd;

	become_nobody();
	fd = ctx_counting();
	CHECK_ERRNO(load_result(fd, *(pid_t *)parent), EPERM);
	/* At this paranoid level, users must not monitor the kernel. */
	CHECK_ERRNO(load_result(fd, thread_id()), EPERM);
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1.7-08, 4.1-01, 4.1-02, 4.2-08, P7-05, H17 */
TEST(load_needs_permission)
{
	pid_t self = getpid();
	struct param_run r = { "paranoid", "2", load_is_not_permitted, &self };

	with_param(&r);
}

static void user_level_is_permitted(void *arg)
{
	struct counter c = counter(0, 0, 0);
	struct worker w;
	int fd;

	become_nobody();
	worker_start(&w);
	fd = ctx_new(0);
	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	counter_write(fd, &c);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 6);
	CHECK_EQ(ctx_read(fd, 0), 6);
	worker_quit(&w);
}

/* Proves 4.1-04 */
TEST(users_may_measure_their_own_threads_at_user_level)
{
	struct param_run r = { "paranoid", "2", user_level_is_permitted, NULL };

	with_param(&r);
}

/* Proves 3.1.5-05, 3.1.8-06, P4.1-15 */
TEST(context_can_be_loaded_on_successive_threads)
{
	int fd = ctx_counting();

	for (int i = 1; i <= 3; i++) {
		struct worker w;

		worker_start(&w);
		ctx_start_on(fd, w.pid);
		worker_do(&w, WORK_TOUCH, 10);
		CHECK_OK(pfm_unload_context(fd));
		worker_do(&w, WORK_TOUCH, 10);
		worker_quit(&w);
		CHECK_EQ(ctx_read(fd, 0), 10 * i);
	}
}

#define PAIRS	16	/* PMC and PMD pairs of the perf PMU */

/*
 * Create a context in which all counters count, each from a different start
 * value.
 */
static int new_with_all_counters(void)
{
	int fd = ctx_new(0);

	for (unsigned int i = 0; i < PAIRS; i++)
		ctx_add_counter(fd, i, 0, 1000 * (i + 1));
	return fd;
}

/* Proves 3.1.7-11, 3.1.2-19, 4.2-06 */
TEST(next_context_inherits_no_register_values)
{
	int first = new_with_all_counters(), second = ctx_counting();

	ctx_start_self(first);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(first, PAIRS - 1), -1000ULL * PAIRS + 5);
	CHECK_OK(pfm_unload_context(first));
	ctx_start_on(second, thread_id());
	touch_pages(7, NULL);
	CHECK_EQ(ctx_read(second, 0), 7);
	for (unsigned int i = 1; i < PAIRS; i++)
		CHECK_EQ(ctx_read(second, i), 0);
	CHECK_OK(pfm_unload_context(second));
	for (unsigned int i = 1; i < PAIRS; i++)
		CHECK_EQ(ctx_read(second, i), 0);
	/*
	 * The second context's values do not appear in the first context
	 * either.
	 */
	ctx_start_on(first, thread_id());
	touch_pages(1, NULL);
	for (unsigned int i = 0; i < PAIRS; i++)
		CHECK_EQ(ctx_read(first, i), -1000ULL * (i + 1) + 6);
}

/*
 * Pipes of a process whose second thread reports its ID and causes page faults.
 */
struct second {
	int	name;
	int	go;
};

#define SECOND_FAULTS	20
#define SECOND_PERIOD	4

static void *touch_when_told(void *arg)
{
	const struct second *s = arg;
	pid_t tid = thread_id();

	CHECK_EQ(write(s->name, &tid, sizeof(tid)), sizeof(tid));
	wait_go(s->go);
	touch_pages(SECOND_FAULTS, NULL);
	CHECK_EQ(write(s->name, &tid, sizeof(tid)), sizeof(tid));
	pause();
	return NULL;
}

static void run_second_thread(void *arg)
{
	pthread_t thread;

	faults_prepare();
	CHECK(!pthread_create(&thread, NULL, touch_when_told, arg));
	pthread_join(thread, NULL);
}

/* Proves 3.1.7-03, 3.6.4-02, 3.6.4-03 */
TEST(samples_of_second_thread_have_its_tid)
{
	struct smpl s = smpl_new(0, 1 << 16, 0);
	const pfm_default_smpl_entry_t *e;
	int name[2], go[2], found = 0;
	struct second second;
	pid_t child, tid;

	CHECK_OK(pipe(name));
	CHECK_OK(pipe(go));
	second = (struct second){ .name = name[1], .go = go[0] };
	child = spawn(run_second_thread, &second);
	CHECK_EQ(read(name[0], &tid, sizeof(tid)), sizeof(tid));
	CHECK(tid != child);
	ctx_add_counter(s.fd, 0, 0, SECOND_PERIOD);
	ctx_start_on(s.fd, tid);
	/* The process's first thread is not monitored. */
	ctx_expect_free(child);
	CHECK_OK(write(go[1], "", 1));
	CHECK_EQ(read(name[0], &tid, sizeof(tid)), sizeof(tid));
	ctx_stop(s.fd);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++) {
		e = smpl_entry(&s, i, 0);
		CHECK_EQ(e->pid, tid);
		CHECK_EQ(e->tgid, child);
		found += in_touch_pages(e->ip);
	}
	CHECK(found >= SECOND_FAULTS / SECOND_PERIOD - 1);
	CHECK_OK(kill(child, SIGKILL));
	wait_for(child);
}

/* Proves 3.1.7-12 */
TEST(load_does_not_start)
{
	int fd = ctx_counting();

	faults_prepare();
	ctx_load_self(fd);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* PFM_START, PFM_STOP, PFM_UNLOAD_CONTEXT */

/* Proves 3.1.5-03, 3.1.6-02, 3.1.8-02, 3.1.9-02 */
TEST(commands_fail_without_a_loaded_context)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
	CHECK_ERRNO(pfm_stop(fd), EBUSY);
	CHECK_ERRNO(pfm_restart(fd), EBUSY);
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
}

/* Proves 3.1.5-10, 3.1.6-03, 3.1.6-06 */
TEST(start_and_stop_can_be_repeated)
{
	int fd = ctx_counting();

	faults_prepare();
	ctx_load_self(fd);
	ctx_stop(fd);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(pfm_start(fd, NULL));
		touch_pages(2, NULL);
	}
	for (int i = 0; i < 2; i++) {
		ctx_stop(fd);
		touch_pages(2, NULL);
	}
	CHECK_EQ(ctx_read(fd, 0), 4);
}

/* Proves 3.1.6-06, 3.1.6-09 */
TEST(stop_of_stopped_context_changes_nothing)
{
	pfarg_setinfo_t before, after;
	int fd = ctx_counting();

	ctx_create_set(fd, 0, PFM_SETFL_TIME_SWITCH);
	ctx_create_set(fd, 1, 0);
	ctx_load_self(fd);
	/* Stop it before its first start, and when it is stopped again. */
	for (int i = 0; i < 3; i++) {
		before = ctx_set_info(fd, 0);
		for (int n = 0; n < 3; n++) {
			ctx_stop(fd);
			ctx_expect_state(fd, "stopped");
		}
		after = ctx_set_info(fd, 0);
		CHECK(!memcmp(&before, &after, sizeof(before)));
		CHECK_OK(pfm_start(fd, NULL));
		ctx_stop(fd);
	}
}

/* Proves 3.1.5-02, 3.1.5-16 */
TEST(start_takes_one_argument_or_none)
{
	pfarg_start_t start = {};
	int fd = ctx_new(0);

	ctx_load_self(fd);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, &start, 0), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, &start, 2), EFAULT);
	CHECK_ERRNO(perfmonctl(fd, PFM_START, NULL, 1), EFAULT);
	CHECK_ERRNO(pfm_start(fd, BAD_ADDRESS), EFAULT);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_start(fd, &start));
	ctx_expect_state(fd, "started");
}

/* Proves 3.1.5-13, 3.1-08 */
TEST(start_refuses_unknown_set_and_reserved_fields)
{
	pfarg_start_t starts[] = {
		{ .start_set = 1 }, { .start_flags = 2 },
		{ .start_flags = 0x8000 }, { .reserved2 = 1 },
		{ .reserved3 = { 0, 0, 1 } },
	};
	int fd = ctx_new(0);

	ctx_load_self(fd);
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		CHECK_ERRNO(pfm_start(fd, &starts[i]), EINVAL);
	ctx_expect_state(fd, "stopped");
}

TEST(system_wide_start_at_exec_is_refused)
{
	pfarg_start_t start = { .start_flags = PFM_STARTFL_EXEC };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	ctx_load_self(fd);
	CHECK_ERRNO(pfm_start(fd, &start), EINVAL);
	ctx_expect_state(fd, "stopped");
}

/* Proves 3.1.6-04 */
TEST(stop_takes_effect_on_a_running_thread)
{
	int fd = ctx_counting();
	unsigned long progress;
	struct worker w;
	__u64 value;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (!ctx_read(fd, 0))
		sched_yield();
	ctx_stop(fd);
	value = ctx_read(fd, 0);
	progress = worker_progress(&w);
	while (worker_progress(&w) < progress + 1000)
		sched_yield();
	CHECK_EQ(ctx_read(fd, 0), value);
	worker_kill(&w);
}

/* Proves 3.1.4-15, 3.1.7-10, 3.1.8-03, 3.1.8-04 */
TEST(unload_stops_and_keeps_values)
{
	int fd = ctx_counting();

	ctx_start_self(fd);
	touch_pages(5, NULL);
	CHECK_OK(pfm_unload_context(fd));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 5);
	ctx_load_self(fd);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_start(fd, NULL));
	touch_pages(3, NULL);
	CHECK_EQ(ctx_read(fd, 0), 8);
}

/* Proves 3.1.8-12 */
TEST(unload_clears_the_mask)
{
	int fd = ctx_notifying(0, 5);

	ctx_start_self(fd);
	touch_pages(8, NULL);
	ctx_expect_state(fd, "masked");
	CHECK_OK(pfm_unload_context(fd));
	/* The counter that overflowed no longer waits for a restart. */
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_ERRNO(pfm_restart(fd), EBUSY);
	ctx_load_self(fd);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_start(fd, NULL));
	ctx_expect_state(fd, "started");
	touch_pages(3, NULL);
	CHECK_EQ(ctx_read(fd, 0), 3);
	ctx_expect_no_message(fd);
}

/* Return the number of function call interrupts on CPU 1 (x86). */
static __u64 calls_on_cpu1(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long long n = 0;
	char line[256];

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " CAL: %*u %llu", &n) == 1)
			break;
	fclose(file);
	return n;
}

/*
 * Keep RCU threads off CPU 1, because they are also woken by function call
 * interrupts, which the tests count.
 */
static void keep_rcu_on_cpu0(void)
{
	cpu_set_t cpu0;
	char name[32];
	glob_t found;
	pid_t pid;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	CHECK(!glob("/proc/[0-9]*/stat", 0, NULL, &found));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *stat = fopen(found.gl_pathv[i], "r");

		/*
		 * Ignore errors: a process may have exited, and per-CPU threads
		 * cannot be moved.
		 */
		if (stat && fscanf(stat, "%d (%31[^)]", &pid, name) == 2 &&
		    !strncmp(name, "rcu_", 4))
			sched_setaffinity(pid, sizeof(cpu0), &cpu0);
		if (stat)
			fclose(stat);
	}
	globfree(&found);
}

static void spin_on_cpu1(void *go)
{
	ctx_pin(1);
	CHECK_EQ(write(*(int *)go, "", 1), 1);
	for (;;)
		;
}

/* Start a process that spins on CPU 1 without page faults. Return: its ID. */
static pid_t start_bystander(void)
{
	int go[2];
	pid_t pid;

	keep_rcu_on_cpu0();
	CHECK_OK(pipe(go));
	pid = spawn(spin_on_cpu1, &go[1]);
	wait_go(go[0]);
	return pid;
}

#define ROUNDS	200

/* Proves H18 */
TEST(commands_on_a_thread_leave_other_cpus_alone)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, 1000);
	int fd = ctx_counting();
	struct worker w;
	pid_t bystander;
	__u64 before;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs a second CPU");
	ctx_pin(0);
	worker_start_pinned(&w);
	bystander = start_bystander();
	worker_ask(&w, WORK_TOUCH, ~0U);
	before = calls_on_cpu1();
	for (int i = 0; i < ROUNDS; i++) {
		ctx_start_on(fd, w.pid);
		counter_write(fd, &c);
		ctx_stop(fd);
		CHECK_OK(pfm_unload_context(fd));
	}
	CHECK(calls_on_cpu1() - before < ROUNDS);
	worker_kill(&w);
	CHECK_OK(kill(bystander, SIGKILL));
}

/* PMDs in the vector. arg_size_max, by default a page, has room for 23. */
#define ELEMS	20

/* Proves H18 */
TEST(vector_command_interrupts_target_cpu_once)
{
	pfarg_pmd_t values[ELEMS];
	int fd = ctx_counting();
	__u64 before;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs a second CPU");
	for (int i = 0; i < ELEMS; i++)
		values[i] = (pfarg_pmd_t){ .reg_value = i };
	ctx_pin(0);
	pid = start_bystander();
	ctx_start_on(fd, pid);
	before = calls_on_cpu1();
	CHECK_OK(pfm_write_pmds(fd, values, ELEMS));
	CHECK(calls_on_cpu1() - before < ELEMS / 2);
	CHECK_EQ(ctx_read(fd, 0), ELEMS - 1);
	CHECK_OK(kill(pid, SIGKILL));
}
