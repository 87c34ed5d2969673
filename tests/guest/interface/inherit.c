// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * inherit.c - PFM_FL_INHERIT: families of contexts, and commands that race with
 *	       new threads and processes
 *
 * The context that a test creates with PFM_FL_INHERIT is the root of a family.
 * When a monitored thread creates a thread or process, perfmon creates a
 * context for it, which is a member of the family. This event is called a
 * birth.
 *
 * The tests count the system call getppid(). Nothing else makes this call, so
 * the expected counts are exact.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "check.h"
#include "ctx.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"
#include "users.h"
#include "worker.h"

#define ROUNDS		50

static int try_family(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };
	int ret = pfm_create_context(&ctx, NULL, 0);

	if (ret < 0 && errno == EOPNOTSUPP)
		check_skip("perfmon does not support families on PREEMPT_RT");
	CHECK_OK(ret);
	return ctx.ctx_fd;
}

/* Create the root context of a family. Its PMD0 counts calls of getppid(). */
static int new_family(void)
{
	int fd = try_family();
	pfarg_pmc_t pmc = { .reg_value = event_of_calls() };

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	return fd;
}

static int family_of_self(void)
{
	int fd = new_family();

	ctx_start_on(fd, thread_id());
	return fd;
}

static void *pause_for_ever(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

/* Children */

static void expect_all_calls(const char *what, const char *n)
{
	int fd = new_family();
	unsigned long calls = run_family(fd, what, n);

	CHECK_EQ(ctx_read(fd, 0), calls);
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 0);
	CHECK_EQ(ctx_number(fd, "pfm_members"), 0);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_EQ(ctx_read(fd, 0), calls);
	CHECK_OK(close(fd));
}

TEST(processes_are_counted)
{
	expect_all_calls("forks", "20");
	expect_all_calls("series", "20");
}

TEST(vforked_processes_are_counted)
{
	expect_all_calls("vforks", "20");
}

TEST(threads_are_counted)
{
	expect_all_calls("threads", "50");
}

TEST(exec_by_other_thread_loses_no_call)
{
	expect_all_calls("thread-execs", "5");
}

TEST(death_of_leader_loses_no_call)
{
	expect_all_calls("leader-ends", "1");
}

TEST(killed_and_stopped_children_are_counted)
{
	expect_all_calls("killed", "1");
	expect_all_calls("stopped", "1");
}

TEST(fork_bomb_is_counted)
{
	expect_all_calls("bomb", "100");
}

/*
 * Use vfork() to start two children, each of which executes the program
 * "family".
 */
static void exec_twice(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid = CHECK_OK(vfork());

		if (!pid) {
			execl(program_path("family"), "family", "call", "1",
			      "10", NULL);
			_exit(FAILED);
		}
		CHECK_EQ(wait_for(pid), 0);
	}
}

TEST(grandchildren_and_execs_are_counted)
{
	int fd = family_of_self();
	pid_t pid = fork_one();

	if (!pid) {
		call(CALLS);
		exec_twice();
		_exit(PASSED);
	}
	reap(pid);
	call(1);
	CHECK_EQ(ctx_read(fd, 0), 3 * CALLS + 1);
	CHECK_EQ(ctx_number(fd, "pfm_births"), 3);
}

static void call_and_exec(void)
{
	pid_t pid = fork_one();

	call(CALLS);
	if (!pid)
		_exit(PASSED);
	reap(pid);
	execl(program_path("family"), "family", "forks", "3", "10", NULL);
	_exit(FAILED);
}

