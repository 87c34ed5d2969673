// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * attach.c - exec, fork and exit of monitored threads, and death of the
 *	      controlling process (specification 3.1.1, 3.1.7, 3.3.6)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "worker.h"

#define MANY	1000	/* more page faults than unrelated activity causes */

#define PERIOD		4

#define EXECS		20

/*
 * The number of threads to reap. It is small, because each is a process of its
 * own, which takes time to start and exit.
 */
#define THREADS		20

/* The monitored thread */

/* Proves 3.1.7-28, P4.1-13, H10 */
TEST(exec_keeps_context_counting)
{
	int fd = ctx_counting();
	struct worker w;
	__u64 before;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	CHECK_EQ(ctx_read(fd, 0), 10);
	worker_do(&w, WORK_EXEC, 0);
	ctx_expect_state(fd, "started");
	before = ctx_read(fd, 0);
	CHECK(before >= 10);
	worker_do(&w, WORK_TOUCH, 20);
	CHECK_EQ(ctx_read(fd, 0) - before, 20);
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
}

static void start_at_exec(int fd, pid_t tid)
{
	ctx_load(fd, tid);
	CHECK_OK(pfm_start(fd, &(pfarg_start_t){
		.start_flags = PFM_STARTFL_EXEC }));
	ctx_expect_state(fd, "stopped");
}

TEST(start_waits_for_exec)
{
	int fd = ctx_counting();
	struct worker w;
	__u64 before;

	worker_start(&w);
	start_at_exec(fd, w.pid);
	worker_do(&w, WORK_TOUCH, MANY);
	CHECK_EQ(ctx_read(fd, 0), 0);
	worker_do(&w, WORK_EXEC, 0);
	ctx_expect_state(fd, "started");
	before = ctx_read(fd, 0);
	CHECK(before > 0 && before < MANY);
	worker_do(&w, WORK_TOUCH, 20);
	CHECK_EQ(ctx_read(fd, 0) - before, 20);
	/* Only the first exec starts the context. */
	ctx_stop(fd);
	worker_do(&w, WORK_EXEC, 0);
	ctx_expect_state(fd, "stopped");
	worker_quit(&w);
}

TEST(stop_start_and_unload_cancel_start_at_exec)
{
	int fd = ctx_counting();
	struct worker w;

	worker_start(&w);
	start_at_exec(fd, w.pid);
	ctx_stop(fd);
	worker_do(&w, WORK_EXEC, 0);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_unload_context(fd));
	start_at_exec(fd, w.pid);
	CHECK_OK(pfm_unload_context(fd));
	ctx_load(fd, w.pid);
	worker_do(&w, WORK_EXEC, 0);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_unload_context(fd));
	start_at_exec(fd, w.pid);
	CHECK_OK(pfm_start(fd, NULL));
	ctx_expect_state(fd, "started");
	worker_quit(&w);
}

/*
 * Run one command after another on the context. The commands may delay the
 * start at exec, but must not prevent it.
 */
static void *read_on(void *fd)
{
	pfarg_pmd_t pmd = {};

	while (!pfm_read_pmds(*(int *)fd, &pmd, 1))
		;
	return NULL;
}

TEST(exec_starts_a_context_in_use)
{
	int fd = ctx_counting(), other = dup(fd);
	pthread_t reader;
	struct worker w;

	worker_start(&w);
	start_at_exec(fd, w.pid);
	CHECK(!pthread_create(&reader, NULL, read_on, &other));
	for (int i = 0; i < EXECS; i++) {
		worker_do(&w, WORK_EXEC, 0);
		ctx_expect_state(fd, "started");
		ctx_stop(fd);
		CHECK_OK(pfm_start(fd, &(pfarg_start_t){
			.start_flags = PFM_STARTFL_EXEC }));
	}
	CHECK_OK(close(other));
	CHECK(!pthread_join(reader, NULL));
	worker_quit(&w);
}

