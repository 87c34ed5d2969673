// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * lifecycle.c - exec, fork, exit and close of who monitors and who is monitored
 *		 (3.1.1, 3.1.7, 3.1.15, 3.3.6)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "modules.h"
#include "worker.h"

#define MANY	1000	/* page faults that cannot be by chance */

/* Nothing prevents another context of this thread. */
static void expect_free(pid_t tid)
{
	int fd = ctx_new(0);

	ctx_load(fd, tid);
	close(fd);
}

static int try_load(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

/* The monitored thread */

/* Proves 3.1.7-28, P4.1-13, H10 */
TEST(context_survives_exec_and_counts_on)
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

/* What a monitored thread has done by another one is not counted. */
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

	faults_prepare();
	ctx_start_on(fd, thread_id());
	child = CHECK_OK(vfork());
	if (!child) {
		touch_pages(2 * MANY, NULL);
		_exit(PASSED);
	}
	reap(child);
	CHECK(ctx_read(fd, 0) < MANY);
}

/* Proves 3.1.7-14 */
TEST(threads_on_one_cpu_count_for_themselves)
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
	/* And both at once. */
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

/* Proves 3.1.5-05, 3.1.8-06, P4.1-15 */
TEST(context_is_loaded_on_one_thread_after_the_other)
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

/* Proves 3.1.7-04, H09 */
TEST(load_refuses_a_thread_that_has_exited)
{
	struct worker w;
	int fd = ctx_counting();
	siginfo_t info;

	worker_start(&w);
	CHECK_OK(kill(w.pid, SIGKILL));
	CHECK_OK(waitid(P_PID, w.pid, &info, WEXITED | WNOWAIT));
	/* It is a zombie now. */
	CHECK_ERRNO(try_load(fd, w.pid), ESRCH);
	wait_for(w.pid);
	CHECK_ERRNO(try_load(fd, w.pid), ESRCH);
}

/* Proves H10 */
TEST(set_uid_exec_detaches)
{
	int fd = ctx_counting();
	struct worker w;

	worker_make_setid();
	worker_start_as_nobody(&w);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	worker_do(&w, WORK_EXEC_SETID, 0);
	ctx_expect_message(fd, PFM_MSG_END);
	ctx_expect_state(fd, "unloaded");
	CHECK(ctx_read(fd, 0) >= 10);
	/* It still runs, and was not harmed. */
	worker_do(&w, WORK_TOUCH, 10);
	worker_quit(&w);
	CHECK_OK(unlink(SETID_WORKER));
}

/* A process whose second thread says its name, and ends when it is told to. */
struct pair {
	int	name;
	int	end;
};

static void *second_thread(void *arg)
{
	const struct pair *p = arg;
	pid_t tid = thread_id();
	char byte;

	CHECK_EQ(write(p->name, &tid, sizeof(tid)), sizeof(tid));
	CHECK_EQ(read(p->end, &byte, 1), 1);
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
TEST(end_of_one_thread_of_a_process_is_told)
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
	/* The other thread is still there. */
	ctx_load(fd, child);
	CHECK_OK(kill(child, SIGKILL));
	wait_for(child);
}

/* The descriptor */

/* A worker that holds the descriptor of what monitors it calls exec, and ends. */
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
TEST(end_of_a_thread_that_holds_the_descriptor_is_not_told)
{
	int fd = ctx_counting();

	end_after_exec(fd);
	ctx_expect_no_message(fd);
}

/* Proves 3.3.6-09 */
TEST(end_of_a_thread_that_lost_the_descriptor_is_told)
{
	int fd = ctx_counting();

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	end_after_exec(fd);
	ctx_expect_message(fd, PFM_MSG_END);
}

static void *control_from_a_thread(void *arg)
{
	int fd = *(int *)arg;

	CHECK_OK(pfm_start(fd, NULL));
	touch_pages(3, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_unload_context(fd));
	ctx_load_self(fd);
	CHECK_OK(pfm_unload_context(fd));
	return NULL;
}