TEST(start_at_exec_counts_only_the_program)
{
	pfarg_start_t start = { .start_flags = PFM_STARTFL_EXEC };
	int fd = new_family(), go[2];
	pid_t pid;

	CHECK_OK(pipe2(go, O_CLOEXEC));
	pid = fork_one();
	if (!pid) {
		wait_go(go[0]);
		call_and_exec();
	}
	ctx_load(fd, pid);
	CHECK_OK(pfm_start(fd, &start));
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK_EQ(wait_for(pid), 0);
	CHECK_EQ(ctx_number(fd, "pfm_births"), 4);
	CHECK_EQ(ctx_read(fd, 0), 3 * CALLS);
	/*
	 * PFM_STARTFL_EXEC is now refused, because the family has already been
	 * started and has no thread left that could call exec.
	 */
	CHECK_ERRNO(pfm_start(fd, &start), EBUSY);
	CHECK_OK(pfm_start(fd, NULL));
}

TEST(only_first_thread_exit_sends_message)
{
	int fd = new_family();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH_IN_THREAD, 1);
	ctx_expect_no_message(fd);
	CHECK_OK(fcntl(fd, F_SETFL, 0));
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_no_message(fd);
}

/* Commands */

static long references(void)
{
	return module_references(MODULE_CORE);
}

TEST(read_adds_living_and_ended_members)
{
	int fd = family_of_self();
	struct caller c[2];

	caller_start(&c[0]);
	caller_start(&c[1]);
	caller_do(&c[0], 3);
	caller_do(&c[1], 5);
	call(1);
	CHECK_EQ(ctx_read(fd, 0), 9);
	CHECK_EQ(ctx_number(fd, "pfm_members"), 2);
	caller_quit(&c[0]);
	CHECK_EQ(ctx_read(fd, 0), 9);
	CHECK_EQ(ctx_number(fd, "pfm_members"), 1);
	caller_do(&c[1], 7);
	CHECK_EQ(ctx_read(fd, 0), 16);
	caller_quit(&c[1]);
	CHECK_EQ(ctx_read(fd, 0), 16);
}

TEST(stop_and_start_reach_members_and_births)
{
	int fd = family_of_self();
	struct caller c[2];

	caller_start(&c[0]);
	CHECK_OK(pfm_stop(fd));
	caller_start(&c[1]);
	caller_do(&c[0], 10);
	caller_do(&c[1], 10);
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_start(fd, NULL));
	caller_do(&c[0], 3);
	caller_do(&c[1], 5);
	CHECK_EQ(ctx_read(fd, 0), 8);
	caller_quit(&c[0]);
	caller_quit(&c[1]);
}

TEST(unload_keeps_counts_and_frees_members)
{
	int fd = family_of_self();
	struct caller c;

	caller_start(&c);
	caller_do(&c, 10);
	CHECK_OK(pfm_unload_context(fd));
	caller_do(&c, 10);
	CHECK_EQ(ctx_read(fd, 0), 10);
	ctx_expect_free(c.pid);
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
	/* PMD0 keeps the value 10, to which a new family adds its counts. */
	ctx_start_on(fd, c.pid);
	caller_do(&c, 10);
	CHECK_EQ(ctx_read(fd, 0), 20);
	caller_quit(&c);
}

/*
 * The family's last member holds the last descriptor of the family's root. When
 * this member exits, the kernel closes the descriptor. This unloads the family,
 * including the context that monitors the exiting member.
 *
 * Proves H32
 */
TEST(member_with_last_descriptor_frees_family)
{
	long before = references();
	int fd = new_family(), go[2];
	pid_t root;

	CHECK_OK(pipe(go));
	root = fork_one();
	if (!root) {
		wait_go(go[0]);
		if (!fork_one())
			wait_go(go[0]);
		_exit(PASSED);
	}
	ctx_start_on(fd, root);
	CHECK_OK(close(fd));
	CHECK_EQ(write(go[1], "", 1), 1);
	reap(root);
	CHECK(references() > before);
	CHECK_EQ(write(go[1], "", 1), 1);
	while (references() != before)
		sched_yield();
}