TEST(start_at_exec_takes_a_set)
{
	pfarg_start_t start = { .start_set = 1,
				.start_flags = PFM_STARTFL_EXEC };
	int fd = ctx_counting();
	struct worker w;
	__u64 before;

	ctx_create_set(fd, 1, 0);
	ctx_add_set_counter(fd, 1, 0, 0, 0, 0);
	worker_start(&w);
	ctx_load(fd, w.pid);
	CHECK_OK(pfm_start(fd, &start));
	worker_do(&w, WORK_EXEC, 0);
	before = ctx_read_set(fd, 1, 0);
	worker_do(&w, WORK_TOUCH, 20);
	CHECK_EQ(ctx_read_set(fd, 1, 0) - before, 20);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 0);
	worker_quit(&w);
}

TEST(start_at_exec_notifies_of_the_program_only)
{
	int fd = ctx_notifying(0, MANY);
	struct worker w;

	worker_start(&w);
	start_at_exec(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 2 * MANY);
	ctx_expect_no_message(fd);
	worker_do(&w, WORK_EXEC, 0);
	worker_do(&w, WORK_TOUCH, MANY);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	ctx_expect_state(fd, "masked");
	worker_quit(&w);
}

static void *execute(void *go)
{
	pid_t tid = thread_id();
	char byte;

	CHECK_EQ(write(((int *)go)[1], &tid, sizeof(tid)), sizeof(tid));
	CHECK_EQ(read(((int *)go)[0], &byte, 1), 1);
	execl(program_path("family"), "family", "forks", "1", "1", NULL);
	_exit(FAILED);
}

static void execute_in_thread(void *go)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, execute, go));
	CHECK(!pthread_join(thread, NULL));
}

/* The thread that calls exec replaces the main thread. */
TEST(exec_by_another_thread_starts_its_context)
{
	int leader = ctx_counting(), fd = ctx_counting();
	int in[2], out[2], go[2];
	pid_t pid, tid;

	CHECK_OK(pipe2(in, O_CLOEXEC));
	CHECK_OK(pipe2(out, O_CLOEXEC));
	go[0] = in[0];
	go[1] = out[1];
	pid = spawn(execute_in_thread, go);
	CHECK_EQ(read(out[0], &tid, sizeof(tid)), sizeof(tid));
	start_at_exec(leader, pid);
	start_at_exec(fd, tid);
	CHECK_EQ(write(in[1], "", 1), 1);
	reap(pid);
	ctx_expect_state(leader, "unloaded");
	CHECK_EQ(ctx_read(leader, 0), 0);
	ctx_expect_state(fd, "unloaded");
	CHECK(ctx_read(fd, 0) > 0);
}

/* Check that work done by another thread or process is not counted. */
static void expect_unseen(enum work work)
{
	int fd = ctx_counting();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, work, 2 * MANY);
	CHECK(ctx_read(fd, 0) < MANY);
	worker_quit(&w);
}

/* Proves 3.1.1-04, 3.1.7-25, 4.2-09, P4.1-14, H09 */
TEST(child_of_monitored_process_is_not_monitored)
{
	expect_unseen(WORK_TOUCH_IN_CHILD);
}

/* Proves 3.1.7-26, 4.2-09, P4.1-14, H09 */
TEST(new_thread_of_monitored_process_is_not_monitored)
{
	expect_unseen(WORK_TOUCH_IN_THREAD);
}

/* Proves 3.1.7-25 */
TEST(child_of_vfork_is_not_monitored)
{
	int fd = ctx_counting();
	pid_t child;

	ctx_start_self(fd);
	child = CHECK_OK(vfork());
	if (!child) {
		touch_pages(2 * MANY, NULL);
		_exit(PASSED);
	}
	reap(child);
	CHECK(ctx_read(fd, 0) < MANY);
}

