// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * realtime.c - real-time threads are sampled like other threads
 *
 * After an overflow, an irq_work notifies the reader or blocks the thread. It
 * must not wait until the thread leaves its CPU, as an ordinary irq_work on
 * PREEMPT_RT does.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		5
#define ENTRIES		50
#define FAULTS		(ENTRIES * PERIOD)
#define ROUNDS		20U
#define RT_RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"

static void make_realtime(pid_t tid, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	CHECK_OK(sched_setscheduler(tid, SCHED_FIFO, &param));
}

/* Read the full buffer and restart, ROUNDS times. */
static void read_rounds(const struct smpl *s, pid_t pid, unsigned int *restarts)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ctx_expect_message(s->fd, PFM_MSG_OVFL);
		smpl_expect_entries(s, ENTRIES, pid, PERIOD);
		CHECK_OK(pfm_restart(s->fd));
		__atomic_add_fetch(restarts, 1, __ATOMIC_RELEASE);
	}
	CHECK_EQ(ctx_number(s->fd, "pfm_lost"), 0);
}

static void block_realtime_thread(void *priority)
{
	struct smpl s = smpl_new_for(PFM_FL_NOTIFY_BLOCK, ENTRIES, 0);
	unsigned int restarts = 0;
	struct worker w;

	worker_start_pinned(&w);
	make_realtime(w.pid, *(const int *)priority);
	ctx_add_counter(s.fd, 0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	ctx_start_on(s.fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ROUNDS * FAULTS + 1);
	read_rounds(&s, w.pid, &restarts);
	worker_wait(&w);
	worker_quit(&w);
}

/* A thread that waits for restarts, but does not leave its CPU. */
struct occupant {
	int		priority;
	int		fd;
	unsigned int	*restarts;
};

static void occupy_cpu(void *arg)
{
	const struct occupant *o = arg;

	ctx_pin(1);
	make_realtime(0, o->priority);
	ctx_start_self(o->fd);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		touch_pages(FAULTS, NULL);
		while (__atomic_load_n(o->restarts, __ATOMIC_ACQUIRE) <= i)
			;
	}
}

/* Start a thread that occupies CPU 1. Return: its process ID. */
static pid_t start_occupant(struct occupant *o)
{
	o->restarts = mmap(NULL, sizeof(*o->restarts), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(o->restarts != MAP_FAILED);
	ctx_add_counter(o->fd, 0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	ctx_pin(0);
	return spawn(occupy_cpu, o);
}

static void notify_of_realtime_thread(void *priority)
{
	struct smpl s = smpl_new_for(0, ENTRIES, 0);
	struct occupant o = { .priority = *(const int *)priority, .fd = s.fd };
	pid_t pid = start_occupant(&o);

	read_rounds(&s, pid, o.restarts);
	reap(pid);
}

/* The thread fills the regions in turn; each full region notifies. */
static void notify_of_full_regions(void *priority)
{
	struct mapped m = nway_new(0, 2, ENTRIES, 0, 0);
	const pfm_nway_smpl_hdr_t *hdr = m.buf;
	const pfm_nway_smpl_rgn_t *regions = (const void *)(hdr + 1);
	struct occupant o = { .priority = *(const int *)priority, .fd = m.fd };
	pid_t pid = start_occupant(&o);

	for (unsigned int i = 0; i < ROUNDS; i++) {
		ctx_expect_message(m.fd, PFM_MSG_OVFL);
		CHECK_EQ(regions[i % 2].rgn_seq, i + 1);
		CHECK_EQ(regions[i % 2].rgn_count, ENTRIES);
		CHECK_OK(pfm_restart(m.fd));
		__atomic_add_fetch(o.restarts, 1, __ATOMIC_RELEASE);
	}
	CHECK_EQ(hdr->hdr_overwritten, 0);
	CHECK_EQ(ctx_number(m.fd, "pfm_lost"), 0);
	reap(pid);
}

/*
 * Run a function with each priority, while real-time threads are not throttled.
 */
static void with_priorities(void (*run)(void *priority))
{
	static int priorities[] = { 1, 50, 99 };

	for (size_t i = 0; i < ARRAY_SIZE(priorities); i++)
		with_setting(RT_RUNTIME, "-1", run, &priorities[i]);
}

TEST(blocked_realtime_thread_loses_no_sample)
{
	with_priorities(block_realtime_thread);
}

TEST(running_realtime_thread_notifies_at_once)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs two CPUs");
	with_priorities(notify_of_realtime_thread);
	with_priorities(notify_of_full_regions);
}
