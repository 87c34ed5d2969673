// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * block.c - block a thread until PFM_RESTART (specification 3.1.1, 3.1.9,
 *	     3.4.3)
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		5
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

#define BLOCK_ENTRIES	3
#define BLOCK_FAULTS	(BLOCK_ENTRIES * PERIOD)
#define LOOKS		1000

#define DEBUGFS		"/sys/kernel/debug"
#define LAST_CALL	"blkcg_maybe_throttle_current"

/* Sample a worker, which is blocked after every BLOCK_FAULTS page faults. */
static struct smpl start_blocking(const struct worker *w)
{
	struct smpl s = smpl_new_for(PFM_FL_NOTIFY_BLOCK, BLOCK_ENTRIES, 0);

	ctx_add_counter(s.fd, 0, NOTIFY, PERIOD);
	ctx_start_on(s.fd, w->pid);
	return s;
}

/*
 * Check that the worker is blocked at page fault number @faults, which caused
 * the overflow. The faulting instruction has not completed, so the worker has
 * not counted this fault yet.
 */
static void expect_blocked(const struct worker *w, unsigned long faults)
{
	wait_asleep(w->pid);
	for (int i = 0; i < LOOKS; i++) {
		CHECK_EQ(worker_progress(w), faults - 1);
		sched_yield();
	}
}

/* Proves 3.1.1-05, 3.1.9-05, 3.4.3-12, 3.5.14-21, 3.5.14-28, P5.2-06 */
TEST(thread_is_blocked_until_restart)
{
	struct worker w;
	struct smpl s;

	worker_start_pinned(&w);
	s = start_blocking(&w);
	worker_ask(&w, WORK_TOUCH, 5 * BLOCK_FAULTS + 1);
	for (int i = 1; i <= 5; i++) {
		ctx_expect_message(s.fd, PFM_MSG_OVFL);
		expect_blocked(&w, i * BLOCK_FAULTS);
		smpl_expect_entries(&s, BLOCK_ENTRIES, w.pid, PERIOD);
		CHECK_OK(pfm_restart(s.fd));
	}
	worker_wait(&w);
	worker_quit(&w);
}

/* Proves 3.4.1-12 */
TEST(blocked_thread_resumes_with_the_long_period)
{
	const unsigned long second = 20 + (BLOCK_ENTRIES - 1) * PERIOD;
	struct smpl s = smpl_new_for(PFM_FL_NOTIFY_BLOCK, BLOCK_ENTRIES, 0);
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct worker w;

	worker_start_pinned(&w);
	c.pmd.reg_long_reset = -20ULL;
	counter_write(s.fd, &c);
	ctx_start_on(s.fd, w.pid);
	worker_ask(&w, WORK_TOUCH, BLOCK_FAULTS + second + 1);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(&w, BLOCK_FAULTS);
	CHECK_OK(pfm_restart(s.fd));
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(&w, BLOCK_FAULTS + second);
	CHECK_EQ(smpl_entry(&s, 0, 0)->last_reset_val, -20ULL);
	CHECK_EQ(smpl_entry(&s, 1, 0)->last_reset_val, -(__u64)PERIOD);
	CHECK_OK(pfm_restart(s.fd));
	worker_wait(&w);
	worker_quit(&w);
}

/* Start a worker, give it work, and wait until it is blocked. */
static struct smpl block_worker(struct worker *w)
{
	struct smpl s;

	worker_start_pinned(w);
	s = start_blocking(w);
	worker_ask(w, WORK_TOUCH, 2 * BLOCK_FAULTS - 1);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	expect_blocked(w, BLOCK_FAULTS);
	return s;
}

static void expect_finished(const struct worker *w)
{
	worker_wait(w);
	CHECK_EQ(worker_progress(w), 2 * BLOCK_FAULTS - 1);
	worker_quit(w);
}

/* Proves 3.1.4-19, 3.6.5-03 */
TEST(blocked_thread_can_be_read)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_EQ(ctx_read(s.fd, 0), 0);
	CHECK_OK(pfm_restart(s.fd));
	expect_finished(&w);
}