/* Proves 3.1.7-14 */
TEST(threads_on_one_cpu_are_counted_separately)
{
	struct worker w[2];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		worker_start(&w[i]);
		worker_do(&w[i], WORK_PIN, 0);
		fds[i] = ctx_counting();
		ctx_start_on(fds[i], w[i].pid);
	}
	for (int n = 0; n < 20; n++) {
		worker_do(&w[0], WORK_TOUCH, 3);
		worker_do(&w[1], WORK_TOUCH, 5);
	}
	/* Then let both work at the same time. */
	for (int i = 0; i < 2; i++)
		worker_ask(&w[i], WORK_TOUCH, 5000);
	for (int i = 0; i < 2; i++)
		worker_wait(&w[i]);
	CHECK_EQ(ctx_read(fds[0], 0), 5000 + 20 * 3);
	CHECK_EQ(ctx_read(fds[1], 0), 5000 + 20 * 5);
	for (int i = 0; i < 2; i++)
		worker_quit(&w[i]);
}

/* Proves 3.1.4-15, 3.3.6-02, 3.3.6-07, H09 */
TEST(killed_thread_leaves_values_and_end_message)
{
	int fd = ctx_counting();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	worker_kill(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	CHECK_EQ(ctx_read(fd, 0), 10);
}

static void *monitored_thread(void *fd)
{
	ctx_start_on(*(int *)fd, thread_id());
	touch_pages(10, NULL);
	return NULL;
}

/* Proves 3.1.7-03, 4.3.1-01, H09 */
TEST(exit_of_a_self_monitoring_thread_unloads)
{
	int fd = ctx_counting();
	pthread_t thread;

	faults_prepare();
	CHECK(!pthread_create(&thread, NULL, monitored_thread, &fd));
	CHECK(!pthread_join(thread, NULL));
	ctx_wait_state(fd, "unloaded");
	CHECK(ctx_read(fd, 0) >= 10);
}

/*
 * Make the worker execute the set-uid copy of its program, then delete the
 * copy.
 */
static void exec_setid(const struct worker *w)
{
	worker_do(w, WORK_EXEC_SETID, 0);
	CHECK_OK(unlink(SETID_WORKER));
}

/*
 * Check that the context still counts after exec, and that its count did not
 * fall below @before. Then end the worker.
 */
static void expect_counting_on(int fd, const struct worker *w, __u64 before)
{
	__u64 count = ctx_read(fd, 0);

	ctx_expect_state(fd, "started");
	CHECK(count >= before);
	worker_do(w, WORK_TOUCH, 20);
	CHECK_EQ(ctx_read(fd, 0) - count, 20);
	worker_quit(w);
	ctx_expect_message(fd, PFM_MSG_END);
	CHECK_EQ(ctx_number(fd, "pfm_exec_detached"), 0);
}

/* Proves 3.1.7-28 */
TEST(set_uid_exec_keeps_context_of_privileged_monitor)
{
	int fd = ctx_counting();
	struct worker w;

	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	exec_setid(&w);
	expect_counting_on(fd, &w, 10);
}

TEST(set_uid_exec_starts_context_of_privileged_monitor)
{
	int fd = ctx_counting();
	struct worker w;

	worker_make_setid();
	worker_start_as_nobody(&w);
	start_at_exec(fd, w.pid);
	exec_setid(&w);
	expect_counting_on(fd, &w, 0);
}

/* Proves H10, H29 */
TEST(set_uid_exec_detaches_blocking_context)
{
	int fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, 1000);
	struct worker w;

	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	exec_setid(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	worker_do(&w, WORK_TOUCH, 2000);
	worker_quit(&w);
}

TEST(exec_of_an_unreadable_program_keeps_the_context)
{
	int fd = ctx_counting();
	struct worker w;

	worker_make_setid();
	/* Make the file executable, but neither set-uid nor readable. */
	CHECK_OK(chmod(SETID_WORKER, 0111));
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	for (int i = 0; i < 3; i++)
		worker_do(&w, WORK_EXEC_SETID, 0);
	CHECK_OK(unlink(SETID_WORKER));
	expect_counting_on(fd, &w, 0);
}

TEST(set_uid_exec_keeps_a_masked_context_masked)
{
	struct worker w;
	int fd = ctx_notifying(0, PERIOD);

	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, PERIOD);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	exec_setid(&w);
	ctx_expect_state(fd, "masked");
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_restart(fd));
	worker_do(&w, WORK_TOUCH, PERIOD - 1);
	CHECK(!is_readable(fd));
	worker_do(&w, WORK_TOUCH, 1);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
}