TEST(close_frees_members)
{
	int fd = family_of_self();
	struct caller c;

	caller_start(&c);
	/*
	 * This unloads the family although the child still has a copy of the
	 * descriptor, because this process monitors itself.
	 */
	CHECK_OK(close(fd));
	ctx_expect_free(c.pid);
	caller_quit(&c);
}

TEST(writes_are_refused_while_there_is_a_family)
{
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PFM_PERF_NONE };
	pfarg_pmd_t pmd = { .reg_value = 100 };
	int fd = new_family();

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	ctx_start_on(fd, thread_id());
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EBUSY);
	CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EBUSY);
	CHECK_ERRNO(ctx_try_load(fd, thread_id()), EBUSY);
	call(1);
	CHECK_EQ(ctx_read(fd, 0), 101);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_EQ(ctx_read(fd, 0), 100);
}

TEST(family_outlives_its_first_thread)
{
	int fd = new_family(), go[2];
	__u64 active, before, calls = 0;
	struct caller c;
	pid_t root;

	root = caller_start_by_other(&c, fd, go);
	ctx_start_on(fd, root);
	CHECK_EQ(write(go[1], "", 1), 1);
	reap(root);
	ctx_expect_message(fd, PFM_MSG_END);
	before = ctx_active_ns(fd);
	/* The CPU's clock may stand still until the next tick. */
	do {
		caller_do(&c, 3);
		calls += 3;
		CHECK_EQ(ctx_read(fd, 0), calls);
		active = ctx_active_ns(fd);
		CHECK(active >= before);
	} while (active == before);
	CHECK_ERRNO(ctx_try_load(fd, thread_id()), EBUSY);
	CHECK_OK(pfm_stop(fd));
	caller_do(&c, 3);
	CHECK_OK(pfm_start(fd, NULL));
	caller_do(&c, 5);
	CHECK_EQ(ctx_read(fd, 0), calls + 5);
	CHECK_OK(pfm_unload_context(fd));
	CHECK(ctx_active_ns(fd) >= active);
	active = ctx_active_ns(fd);
	caller_do(&c, 1);
	CHECK_EQ(ctx_read(fd, 0), calls + 5);
	CHECK_EQ(ctx_active_ns(fd), active);
	CHECK_ERRNO(pfm_stop(fd), EBUSY);
}

TEST(sets_blocking_and_notifications_are_refused)
{
	static const __u32 flags[] = {
		PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK, PFM_FL_MAP_SETS,
	};
	pfarg_pmc_t pmc = { .reg_flags = PFM_REGFL_OVFL_NOTIFY,
			    .reg_value = PAGE_FAULTS };
	int fd = try_family();

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT | flags[i] };

		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	}
	CHECK_ERRNO(ctx_try_set(fd, 1), EOPNOTSUPP);
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	CHECK(PFM_REG_HAS_ERROR(pmc.reg_flags));
}

/* Limits */

static void exceed_family_max(void *unused)
{
	int fd = family_of_self();
	struct caller c[3];

	for (int i = 0; i < 3; i++)
		caller_start(&c[i]);
	for (int i = 0; i < 3; i++)
		caller_do(&c[i], 1);
	CHECK_EQ(ctx_read(fd, 0), 2);
	CHECK_EQ(ctx_number(fd, "pfm_births"), 2);
	CHECK_EQ(ctx_number(fd, "pfm_births_refused"), 1);
	for (int i = 0; i < 3; i++)
		caller_quit(&c[i]);
}

/* Proves H32 */
TEST(births_beyond_family_max_are_counted)
{
	struct param_run r = { "family_max", "2", exceed_family_max, NULL };

	CHECK_OK(close(try_family()));
	with_param(&r);
}

/* Rights */

static void exec_setid_as_user(void *unused)
{
	int fd;

	become_nobody();
	fd = family_of_self();
	exec_setid("call");
	CHECK_EQ(ctx_number(fd, "pfm_members"), 0);
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 1);
	CHECK_EQ(ctx_read(fd, 0), CALLS);
	ctx_expect_state(fd, "started");
}