/* Proves 3.1.1-19 */
TEST(every_thread_of_the_process_controls)
{
	int fd = ctx_counting();
	pthread_t thread;
	struct worker w;

	worker_start(&w);
	faults_prepare();
	ctx_load(fd, w.pid);
	CHECK(!pthread_create(&thread, NULL, control_from_a_thread, &fd));
	CHECK(!pthread_join(thread, NULL));
	ctx_expect_state(fd, "unloaded");
	worker_quit(&w);
}

struct control {
	const struct worker	*w;
	int			fd;
	int			go;
};

static void wait_go(int go)
{
	char byte;

	CHECK_EQ(read(go, &byte, 1), 1);
}

static void control_worker(void *arg)
{
	const struct control *c = arg;

	wait_go(c->go);
	CHECK_OK(pfm_start(c->fd, NULL));
	worker_do(c->w, WORK_TOUCH, 10);
	ctx_stop(c->fd);
	CHECK_EQ(ctx_read(c->fd, 0), 10);
}

/* Proves 3.1.1-20, 3.1.1-21, 3.1.15-04, 3.1.15-05, 3.5.4-17, 4.3.1-01, H05 */
TEST(child_controls_what_its_parent_has_closed)
{
	struct worker w;
	struct control c = { .w = &w, .fd = ctx_counting() };
	int pipes[2];
	pid_t child;

	worker_start(&w);
	ctx_load(c.fd, w.pid);
	CHECK_OK(pipe(pipes));
	c.go = pipes[0];
	child = spawn(control_worker, &c);
	CHECK_OK(close(c.fd));
	CHECK_ERRNO(pfm_stop(c.fd), EBADF);
	CHECK_ERRNO(pfm_start(c.fd, NULL), EBADF);
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
	/* The last descriptor went with the child. */
	expect_free(w.pid);
	worker_quit(&w);
}

static void send_descriptor(int to, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = {};
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK_EQ(sendmsg(to, &msg, 0), 1);
}