TEST(set_uid_exec_keeps_event_sets)
{
	int fd = ctx_counting();
	struct worker w;

	ctx_create_set(fd, 1, 0);
	ctx_add_set_counter(fd, 1, 0, 0, 0, 0);
	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, &(pfarg_start_t){ .start_set = 1 }));
	worker_do(&w, WORK_TOUCH, 5);
	exec_setid(&w);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 10);
	CHECK(ctx_read_set(fd, 1, 0) >= 5);
	CHECK_EQ(ctx_set_info(fd, 1).set_runs, 1);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, &(pfarg_start_t){ .start_set = 0 }));
	worker_do(&w, WORK_TOUCH, 3);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 13);
	worker_quit(&w);
}

/*
 * After the exec, the set's active time continues, and increases only while the
 * program runs.
 */
TEST(set_uid_exec_keeps_the_time_of_a_set)
{
	int fd = ctx_counting();
	__u64 begin = clock_ns(CLOCK_MONOTONIC), before, after;
	struct worker w;

	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 1000);
	before = ctx_active_ns(fd);
	CHECK(before > 0);
	exec_setid(&w);
	after = ctx_active_ns(fd);
	CHECK(after > before);
	worker_do(&w, WORK_TOUCH, 1000);
	CHECK(ctx_active_ns(fd) > after);
	wait_asleep(w.pid);
	after = ctx_active_ns(fd);
	CHECK(after < clock_ns(CLOCK_MONOTONIC) - begin);
	CHECK_EQ(ctx_active_ns(fd), after);
	ctx_stop(fd);
	CHECK_EQ(ctx_active_ns(fd), after);
	/* While the context is stopped, the set's time does not advance. */
	worker_make_setid();
	worker_do(&w, WORK_TOUCH, 1000);
	exec_setid(&w);
	CHECK_EQ(ctx_active_ns(fd), after);
	worker_quit(&w);
}

/*
 * Become an unprivileged user, and monitor a worker of that user until the
 * worker executes a set-uid program. If *@held is true, the worker holds the
 * context's descriptor.
 */
static void equal_loses_the_thread(void *held)
{
	struct worker w;
	int fd;

	become_nobody();
	fd = ctx_counting_user();
	if (*(bool *)held)
		worker_start_holding(&w, fd);
	else
		worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	worker_do(&w, WORK_EXEC_SETID, 0);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	CHECK_EQ(ctx_number(fd, "pfm_exec_detached"), 1);
	CHECK(ctx_read(fd, 0) >= 10);
	/* The worker is still running. */
	worker_do(&w, WORK_TOUCH, 10);
	worker_quit(&w);
	ctx_expect_no_message(fd);
	worker_start(&w);
	ctx_load(fd, w.pid);
	CHECK_EQ(ctx_number(fd, "pfm_exec_detached"), 0);
	worker_quit(&w);
}

static void lose_to_setid(bool held)
{
	struct param_run r = { "paranoid", "2", equal_loses_the_thread, &held };

	worker_make_setid();
	with_param(&r);
	CHECK_OK(unlink(SETID_WORKER));
}

/* Proves H10 */
TEST(set_uid_exec_detaches_monitor_of_same_user)
{
	lose_to_setid(false);
}

/* Proves H10 */
TEST(set_uid_exec_detach_notifies_descriptor_holder)
{
	lose_to_setid(true);
}

/*
 * Pipes of a process whose second thread reports its ID and exits on request.
 */
struct pair {
	int	name;
	int	end;
};