/* Proves H32 */
TEST(setuid_exec_ends_a_member_of_a_user)
{
	CHECK_OK(close(new_family()));
	make_setid_family();
	/* The paranoid level -1 lets users count tracepoints. */
	with_paranoid("-1", exec_setid_as_user, NULL);
}

static void *read_for_ever(void *of_fd)
{
	for (;;)
		ctx_read(*(const int *)of_fd, 0);
	return NULL;
}

static void exec_setid_while_read(void *unused)
{
	pthread_t reader;
	int fd;

	become_nobody();
	fd = family_of_self();
	CHECK(!pthread_create(&reader, NULL, read_for_ever, &fd));
	for (unsigned int i = 0; i < ROUNDS; i++)
		exec_setid("forks");
	CHECK_EQ(ctx_read(fd, 0), ROUNDS * CALLS);
}

/*
 * If the exec happens while a command holds the context, perfmon handles the
 * exec later.
 *
 * Proves H32
 */
TEST(setuid_program_has_no_members)
{
	CHECK_OK(close(new_family()));
	make_setid_family();
	with_paranoid("-1", exec_setid_while_read, NULL);
}

TEST(setuid_exec_keeps_a_member_of_root)
{
	int fd;

	/*
	 * Do this before counting starts, because it runs a shell, which also
	 * calls getppid().
	 */
	make_setid_family();
	fd = family_of_self();
	exec_setid("call");
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 0);
	CHECK_EQ(ctx_read(fd, 0), CALLS + 10);
}

/* Races */

/*
 * Until killed, fork children that call getppid() once, and count the children
 * that have been reaped.
 */
static _Noreturn void fork_for_ever(unsigned long *ended)
{
	for (;;) {
		pid_t pid = vfork();

		if (!pid) {
			syscall(SYS_getppid);
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, NULL, 0) == pid)
			__atomic_add_fetch(ended, 1, __ATOMIC_RELEASE);
	}
}

static unsigned long *shared_number(void)
{
	void *page = mmap(NULL, sizeof(unsigned long), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

struct forker {
	pid_t		pid;
	unsigned long	*ended;
};

static void forker_start(struct forker *f)
{
	f->ended = shared_number();
	f->pid = fork_one();
	if (!f->pid)
		fork_for_ever(f->ended);
}

static unsigned long forker_ended(const struct forker *f)
{
	return __atomic_load_n(f->ended, __ATOMIC_ACQUIRE);
}

/* Wait until the forking process has reaped one more child. */
static void forker_goes_on(const struct forker *f)
{
	unsigned long before = forker_ended(f);

	while (forker_ended(f) == before)
		sched_yield();
}

static void forker_kill(const struct forker *f)
{
	CHECK_OK(kill(f->pid, SIGKILL));
	wait_for(f->pid);
}

TEST(reads_race_with_births_and_exits)
{
	unsigned long ended;
	struct forker f;
	__u64 sum, last = 0;
	int fd = family_of_self();

	forker_start(&f);
	for (int i = 0; i < 4 * ROUNDS; i++) {
		ended = forker_ended(&f);
		sum = ctx_read(fd, 0);
		/*
		 * Each call of a child that has exited is counted exactly once.
		 */
		CHECK(sum >= ended && sum >= last);
		CHECK(sum <= forker_ended(&f) + 1);
		last = sum;
	}
	forker_goes_on(&f);
	forker_kill(&f);
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 0);
}

/* Proves H32 */
TEST(stop_races_with_births)
{
	struct forker f;
	__u64 stopped;
	int fd = family_of_self();

	forker_start(&f);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pfm_stop(fd));
		stopped = ctx_read(fd, 0);
		forker_goes_on(&f);
		forker_goes_on(&f);
		CHECK_EQ(ctx_read(fd, 0), stopped);
		CHECK_OK(pfm_start(fd, NULL));
		forker_goes_on(&f);
		forker_goes_on(&f);
		CHECK(ctx_read(fd, 0) > stopped);
	}
	forker_kill(&f);
}