/* Proves 3.3.6-02, H24 */
TEST(blocked_thread_can_be_killed)
{
	struct worker w;
	struct smpl s = block_worker(&w);
	pfm_msg_t msg;

	worker_kill(&w);
	CHECK_EQ(worker_progress(&w), BLOCK_FAULTS - 1);
	CHECK_EQ(read(s.fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.msg_type, PFM_MSG_END);
}

/* Proves 3.1.8-12, 3.1.8-13, H24 */
TEST(unload_resumes_a_blocked_thread)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_OK(pfm_unload_context(s.fd));
	worker_wait(&w);
	CHECK_EQ(worker_progress(&w), 2 * BLOCK_FAULTS - 1);
	/*
	 * When the context is loaded again, the thread is not blocked and
	 * monitoring is not masked.
	 */
	ctx_start_on(s.fd, w.pid);
	ctx_expect_state(s.fd, "started");
	CHECK(ctx_says(s.fd, "pfm_blocked:\t0"));
	worker_do(&w, WORK_TOUCH, PERIOD - 1);
	worker_quit(&w);
}

/* Proves 3.1.15-08, H24 */
TEST(close_resumes_a_blocked_thread)
{
	struct worker w;
	struct smpl s = block_worker(&w);

	CHECK_OK(close(s.fd));
	expect_finished(&w);
}

/* Proves 3.1.1-05, 3.1.9-05, 3.4.3-11, 3.4.3-12 */
TEST(blocking_works_without_format)
{
	struct worker w;
	int fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, PERIOD);

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, 2 * PERIOD + 1);
	for (int i = 1; i <= 2; i++) {
		ctx_expect_message(fd, PFM_MSG_OVFL);
		expect_blocked(&w, i * PERIOD);
		CHECK_OK(pfm_restart(fd));
	}
	worker_wait(&w);
	worker_quit(&w);
}

/*
 * Count the kprobes on the exit path to user space. Some of them may belong to
 * something other than perfmon.
 */
static unsigned int num_probes(void)
{
	FILE *file = fopen(DEBUGFS "/kprobes/list", "re");
	unsigned int num = 0;
	char line[256];

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		num += !!strstr(line, LAST_CALL);
	fclose(file);
	return num;
}

static void wait_num_probes(unsigned int num)
{
	/* Sleep because nothing signals that the kprobe has been removed. */
	while (num_probes() != num)
		usleep(10000);
}

/* Proves H24 */
TEST(kprobe_exists_while_a_blocking_context_exists)
{
	unsigned int ours;
	int fd[2];

	/* Ignore errors: the mount fails if debugfs is already mounted. */
	mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	for (int round = 0; round < 2; round++) {
		fd[0] = ctx_new(PFM_FL_NOTIFY_BLOCK);
		ours = num_probes();
		CHECK(ours > 0);
		fd[1] = ctx_new(PFM_FL_NOTIFY_BLOCK);
		CHECK_EQ(num_probes(), ours);
		CHECK_OK(close(fd[0]));
		CHECK_EQ(num_probes(), ours);
		CHECK_OK(close(fd[1]));
		wait_num_probes(ours - 1);
	}
}

/* Proves H24 */
TEST(stopped_thread_blocks_again_after_sigcont)
{
	unsigned int ours;
	struct worker w;
	siginfo_t info;
	struct smpl s;
	int fd;

	mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	fd = ctx_new(PFM_FL_NOTIFY_BLOCK);
	ours = num_probes();
	CHECK_OK(close(fd));
	wait_num_probes(ours - 1);
	s = block_worker(&w);
	CHECK_OK(kill(w.pid, SIGSTOP));
	CHECK_OK(waitid(P_PID, w.pid, &info, WSTOPPED));
	CHECK_OK(kill(w.pid, SIGCONT));
	expect_blocked(&w, BLOCK_FAULTS);
	CHECK_OK(pfm_restart(s.fd));
	expect_finished(&w);
}