static void *second_thread(void *arg)
{
	const struct pair *p = arg;
	pid_t tid = thread_id();

	CHECK_EQ(write(p->name, &tid, sizeof(tid)), sizeof(tid));
	wait_go(p->end);
	return NULL;
}

static void run_pair(void *arg)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, second_thread, arg));
	CHECK(!pthread_join(thread, NULL));
	pause();
}

/* Proves 3.3.6-03 */
TEST(exit_of_one_thread_sends_end_message)
{
	int name[2], end[2];
	struct pair p;
	pid_t child, tid;
	int fd;

	CHECK_OK(pipe(name));
	CHECK_OK(pipe(end));
	p = (struct pair){ .name = name[1], .end = end[0] };
	child = spawn(run_pair, &p);
	CHECK_EQ(read(name[0], &tid, sizeof(tid)), sizeof(tid));
	fd = ctx_counting();
	ctx_start_on(fd, tid);
	CHECK_OK(write(end[1], "", 1));
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	/* The process's first thread still exists and can be monitored. */
	ctx_load(fd, child);
	CHECK_OK(kill(child, SIGKILL));
	wait_for(child);
}

/* PFM_MSG_END */

/* Proves 3.1.6-02, 3.1.8-02, 3.3.6-01, 3.3.6-07 */
TEST(thread_exit_sends_end_message)
{
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	worker_do(&w, WORK_TOUCH, PERIOD - 1);
	CHECK(!is_readable(fd));
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
	CHECK_ERRNO(pfm_stop(fd), EBUSY);
	CHECK_EQ(ctx_read(fd, 0), -1ULL);
	ctx_expect_no_message(fd);
}

/* Proves 3.3.2-03 */
TEST(end_message_has_no_body)
{
	pfm_msg_t msg, end = { .ovfl = { .msg_type = PFM_MSG_END } };
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	worker_quit(&w);
	msg = ctx_next_message(fd);
	CHECK(!memcmp(&msg, &end, sizeof(msg)));
}

/* Proves 3.3.6-04 */
TEST(end_message_is_sent_despite_ovfl_no_msg)
{
	struct worker w;
	int fd = ctx_notifying(PFM_FL_OVFL_NO_MSG, PERIOD);

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
}

/* Proves 3.3.6-04, H23 */
TEST(full_queue_has_room_for_end_message)
{
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	for (int i = 0; i < 3; i++) {
		worker_do(&w, WORK_TOUCH, PERIOD);
		CHECK_OK(pfm_restart(fd));
	}
	worker_quit(&w);
	ctx_wait_state(fd, "unloaded");
	ctx_expect_message(fd, PFM_MSG_OVFL);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_no_message(fd);
}

TEST(no_end_message_after_unload)
{
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	CHECK_OK(pfm_unload_context(fd));
	worker_quit(&w);
	ctx_expect_no_message(fd);
}

/*
 * Monitor the calling process, which holds the context's descriptor, and exit.
 */
static void monitored_child(void *fd)
{
	ctx_start_on(*(int *)fd, thread_id());
}

/* Proves 3.3.6-05 */
TEST(no_end_message_for_self_monitoring)
{
	int fd = ctx_new(0);

	reap(spawn(monitored_child, &fd));
	ctx_expect_state(fd, "unloaded");
	ctx_expect_no_message(fd);
}

/*
 * Monitor a worker that holds the context's descriptor. Let it call exec, and
 * then exit.
 */
static void end_after_exec(int fd)
{
	struct worker w;

	worker_start_holding(&w, fd);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_EXEC, 0);
	worker_quit(&w);
	ctx_wait_state(fd, "unloaded");
}

/* Proves 3.3.6-08 */
TEST(exit_of_descriptor_holder_sends_no_end_message)
{
	int fd = ctx_counting();

	end_after_exec(fd);
	ctx_expect_no_message(fd);
}

/* Proves 3.3.6-09 */
TEST(exit_after_close_on_exec_sends_end_message)
{
	int fd = ctx_counting();

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	end_after_exec(fd);
	ctx_expect_message(fd, PFM_MSG_END);
}

