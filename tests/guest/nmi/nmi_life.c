// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_life.c - life cycle of contexts and threads while NMIs cause overflows
 *
 * Each test does $NMI_ROUNDS rounds, with as many NMIs as the machine can
 * handle.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "modules.h"
#include "rig.h"
#include "smpl.h"
#include "worker.h"

#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define MODULE_NWAY	"pfm_fmt_nway"
/*
 * The number of page faults that the worker is asked to cause. It is killed
 * before it has caused all of them.
 */
#define WORK		1000000

static struct rig_stats before;

static void begin(void)
{
	rig_need();
	before = rig_stats();
	ctx_pin(1);
	rig_rate(RIG_FASTEST);
}

static void end(void)
{
	struct rig_stats s;

	rig_rate(0);
	s = rig_since(before);
	rig_print(&s);
	CHECK_EQ(s.sent, s.received);
}

/* Wait for @n reported overflows. */
static void wait_overflows(__u64 n)
{
	__u64 first = rig_stats().reported;

	while (rig_stats().reported - first < n)
		sched_yield();
}

/* Start a context that notifies after every @period NMIs. */
static int start_on(const struct worker *w, __u32 flags, __u64 period)
{
	int fd = ctx_new(flags);

	rig_add_counter(fd, 0, NOTIFY, period);
	ctx_start_on(fd, w->pid);
	return fd;
}

/*
 * Start a context with an n-way buffer. A full buffer is overwritten, so
 * monitoring is never masked.
 */
static struct mapped sample(const struct worker *w)
{
	static const pfm_uuid_t uuid = PFM_NWAY_SMPL_UUID;
	pfm_nway_smpl_arg_t arg = { .buf_size = 1 << 14, .num_regions = 2 };
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));

	rig_add_counter(m.fd, 0, 0, 2);
	ctx_start_on(m.fd, w->pid);
	return m;
}

static __u64 recorded(const struct mapped *m)
{
	const pfm_nway_smpl_hdr_t *hdr = m->buf;
	const pfm_nway_smpl_rgn_t *rgn = (const void *)(hdr + 1);

	return hdr->hdr_overwritten + rgn[0].rgn_count + rgn[1].rgn_count;
}

static void unmap(const struct mapped *m)
{
	munmap((void *)m->buf, m->size);
	close(m->fd);
}

static void start_worker(struct worker *w)
{
	worker_start_pinned(w);
	worker_ask(w, WORK_TOUCH, WORK);
}

static void end_worker(struct worker *w)
{
	worker_kill(w);
	close(w->ask);
	close(w->done);
}

/* Proves 3.4.3-12 */
TEST(threads_are_blocked_and_restarted)
{
	unsigned long seen;
	struct worker w;
	int fd;

	begin();
	start_worker(&w);
	fd = start_on(&w, PFM_FL_NOTIFY_BLOCK, 20);
	for (unsigned int n = rig_rounds(); n; n--) {
		ctx_expect_message(fd, PFM_MSG_OVFL);
		wait_asleep(w.pid);
		seen = worker_progress(&w);
		for (int i = 0; i < 100; i++)
			sched_yield();
		CHECK_EQ(worker_progress(&w), seen);
		CHECK_OK(pfm_restart(fd));
	}
	end();
	close(fd);
	end_worker(&w);
}

TEST(close_releases_blocked_threads_under_nmis)
{
	begin();
	for (unsigned int n = rig_rounds(); n; n--) {
		struct worker w;
		int fd;

		start_worker(&w);
		fd = start_on(&w, PFM_FL_NOTIFY_BLOCK, 20);
		ctx_expect_message(fd, PFM_MSG_OVFL);
		if (n % 2)
			wait_asleep(w.pid);
		close(fd);
		end_worker(&w);
	}
	end();
}