/* Proves H32 */
TEST(close_races_with_births)
{
	long before = references();
	struct forker f;

	CHECK_OK(close(try_family()));
	forker_start(&f);
	for (int i = 0; i < ROUNDS; i++) {
		int fd = new_family();

		ctx_start_on(fd, f.pid);
		forker_goes_on(&f);
		if (i % 2)
			CHECK_OK(pfm_unload_context(fd));
		CHECK_OK(close(fd));
	}
	forker_kill(&f);
	while (references() != before)
		sched_yield();
}

/* Proves H32 */
TEST(children_killed_at_birth_leave_nothing)
{
	long before = references();
	int fd = family_of_self();

	for (int i = 0; i < 4 * ROUNDS; i++) {
		pid_t pid = fork_one();

		if (!pid)
			pause_for_ever(NULL);
		CHECK_OK(kill(pid, SIGKILL));
		wait_for(pid);
	}
	CHECK_EQ(ctx_number(fd, "pfm_members"), 0);
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 0);
	CHECK_OK(close(fd));
	while (references() != before)
		sched_yield();
}

/* Wait until nothing uses the module, and unload it. */
static void unload_soon(const char *module)
{
	while (module_unload(module)) {
		CHECK_EQ(errno, EAGAIN);
		sched_yield();
	}
}

/* Proves H32 */
TEST(modules_stay_until_births_are_over)
{
	struct forker f;

	CHECK_OK(close(try_family()));
	modules_unload_formats();
	forker_start(&f);
	for (int i = 0; i < ROUNDS / 10; i++) {
		int fd = new_family();

		ctx_start_on(fd, f.pid);
		forker_goes_on(&f);
		CHECK_ERRNO(module_unload(MODULE_PMU), EAGAIN);
		CHECK_OK(close(fd));
		unload_soon(MODULE_PMU);
		unload_soon(MODULE_CORE);
		module_load(MODULE_PMU);
	}
	forker_goes_on(&f);
	forker_kill(&f);
}

/* Start 100 threads, and wait until another thread's exec ends them all. */
static void *spawn_for_ever(void *unused)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 100; i++)
		pthread_create(&thread, &attr, pause_for_ever, NULL);
	pause();
	return NULL;
}

static void exec_beside_births(void *unused)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, spawn_for_ever, NULL));
	sched_yield();
	execl(program_path("family"), "family", "call", "1", "10", NULL);
	CHECK(!"exec failed");
}

TEST(exec_races_with_births_of_threads)
{
	int fd = family_of_self();

	for (int i = 0; i < ROUNDS; i++)
		CHECK_EQ(wait_for(spawn(exec_beside_births, NULL)), 0);
	CHECK_EQ(ctx_read(fd, 0), ROUNDS * 10);
	CHECK_EQ(ctx_number(fd, "pfm_members"), 0);
	CHECK_EQ(ctx_number(fd, "pfm_births_failed"), 0);
}

static void control(void *pid)
{
	int fd = new_family();

	ctx_start_on(fd, *(pid_t *)pid);
	for (;;)
		ctx_read(fd, 0);
}

/*
 * Kill the tool before it stops the family. No member must be left.
 *
 * Proves H32
 */
TEST(killed_tool_frees_family)
{
	long before = references();
	struct forker f;
	pid_t tool;

	CHECK_OK(close(try_family()));
	forker_start(&f);
	tool = spawn(control, &f.pid);
	while (references() <= before)
		sched_yield();
	forker_goes_on(&f);
	CHECK_OK(kill(tool, SIGKILL));
	wait_for(tool);
	while (references() != before)
		sched_yield();
	ctx_expect_free(f.pid);
	forker_goes_on(&f);
	forker_kill(&f);
}