/*
 * The caller has reaped the monitored child. Check that the child's exit has
 * detached the context, and that the context's count is @count.
 */
static void expect_detached(int fd, __u64 count)
{
	CHECK_EQ(ctx_read(fd, 0), count);
	CHECK(is_readable(fd));
	ctx_expect_state(fd, "unloaded");
}

/* Proves 3.1.4-15, 3.3.6-07, H09 */
TEST(reaped_thread_is_detached)
{
	int fd = ctx_counting();

	/*
	 * The context must be detached before the child is reaped. Stay on one
	 * CPU. Otherwise a detach that comes too late could run on another CPU
	 * before the next command, and the test would not notice.
	 */
	ctx_pin(0);
	for (int i = 1; i <= THREADS; i++) {
		struct worker w;

		worker_start(&w);
		ctx_start_on(fd, w.pid);
		worker_do(&w, WORK_TOUCH, 10);
		worker_quit(&w);
		close(w.done);
		expect_detached(fd, 10 * i);
	}
}

static void write_after_wait(void *arg)
{
	struct counter c = counter(0, 0, 0);
	int fd;

	become_nobody();
	fd = ctx_counting_user();
	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	/* Stay on one CPU for the reason given in reaped_thread_is_detached. */
	ctx_pin(0);
	for (int i = 0; i < THREADS; i++) {
		struct worker w;

		worker_start(&w);
		ctx_start_on(fd, w.pid);
		worker_quit(&w);
		close(w.done);
		counter_write(fd, &c);
	}
}

/* Proves H09 */
TEST(registers_are_writable_once_thread_is_reaped)
{
	struct param_run r = { "paranoid", "2", write_after_wait, NULL };

	with_param(&r);
}

TEST(context_is_reusable_after_thread_exit)
{
	struct worker w;
	int fd;

	worker_start(&w);
	fd = ctx_notifying_on(&w, PERIOD);
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 1);
	worker_quit(&w);
	ctx_expect_message(fd, PFM_MSG_END);
}

/* The controlling process */

struct doomed {
	const struct worker	*w;
	int			ready;
	__u32			flags;
};

/* Attach to a worker, report that to the test, and wait to be killed. */
static void doomed_controller(void *arg)
{
	const struct doomed *d = arg;

	ctx_start_on(ctx_notifying(d->flags, 5), d->w->pid);
	CHECK_OK(write(d->ready, "", 1));
	pause();
}

static pid_t start_doomed(struct doomed *d)
{
	int pipes[2];
	pid_t pid;

	CHECK_OK(pipe(pipes));
	d->ready = pipes[1];
	pid = spawn(doomed_controller, d);
	wait_go(pipes[0]);
	return pid;
}

static void kill_controller(pid_t pid)
{
	CHECK_OK(kill(pid, SIGKILL));
	wait_for(pid);
}

/* Proves 3.1.15-03, 3.1.15-07 */
TEST(killed_controller_leaves_the_thread_free)
{
	struct worker w;
	struct doomed d = { .w = &w };
	pid_t controller;

	worker_start(&w);
	controller = start_doomed(&d);
	worker_do(&w, WORK_TOUCH, 10);
	kill_controller(controller);
	ctx_expect_free(w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	worker_quit(&w);
}

/* Proves 3.1.15-08, H24 */
TEST(killed_controller_unblocks_the_thread)
{
	struct worker w;
	struct doomed d = { .w = &w, .flags = PFM_FL_NOTIFY_BLOCK };
	pid_t controller;

	worker_start(&w);
	controller = start_doomed(&d);
	worker_ask(&w, WORK_TOUCH, 10);
	while (worker_progress(&w) < 4)
		;
	wait_asleep(w.pid);
	CHECK_EQ(worker_progress(&w), 4);
	kill_controller(controller);
	worker_wait(&w);
	ctx_expect_free(w.pid);
	worker_quit(&w);
}