TEST(masked_contexts_are_restarted)
{
	struct worker w;
	int fd;

	begin();
	start_worker(&w);
	fd = start_on(&w, 0, 3);
	for (unsigned int n = 4 * rig_rounds(); n; n--) {
		ctx_expect_message(fd, PFM_MSG_OVFL);
		CHECK_OK(pfm_restart(fd));
	}
	end();
	close(fd);
	end_worker(&w);
}

/* Proves H07 */
TEST(contexts_are_closed)
{
	struct worker w;

	begin();
	start_worker(&w);
	for (unsigned int n = 4 * rig_rounds(); n; n--) {
		struct mapped m = sample(&w);

		wait_overflows(n % 4);
		unmap(&m);
	}
	end();
	end_worker(&w);
}

TEST(contexts_are_stopped_and_unloaded)
{
	struct worker w;
	struct mapped m;

	begin();
	start_worker(&w);
	m = sample(&w);
	for (unsigned int n = 4 * rig_rounds(); n; n--) {
		wait_overflows(n % 4);
		if (n % 2)
			ctx_stop(m.fd);
		CHECK_OK(pfm_unload_context(m.fd));
		ctx_start_on(m.fd, w.pid);
	}
	end();
	unmap(&m);
	end_worker(&w);
}

TEST(registers_are_written_and_read)
{
	struct worker w;
	struct mapped m;

	begin();
	start_worker(&w);
	m = sample(&w);
	rig_add_counter(m.fd, 1, 0, 0);
	for (unsigned int n = 20 * rig_rounds(); n; n--) {
		__u64 counted = ctx_read(m.fd, n % 2) + 3;

		/* The counter starts at -3 or at 0. */
		CHECK(counted <= rig_since(before).received + 3);
		if (!(n % 8))
			rig_add_counter(m.fd, n % 3, 0, 3);
	}
	wait_overflows(1);
	end();
	unmap(&m);
	end_worker(&w);
}

/*
 * Each overflow must be sampled or counted as lost, even if it arrives while
 * the argument is being changed and has to be deferred.
 */
TEST(arguments_are_changed)
{
	static const pfm_uuid_t uuid = PFM_FLIGHT_SMPL_UUID;
	pfm_flight_smpl_arg_t arg = {
		.sink = { 1 << 14, 2, PFM_SINK_OVERWRITE },
	};
	const pfm_sink_hdr_t *hdr;
	const pfm_sink_rgn_t *rgn;
	struct worker w;
	struct mapped m;

	begin();
	start_worker(&w);
	m = mapped_new(uuid, 0, &arg, sizeof(arg));
	rig_add_counter(m.fd, 0, 0, 2);
	ctx_start_on(m.fd, w.pid);
	while (rig_since(before).reported < 10 * rig_rounds()) {
		arg.above = !arg.above;
		CHECK_OK(pfm_set_fmt_arg(m.fd, &arg, sizeof(arg)));
	}
	end();
	ctx_stop(m.fd);
	hdr = m.buf;
	rgn = (const void *)(hdr + 1);
	CHECK_EQ(hdr->hdr_overwritten + rgn[0].rgn_count + rgn[1].rgn_count +
			 ctx_number(m.fd, "pfm_lost"),
		 rig_since(before).reported);
	unmap(&m);
	end_worker(&w);
}

#define REGIONS	3
#define REGION	10	/* samples */

/*
 * Create the root context of a family that samples, and map the buffers of both
 * CPUs.
 */
static struct mapped family(const pfm_nway_smpl_hdr_t **hdr)
{
	struct mapped m = nway_new(PFM_FL_INHERIT, REGIONS, REGION, 0,
				   PFM_NWAY_SMPL_MASK_WHEN_FULL);

	hdr[0] = m.buf;
	hdr[1] = mmap(NULL, m.size, PROT_READ, MAP_SHARED, m.fd, m.size);
	CHECK(hdr[1] != MAP_FAILED);
	CHECK_OK(fcntl(m.fd, F_SETFL, O_NONBLOCK));
	rig_add_counter(m.fd, 0, NOTIFY, 2);
	return m;
}