static int receive_descriptor(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	CHECK_EQ(recvmsg(from, &msg, 0), 1);
	CHECK(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static void control_what_is_sent(void *arg)
{
	struct control *c = arg;

	c->fd = receive_descriptor(c->go);
	CHECK_OK(pfm_start(c->fd, NULL));
	worker_do(c->w, WORK_TOUCH, 10);
	CHECK_EQ(ctx_read(c->fd, 0), 10);
}

/* Proves 4.3.1-03, H05 */
TEST(descriptor_can_be_sent_to_another_process)
{
	struct worker w;
	struct control c = { .w = &w };
	int ends[2], fd;
	pid_t child;

	worker_start(&w);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	c.go = ends[0];
	/* It is there before the context. */
	child = spawn(control_what_is_sent, &c);
	fd = ctx_counting();
	ctx_load(fd, w.pid);
	send_descriptor(ends[1], fd);
	CHECK_OK(close(fd));
	reap(child);
	expect_free(w.pid);
	worker_quit(&w);
}

static void monitor_self_and_close(void *fd)
{
	int n = *(int *)fd;

	faults_prepare();
	ctx_start_on(n, thread_id());
	touch_pages(10, NULL);
	CHECK_OK(close(n));
	expect_free(thread_id());
}

/* Proves 3.1.15-06, H05 */
TEST(close_of_monitored_process_unloads_a_shared_context)
{
	int fd = ctx_counting();

	reap(spawn(monitor_self_and_close, &fd));
	ctx_expect_state(fd, "unloaded");
	CHECK_EQ(ctx_read(fd, 0), 10);
	ctx_load_self(fd);
}

/* Proves 3.1.15-02 */
TEST(duplicate_descriptor_keeps_context_loaded)
{
	int fd = ctx_counting();
	int copy = CHECK_OK(dup(fd));

	faults_prepare();
	ctx_start_on(fd, thread_id());
	CHECK_OK(close(fd));
	ctx_expect_state(copy, "started");
	touch_pages(10, NULL);
	CHECK_EQ(ctx_read(copy, 0), 10);
	CHECK_OK(close(copy));
	expect_free(thread_id());
}

/* Proves 3.1.15-02, 3.1.15-07, P4.1-16, H07 */
TEST(close_detaches_from_another_thread)
{
	struct worker w;
	int fd = ctx_counting();

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, 20000);
	CHECK_OK(close(fd));
	expect_free(w.pid);
	worker_wait(&w);
	worker_quit(&w);
}

/* A worker that holds the only descriptor of what monitors it calls exec. */
static void exec_with_descriptor(int fd, struct worker *w)
{
	worker_start_holding(w, fd);
	ctx_start_on(fd, w->pid);
	CHECK_OK(close(fd));
	CHECK_ERRNO(try_load(ctx_new(0), w->pid), EBUSY);
	worker_do(w, WORK_EXEC, 0);
}

/* Proves 3.1.1-22, 4.3.1-02 */
TEST(descriptor_is_inherited_across_exec)
{
	struct worker w;

	exec_with_descriptor(ctx_counting(), &w);
	CHECK_ERRNO(try_load(ctx_new(0), w.pid), EBUSY);
	worker_quit(&w);
}

/* Proves 3.1.1-22, 3.5.4-15 */
TEST(close_on_exec_destroys_the_context)
{
	int fd = ctx_counting();
	struct worker w;

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	exec_with_descriptor(fd, &w);
	expect_free(w.pid);
	worker_quit(&w);
}

/* The controlling process */

struct doomed {
	const struct worker	*w;
	int			ready;
	__u32			flags;
};

/* Attaches to a worker, says so, and waits for its end. */
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
	expect_free(w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	worker_quit(&w);
}

/* Proves 3.1.15-08, H24 */
TEST(killed_controller_does_not_leave_the_thread_blocked)
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
	expect_free(w.pid);
	worker_quit(&w);
}

/* What is left */

static long count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static long count_references(void)
{
	return module_references(MODULE_CORE) +
	       module_references(MODULE_PMU) +
	       module_references(MODULE_DEFAULT);
}

static void create_use_and_close(int i)
{
	struct smpl s = smpl_new(0, 4096, 0);

	ctx_add_counter(s.fd, 0, 0, 5);
	ctx_start_on(s.fd, thread_id());
	touch_pages(5, NULL);
	/* In both orders. */
	if (i % 2)
		CHECK_OK(munmap((void *)s.hdr, s.size));
	CHECK_OK(close(s.fd));
	if (!(i % 2))
		CHECK_OK(munmap((void *)s.hdr, s.size));
}

/* Proves 3.1.15-01, P4.1-16, H04 */
TEST(many_contexts_leave_nothing_behind)
{
	long descriptors = count_descriptors();
	long references = count_references();

	faults_prepare();
	for (int i = 0; i < 200; i++)
		create_use_and_close(i);
	CHECK_EQ(count_descriptors(), descriptors);
	CHECK_EQ(count_references(), references);
}

/* Proves H04 */
TEST(failed_creations_leave_nothing_behind)
{
	long descriptors = count_descriptors();
	long references = count_references();
	pfarg_ctx_t ctx;

	for (int i = 0; i < 50; i++) {
		CHECK_ERRNO(smpl_create(&ctx, 0, 8, 0), EINVAL);
		CHECK_ERRNO(smpl_create(&ctx, 0, 1ULL << 50, 0), ENOMEM);
		CHECK_ERRNO(smpl_create(&ctx, 0x40, 4096, 0), EINVAL);
	}
	CHECK_EQ(count_descriptors(), descriptors);
	CHECK_EQ(count_references(), references);
}