static __u64 ever_recorded(const pfm_nway_smpl_hdr_t *hdr)
{
	const pfm_nway_smpl_rgn_t *rgn = (const void *)(hdr + 1);
	__u64 n = hdr->hdr_handed_out * REGION;

	for (int i = 0; i < REGIONS; i++)
		if (rgn[i].rgn_state == PFM_NWAY_RGN_FILLING)
			n += rgn[i].rgn_count;
	return n;
}

static void touch_some(void *unused)
{
	faults_prepare();
	touch_pages(200, NULL);
}

static void breed(void *unused)
{
	ctx_pin(0);
	for (;;)
		reap(spawn(touch_some, NULL));
}

/*
 * Each overflow must be sampled or counted as lost, even if it interrupts a
 * restart.
 */
TEST(families_are_restarted)
{
	const pfm_nway_smpl_hdr_t *hdr[2];
	struct mapped m;
	pfm_msg_t msg;
	pid_t pid;

	begin();
	m = family(hdr);
	pid = spawn(breed, NULL);
	ctx_start_on(m.fd, pid);
	while (rig_since(before).reported < 20 * rig_rounds() ||
	       !hdr[0]->hdr_freed) {
		CHECK(read(m.fd, &msg, sizeof(msg)) > 0 || errno == EAGAIN);
		CHECK_OK(pfm_restart(m.fd));
	}
	end();
	ctx_stop(m.fd);
	CHECK_EQ(ever_recorded(hdr[0]) + ever_recorded(hdr[1]) +
			 ctx_number(m.fd, "pfm_lost"),
		 rig_since(before).reported);
	unmap(&m);
	CHECK_OK(kill(pid, SIGKILL));
	wait_for(pid);
}

/* Proves H09 */
TEST(threads_exit)
{
	begin();
	for (unsigned int n = rig_rounds(); n; n--) {
		struct worker w;
		int fd;

		worker_start_pinned(&w);
		fd = start_on(&w, 0, 1000000);
		worker_ask(&w, WORK_TOUCH, 20 + n);
		worker_quit(&w);
		ctx_expect_message(fd, PFM_MSG_END);
		ctx_expect_no_message(fd);
		close(fd);
		close(w.done);
	}
	end();
}

TEST(threads_are_killed)
{
	begin();
	for (unsigned int n = rig_rounds(); n; n--) {
		struct worker w;
		struct mapped m;

		start_worker(&w);
		m = sample(&w);
		wait_overflows(n % 4);
		end_worker(&w);
		if (n % 2)
			ctx_wait_state(m.fd, "unloaded");
		unmap(&m);
	}
	end();
}

TEST(threads_exec)
{
	begin();
	for (unsigned int n = rig_rounds() / 2; n; n--) {
		struct worker w;
		struct mapped m;

		worker_start_pinned(&w);
		m = sample(&w);
		worker_do(&w, WORK_EXEC, 0);
		do
			worker_do(&w, WORK_TOUCH, 20);
		while (!recorded(&m));
		worker_quit(&w);
		ctx_wait_state(m.fd, "unloaded");
		unmap(&m);
		close(w.done);
	}
	end();
}

/* Proves H11 */
TEST(modules_in_use_are_not_unloaded)
{
	static const char *const used[] = {
		"pfm_nmi", MODULE_NWAY, MODULE_PMU, MODULE_CORE,
	};
	struct worker w;
	struct mapped m;

	begin();
	start_worker(&w);
	for (unsigned int n = rig_rounds(); n; n--) {
		m = sample(&w);
		for (unsigned int i = 0; i < ARRAY_SIZE(used); i++)
			CHECK_ERRNO(module_unload(used[i]), EWOULDBLOCK);
		wait_overflows(1);
		unmap(&m);
		while (module_unload(MODULE_NWAY))
			CHECK_EQ(errno, EWOULDBLOCK);
		CHECK_OK(module_insert("formats/nway/" MODULE_NWAY ".ko"));
	}
	end();
	end_worker(&w);
}
