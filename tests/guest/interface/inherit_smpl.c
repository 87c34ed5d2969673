// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * inherit_smpl.c - families that sample, with one buffer for each CPU
 *
 * The context that a test creates with PFM_FL_INHERIT is the root of a family.
 * When a monitored thread creates a thread or process, perfmon creates a
 * context for it, which is a member of the family. This event is called a
 * birth.
 *
 * The sampled event is the system call getppid(). Only the tests make this
 * call, so the expected numbers of samples are exact.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "calls.h"
#include "check.h"
#include "cpus.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "smpl.h"
#include "users.h"
#include "worker.h"
#include "../../../examples/format_threshold/perfmon_threshold_smpl.h"

#define MAX_CPUS	64
#define ROOMY		1000
#define FAULTS		100

/*
 * The root context of a family, and the family's buffers. An element of @hdr is
 * NULL if the CPU has no buffer.
 */
struct shared {
	int				fd;
	size_t				size;
	const pfm_default_smpl_hdr_t	*hdr[MAX_CPUS];
};

static const void *map_at(const struct shared *s, unsigned int cpu)
{
	return mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd,
		    (off_t)(cpu * s->size));
}

static void map_all(struct shared *s)
{
	unsigned int n = 0;

	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		const void *buf = map_at(s, cpu);

		s->hdr[cpu] = buf == MAP_FAILED ? NULL : buf;
		n += s->hdr[cpu] != NULL;
	}
	CHECK_EQ(n, sysconf(_SC_NPROCESSORS_ONLN));
}

/*
 * Create the root context of a family. Its buffers are full after @n entries
 * with @pmds values each.
 */
static struct shared shared_new(__u32 flags, unsigned int n, unsigned int pmds)
{
	size_t entry = sizeof(pfm_default_smpl_entry_t);
	struct shared s;
	pfarg_ctx_t ctx;
	int ret = smpl_create(&ctx, PFM_FL_INHERIT | flags,
			      smpl_size_for(n, entry + pmds * sizeof(__u64),
					    entry), 0);

	if (ret < 0 && errno == EOPNOTSUPP)
		check_skip("perfmon does not support families on PREEMPT_RT");
	CHECK_OK(ret);
	s.fd = ctx.ctx_fd;
	s.size = ctx.ctx_smpl_buf_size;
	CHECK_OK(fcntl(s.fd, F_SETFD, FD_CLOEXEC));
	map_all(&s);
	return s;
}

/* Return the settings of counter @n, which counts calls of getppid(). */
static struct counter calls(unsigned int n, __u32 flags, __u64 period)
{
	struct counter c = counter(n, flags, period);

	c.pmc.reg_value = event_of_calls();
	return c;
}

/* Create the root context of a family that samples with PMD0. */
static struct shared sampling(__u32 reg_flags, __u64 period, unsigned int n)
{
	struct shared s = shared_new(0, n, 0);
	struct counter c = calls(0, reg_flags, period);

	counter_write(s.fd, &c);
	return s;
}

static struct shared start_self(struct shared s)
{
	ctx_start_on(s.fd, thread_id());
	return s;
}

static unsigned long samples(const struct shared *s)
{
	unsigned long n = 0;

	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		if (s->hdr[cpu])
			n += s->hdr[cpu]->hdr_count;
	return n;
}

static const pfm_default_smpl_entry_t *entry_of(const struct shared *s,
						unsigned int cpu,
						unsigned int i,
						unsigned int pmds)
{
	struct smpl part = { .hdr = s->hdr[cpu] };

	return smpl_entry(&part, i, pmds);
}

/* Start a child that calls getppid() on request, and that stays on @cpu. */
static void caller_start_on(struct caller *c, int cpu)
{
	cpu_set_t all;

	CHECK_OK(sched_getaffinity(0, sizeof(all), &all));
	ctx_pin(cpu);
	caller_start(c);
	CHECK_OK(sched_setaffinity(0, sizeof(all), &all));
}

static void need_two_cpus(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs two CPUs");
}

/* Samples */

static void expect_all_samples(const char *what, const char *n)
{
	struct shared s = sampling(0, 1, ROOMY);
	unsigned long made = run_family(s.fd, what, n);

	CHECK_EQ(samples(&s), made);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 0);
	CHECK_EQ(ctx_number(s.fd, "pfm_births_failed"), 0);
	CHECK_OK(close(s.fd));
}

TEST(processes_are_sampled)
{
	expect_all_samples("forks", "20");
	expect_all_samples("vforks", "20");
	expect_all_samples("series", "20");
}

TEST(threads_are_sampled)
{
	expect_all_samples("threads", "50");
}

TEST(execs_and_exits_lose_no_sample)
{
	expect_all_samples("thread-execs", "5");
	expect_all_samples("leader-ends", "1");
	expect_all_samples("killed", "1");
}

TEST(fork_bomb_is_sampled)
{
	expect_all_samples("bomb", "100");
}

/*
 * PFM_REGFL_AT_EXIT requests a sample of each thread when it exits. The thread
 * state in this sample is X.
 */
TEST(exits_are_sampled_on_request)
{
	struct shared s = shared_new(0, ROOMY, 1);
	struct counter c = calls(0, PFM_REGFL_AT_EXIT, 1000);
	struct caller child;

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_STATE);
	counter_write(s.fd, &c);
	start_self(s);
	for (unsigned int i = 1; i <= 3; i++) {
		caller_start_on(&child, 0);
		caller_do(&child, 5);
		CHECK_EQ(samples(&s), i - 1);
		caller_quit(&child);
		CHECK_EQ(samples(&s), i);
	}
	for (unsigned int i = 0; i < 3; i++) {
		const pfm_default_smpl_entry_t *e = entry_of(&s, 0, i, 1);

		CHECK_EQ(smpl_values(e)[0], 'X');
		CHECK((__s64)e->ip > 0);
	}
	CHECK_EQ(entry_of(&s, 0, 2, 1)->pid, child.pid);
	/* The exit of a thread is not sampled while the family is stopped. */
	caller_start_on(&child, 0);
	ctx_stop(s.fd);
	caller_quit(&child);
	CHECK_EQ(samples(&s), 3);
}

TEST(exits_are_not_sampled_otherwise)
{
	struct shared s = start_self(sampling(0, 1000, ROOMY));
	struct caller child;

	caller_start(&child);
	caller_quit(&child);
	CHECK_EQ(samples(&s), 0);
}

TEST(members_begin_with_a_whole_period)
{
	struct shared s = start_self(sampling(0, 4, ROOMY));
	struct caller c[2];

	call(3);
	for (int i = 0; i < 2; i++) {
		caller_start(&c[i]);
		caller_do(&c[i], 11);
	}
	CHECK_EQ(samples(&s), 4);
	/* A read of a PMD that samples returns the root's value, not a sum. */
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
	for (int i = 0; i < 2; i++)
		caller_quit(&c[i]);
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
}

TEST(samples_say_whose_they_are)
{
	struct shared s;
	struct caller c;

	need_two_cpus();
	s = start_self(sampling(0, 1, ROOMY));
	caller_start_on(&c, 1);
	caller_do(&c, 5);
	CHECK_EQ(s.hdr[1]->hdr_count, 5);
	for (unsigned int i = 0; i < 5; i++) {
		const pfm_default_smpl_entry_t *e = entry_of(&s, 1, i, 0);

		CHECK_EQ(e->pid, c.pid);
		CHECK_EQ(e->tgid, c.pid);
		CHECK_EQ(e->cpu, 1);
		CHECK_EQ(e->last_reset_val, -1ULL);
	}
	caller_quit(&c);
}

/* PMD1 and PMD2 count the same calls and are recorded. PMD2 is also reset. */
TEST(members_inherit_recorded_and_reset_pmds)
{
	struct shared s = shared_new(0, ROOMY, 2);
	struct counter c[3] = {
		calls(0, 0, 4), calls(1, 0, 0), calls(2, 0, 0),
	};
	struct caller child;

	c[0].pmc.reg_smpl_eventid = 0x1234;
	c[0].pmc.reg_smpl_pmds[0] = 0x6;
	c[0].pmc.reg_reset_pmds[0] = 0x4;
	for (int i = 0; i < 3; i++)
		counter_write(s.fd, &c[i]);
	start_self(s);
	caller_start_on(&child, 0);
	caller_do(&child, 12);
	CHECK_EQ(s.hdr[0]->hdr_count, 3);
	for (unsigned int i = 0; i < 3; i++) {
		const pfm_default_smpl_entry_t *e = entry_of(&s, 0, i, 2);

		CHECK(smpl_values(e)[0] >= 4 * i + 3 &&
		      smpl_values(e)[0] <= 4 * i + 4);
		CHECK(smpl_values(e)[1] >= 3 && smpl_values(e)[1] <= 4);
	}
	/*
	 * A read of a PMD that does not sample returns the sum. The root's
	 * thread has made no call, so all calls are those of the member.
	 */
	CHECK_EQ(ctx_read(s.fd, 1), 12);
	caller_quit(&child);
	CHECK_EQ(ctx_read(s.fd, 1), 12);
}

TEST(members_inherit_random_periods)
{
	struct shared s = shared_new(0, ROOMY, 0);
	struct counter c = calls(0, PFM_REGFL_RANDOM, 64);
	bool varies = false;
	struct caller child;

	c.pmd.reg_random_mask = 0x1f;
	c.pmd.reg_random_seed = 7;
	counter_write(s.fd, &c);
	start_self(s);
	caller_start_on(&child, 0);
	caller_do(&child, 64 * 20);
	CHECK(s.hdr[0]->hdr_count > 20);
	for (unsigned int i = 1; i < s.hdr[0]->hdr_count; i++) {
		__u64 last = entry_of(&s, 0, i, 0)->last_reset_val;

		CHECK(last >= -64ULL && last <= -64ULL + 0x1f);
		varies |= last != entry_of(&s, 0, i - 1, 0)->last_reset_val;
	}
	CHECK(varies);
	caller_quit(&child);
}

TEST(start_at_exec_samples_only_the_program)
{
	pfarg_start_t start = { .start_flags = PFM_STARTFL_EXEC };
	struct shared s = sampling(0, 1, ROOMY);
	int go[2];
	pid_t pid;

	CHECK_OK(pipe2(go, O_CLOEXEC));
	pid = fork_one();
	if (!pid) {
		wait_go(go[0]);
		call(10);
		execl(program_path("family"), "family", "forks", "3", "10",
		      NULL);
		_exit(FAILED);
	}
	ctx_load(s.fd, pid);
	CHECK_OK(pfm_start(s.fd, &start));
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK_EQ(wait_for(pid), 0);
	CHECK_EQ(samples(&s), 30);
}

TEST(stop_and_start_reach_members)
{
	struct shared s = start_self(sampling(0, 1, ROOMY));
	struct caller c;

	caller_start(&c);
	CHECK_OK(pfm_stop(s.fd));
	caller_do(&c, 10);
	CHECK_EQ(samples(&s), 0);
	CHECK_OK(pfm_start(s.fd, NULL));
	caller_do(&c, 10);
	CHECK_EQ(samples(&s), 10);
	caller_quit(&c);
}

/* Full buffers */

/* Change the period of the sampling PMD. */
static int change_period(const struct shared *s, __u64 period)
{
	pfarg_pmd_t pmd = { .reg_value = -period, .reg_long_reset = -period,
			    .reg_short_reset = -period };

	return pfm_write_pmds(s->fd, &pmd, 1);
}

TEST(period_changes_in_all_members)
{
	struct shared s = start_self(sampling(0, 4, ROOMY));
	pfarg_pmc_t pmc = { .reg_value = event_of_calls() };
	struct caller c[2];

	caller_start(&c[0]);
	caller_do(&c[0], 3);
	CHECK_OK(change_period(&s, 2));
	/*
	 * The current period of 4 ends with the first of these calls; then two
	 * periods of 2 follow.
	 */
	caller_do(&c[0], 5);
	CHECK_EQ(samples(&s), 3);
	caller_start(&c[1]);
	caller_do(&c[1], 4);
	CHECK_EQ(samples(&s), 5);
	/*
	 * The root's periods also change: its current period is still 4, the
	 * next one is 2.
	 */
	call(6);
	CHECK_EQ(samples(&s), 7);
	CHECK_ERRNO(change_period(&s, 0), EINVAL);
	CHECK_ERRNO(pfm_write_pmcs(s.fd, &pmc, 1), EBUSY);
	caller_quit(&c[0]);
	caller_quit(&c[1]);
}

TEST(full_buffer_loses_samples_until_restart)
{
	struct shared s = start_self(sampling(PFM_REGFL_OVFL_NOTIFY, 1, 10));
	struct caller c;
	pfm_msg_t msg;

	caller_start_on(&c, 0);
	caller_do(&c, 9);
	ctx_expect_no_message(s.fd);
	CHECK(!is_readable(s.fd));
	caller_do(&c, 16);
	CHECK(is_readable(s.fd));
	CHECK_EQ(s.hdr[0]->hdr_count, 10);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 15);
	ctx_expect_state(s.fd, "started");
	msg = ctx_next_message(s.fd);
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	CHECK_EQ(msg.ovfl.msg_ovfl_cpu, 0);
	CHECK_EQ(msg.ovfl.msg_ovfl_tid, c.pid);
	CHECK_EQ(msg.ovfl.msg_ovfl_pid, c.pid);
	CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 1);
	ctx_expect_no_message(s.fd);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[0]->hdr_count, 0);
	caller_do(&c, 5);
	CHECK_EQ(s.hdr[0]->hdr_count, 5);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 15);
	caller_quit(&c);
}

TEST(full_buffer_without_message_is_restarted)
{
	struct shared s = start_self(sampling(0, 1, 10));
	struct caller c;

	caller_start_on(&c, 0);
	caller_do(&c, 12);
	ctx_expect_no_message(s.fd);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 2);
	CHECK_OK(pfm_restart(s.fd));
	caller_do(&c, 3);
	CHECK_EQ(s.hdr[0]->hdr_count, 3);
	caller_quit(&c);
}

/*
 * PFM_RESTART does not empty a buffer whose message is unread, because the tool
 * has not yet been told about the samples in that buffer.
 */
TEST(restart_waits_until_message_is_read)
{
	struct shared s;
	struct caller c[2];
	unsigned int first;

	need_two_cpus();
	s = start_self(sampling(PFM_REGFL_OVFL_NOTIFY, 1, 10));
	for (int cpu = 0; cpu < 2; cpu++) {
		caller_start_on(&c[cpu], cpu);
		caller_do(&c[cpu], 10);
	}
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(samples(&s), 20);
	first = ctx_next_message(s.fd).ovfl.msg_ovfl_cpu;
	CHECK(first < 2);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[first]->hdr_count, 0);
	CHECK_EQ(s.hdr[!first]->hdr_count, 10);
	CHECK_EQ(ctx_next_message(s.fd).ovfl.msg_ovfl_cpu, !first);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(samples(&s), 0);
	for (int cpu = 0; cpu < 2; cpu++)
		caller_quit(&c[cpu]);
}

/*
 * The first restart empties the buffer whose message was read; the second one
 * empties all others.
 */
TEST(restart_after_stop_empties_all_buffers)
{
	struct shared s;
	struct caller c[2];

	need_two_cpus();
	s = start_self(sampling(PFM_REGFL_OVFL_NOTIFY, 1, 10));
	for (int i = 0; i < 2; i++)
		caller_start_on(&c[i], i);
	caller_do(&c[0], 10);
	caller_do(&c[1], 3);
	CHECK_OK(pfm_stop(s.fd));
	CHECK_EQ(ctx_next_message(s.fd).ovfl.msg_ovfl_cpu, 0);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[0]->hdr_count, 0);
	CHECK_EQ(s.hdr[1]->hdr_count, 3);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[1]->hdr_count, 0);
	CHECK_OK(pfm_start(s.fd, NULL));
	caller_do(&c[1], 2);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[1]->hdr_count, 2);
	for (int i = 0; i < 2; i++)
		caller_quit(&c[i]);
}

TEST(read_waits_for_a_full_buffer)
{
	struct shared s = start_self(sampling(PFM_REGFL_OVFL_NOTIFY, 1, 10));
	unsigned int n = 10;
	struct caller c;

	caller_start_on(&c, 0);
	/* Request the child's calls, but do not wait until it has made them. */
	CHECK_EQ(write(c.ask[1], &n, sizeof(n)), sizeof(n));
	CHECK_EQ(ctx_next_message(s.fd).ovfl.msg_ovfl_tid, c.pid);
	CHECK_EQ(samples(&s), 10);
}

TEST(family_outlives_its_first_thread)
{
	struct shared s = sampling(PFM_REGFL_OVFL_NOTIFY, 1, 10);
	struct caller c;
	int go[2];
	pid_t root;

	ctx_pin(0);
	root = caller_start_by_other(&c, s.fd, go);
	ctx_start_on(s.fd, root);
	CHECK_EQ(write(go[1], "", 1), 1);
	reap(root);
	ctx_expect_message(s.fd, PFM_MSG_END);
	caller_do(&c, 12);
	ctx_expect_message(s.fd, PFM_MSG_OVFL);
	CHECK_OK(pfm_restart(s.fd));
	caller_do(&c, 3);
	CHECK_EQ(samples(&s), 3);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 2);
	CHECK_OK(pfm_unload_context(s.fd));
	caller_do(&c, 3);
	CHECK_EQ(samples(&s), 3);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 2);
	CHECK_ERRNO(pfm_restart(s.fd), EBUSY);
}

TEST(next_family_uses_the_same_buffers)
{
	struct shared s = start_self(sampling(0, 1, ROOMY));
	struct caller c;

	caller_start(&c);
	caller_do(&c, 5);
	CHECK_OK(pfm_unload_context(s.fd));
	ctx_start_on(s.fd, c.pid);
	caller_do(&c, 6);
	CHECK_EQ(samples(&s), 11);
	caller_quit(&c);
}

TEST(close_while_members_sample)
{
	struct shared s = start_self(sampling(0, 1, ROOMY));
	struct caller c;

	caller_start(&c);
	caller_do(&c, 5);
	CHECK_OK(close(s.fd));
	caller_do(&c, 5);
	ctx_expect_free(c.pid);
	caller_quit(&c);
}

TEST(no_msg_contexts_restart_without_reading)
{
	struct shared s = shared_new(PFM_FL_OVFL_NO_MSG, 10, 0);
	struct counter c = calls(0, PFM_REGFL_OVFL_NOTIFY, 1);
	struct caller child;

	counter_write(s.fd, &c);
	start_self(s);
	caller_start_on(&child, 0);
	caller_do(&child, 12);
	ctx_expect_no_message(s.fd);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(samples(&s), 0);
	caller_do(&child, 3);
	CHECK_EQ(samples(&s), 3);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 2);
	caller_quit(&child);
}

/* Other formats */

#define REGIONS		3
#define REGION		10	/* samples */

/*
 * Create the root context of a family that uses the n-way format. Its regions
 * are full after REGION entries.
 */
static struct mapped nway_root(__u32 flags)
{
	struct mapped m = nway_new(PFM_FL_INHERIT | flags, REGIONS, REGION, 0,
				   PFM_NWAY_SMPL_MASK_WHEN_FULL);
	struct counter c = calls(0, PFM_REGFL_OVFL_NOTIFY, 1);

	counter_write(m.fd, &c);
	return m;
}

/* Each message hands out one region, and one PFM_RESTART takes it back. */
TEST(regions_of_a_cpu_are_handed_out_one_by_one)
{
	const pfm_nway_smpl_hdr_t *hdr;
	struct mapped m;
	struct caller c;
	int fd;

	CHECK_OK(close(sampling(0, 1, 10).fd));
	m = nway_root(0);
	fd = m.fd;
	hdr = m.buf;
	ctx_start_on(fd, thread_id());
	caller_start_on(&c, 0);
	/* The calls fill two regions and a part of the last one. */
	caller_do(&c, 25);
	CHECK_EQ(hdr->hdr_handed_out, 2);
	CHECK_EQ(ctx_next_message(fd).ovfl.msg_ovfl_cpu, 0);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(hdr->hdr_freed, 1);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(hdr->hdr_freed, 1);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(hdr->hdr_freed, 2);
	ctx_expect_no_message(fd);
	CHECK_EQ(ctx_number(fd, "pfm_lost"), 0);
	caller_quit(&c);
}

/* Storms of commands */

struct storm {
	int		fd;
	size_t		size;
	const void	*buf[2];
	bool		over;
};

static bool is_over(const struct storm *s)
{
	return __atomic_load_n(&s->over, __ATOMIC_ACQUIRE);
}

static void *keep_restarting(void *storm)
{
	const struct storm *s = storm;

	while (!is_over(s))
		if (pfm_restart(s->fd))
			CHECK_EQ(errno, EBUSY);
	return NULL;
}

static void *keep_reading(void *storm)
{
	const struct storm *s = storm;
	pfm_msg_t msg[3];

	while (!is_over(s)) {
		ssize_t n = read(s->fd, msg, sizeof(msg));

		CHECK(n > 0 || errno == EAGAIN);
		for (ssize_t i = 0; i < n / (ssize_t)sizeof(*msg); i++)
			CHECK(msg[i].msg_type == PFM_MSG_END ||
			      (msg[i].msg_type == PFM_MSG_OVFL &&
			       msg[i].ovfl.msg_ovfl_cpu < 2 &&
			       msg[i].ovfl.msg_ovfl_pmds[0] == 1));
		sched_yield();
	}
	return NULL;
}

static void *keep_mapping(void *storm)
{
	const struct storm *s = storm;

	/*
	 * A process can map each buffer only once. So let a child unmap its
	 * inherited mapping, and map the buffer again.
	 */
	while (!is_over(s)) {
		pid_t pid = fork_one();

		if (!pid) {
			CHECK_OK(munmap((void *)s->buf[0], s->size));
			CHECK(mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd,
				   0) != MAP_FAILED);
			_exit(PASSED);
		}
		reap(pid);
	}
	return NULL;
}

static void *keep_asking(void *storm)
{
	const struct storm *s = storm;

	while (!is_over(s)) {
		ctx_number(s->fd, "pfm_lost");
		ctx_read(s->fd, 0);
	}
	return NULL;
}

static void *keep_polling(void *storm)
{
	const struct storm *s = storm;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	while (!is_over(s))
		CHECK_OK(poll(&p, 1, 1));
	return NULL;
}

/* Return the number of samples that were ever recorded. */
static unsigned long ever_recorded(const struct storm *s)
{
	unsigned long n = 0;

	for (int cpu = 0; cpu < 2; cpu++) {
		const pfm_nway_smpl_hdr_t *hdr = s->buf[cpu];
		const pfm_nway_smpl_rgn_t *rgn = (const void *)(hdr + 1);

		n += hdr->hdr_handed_out * REGION;
		for (unsigned int i = 0; i < hdr->hdr_num_regions; i++)
			if (rgn[i].rgn_state == PFM_NWAY_RGN_FILLING)
				n += rgn[i].rgn_count;
	}
	return n;
}

static struct storm storm_new(__u32 flags)
{
	struct mapped m = nway_root(flags);
	struct storm s = { .fd = m.fd, .size = m.size, .buf[0] = m.buf };

	s.buf[1] = mmap(NULL, m.size, PROT_READ, MAP_SHARED, m.fd, m.size);
	CHECK(s.buf[1] != MAP_FAILED);
	CHECK_OK(fcntl(m.fd, F_SETFL, O_NONBLOCK));
	CHECK_OK(fcntl(m.fd, F_SETFD, FD_CLOEXEC));
	return s;
}

/*
 * Check that each call of the family is sampled or counted as lost, while
 * threads issue commands without a break.
 */
static void storm_over(const char *what, const char *n, __u32 flags)
{
	void *(*const jobs[])(void *arg) = {
		keep_restarting, keep_restarting, keep_reading, keep_reading,
		keep_mapping, keep_asking, keep_polling,
	};
	pthread_t threads[ARRAY_SIZE(jobs)];
	struct storm s = storm_new(flags);
	unsigned long made;

	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		CHECK(!pthread_create(&threads[i], NULL, jobs[i], &s));
	made = run_family(s.fd, what, n);
	__atomic_store_n(&s.over, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK_EQ(ever_recorded(&s) + ctx_number(s.fd, "pfm_lost"), made);
	CHECK_EQ(ctx_number(s.fd, "pfm_births_failed"), 0);
	CHECK_OK(close(s.fd));
}

/* Proves H06, H08 */
TEST(storms_of_commands_lose_no_overflow_uncounted)
{
	CHECK_OK(close(sampling(0, 1, 10).fd));
	need_two_cpus();
	storm_over("bomb", "100", 0);
	storm_over("forks", "50", 0);
	storm_over("threads", "50", 0);
	storm_over("series", "300", PFM_FL_OVFL_NO_MSG);
	storm_over("thread-execs", "10", 0);
	storm_over("killed", "3", 0);
}

TEST(argument_changes_in_all_buffers)
{
	static const pfm_uuid_t uuid = PFM_THRESHOLD_SMPL_UUID;
	pfm_threshold_smpl_arg_t arg = {
		.sink = { .buf_size = 65536, .num_regions = 1 }, .min = 2,
	};
	struct counter c = calls(0, 0, 1), count = calls(1, 0, 0);
	const pfm_sink_rgn_t *region;
	struct caller child;
	struct mapped m;

	CHECK_OK(close(sampling(0, 1, 10).fd));
	m = mapped_new(uuid, PFM_FL_INHERIT, &arg, sizeof(arg));
	region = (const void *)((const pfm_sink_hdr_t *)m.buf + 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(m.fd, &c);
	counter_write(m.fd, &count);
	ctx_start_on(m.fd, thread_id());
	caller_start_on(&child, 0);
	caller_do(&child, 20);
	CHECK_EQ(region->rgn_count, 0);
	arg.min = 1;
	CHECK_OK(pfm_set_fmt_arg(m.fd, &arg, sizeof(arg)));
	caller_do(&child, 20);
	CHECK_EQ(region->rgn_count, 20);
	caller_quit(&child);
}

/* Mappings */

TEST(each_cpu_has_a_mapping)
{
	struct shared s = shared_new(0, 10, 0);
	size_t page = sysconf(_SC_PAGESIZE);

	/* The buffer of CPU 0 is mapped already. */
	CHECK(map_at(&s, 0) == MAP_FAILED);
	CHECK_EQ(errno, EBUSY);
	CHECK_OK(munmap((void *)s.hdr[0], s.size));
	expect_no_map(s.fd, s.size + page, PROT_READ, MAP_SHARED, 0);
	expect_no_map(s.fd, s.size, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	if (s.size > page)
		expect_no_map(s.fd, s.size, PROT_READ, MAP_SHARED, page);
	errno = 0;
	CHECK(map_at(&s, 1 << 20) == MAP_FAILED);
	CHECK_EQ(errno, EINVAL);
	CHECK(map_at(&s, 0) != MAP_FAILED);
}

TEST(cpu_that_comes_later_has_no_buffer)
{
	struct shared s;
	struct caller c;
	pfarg_ctx_t ctx;

	CHECK_OK(close(sampling(0, 1, 10).fd));
	need_second_cpu();
	set_second_cpu(false);
	s = sampling(0, 1, 10);
	set_second_cpu(true);
	start_self(s);
	CHECK(map_at(&s, 1) == MAP_FAILED);
	CHECK_EQ(errno, EINVAL);
	caller_start_on(&c, 1);
	caller_do(&c, 7);
	CHECK_EQ(samples(&s), 0);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 7);
	caller_quit(&c);
	/*
	 * A root that is created now, while CPU 1 is online, has a buffer for
	 * CPU 1.
	 */
	CHECK_OK(smpl_create(&ctx, PFM_FL_INHERIT, s.size, 0));
	s.fd = ctx.ctx_fd;
	CHECK(map_at(&s, 1) != MAP_FAILED);
}

/* When a CPU goes offline, the samples in its buffer are kept. */
TEST(buffer_of_offline_cpu_is_restarted)
{
	struct shared s;
	struct caller c;

	CHECK_OK(close(sampling(0, 1, 10).fd));
	need_second_cpu();
	s = start_self(sampling(0, 1, 10));
	caller_start_on(&c, 1);
	caller_do(&c, 12);
	caller_quit(&c);
	set_second_cpu(false);
	CHECK_EQ(s.hdr[1]->hdr_count, 10);
	CHECK_OK(pfm_restart(s.fd));
	CHECK_EQ(s.hdr[1]->hdr_count, 0);
	set_second_cpu(true);
}

/* Formats that are refused */

static void refuse(const pfm_uuid_t uuid, void *arg, size_t size)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(pfm_uuid_t));
	CHECK_ERRNO(pfm_create_context(&ctx, arg, size), EOPNOTSUPP);
}

TEST(formats_that_cannot_be_shared_are_refused)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT,
			    .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	pfm_default_smpl_arg_t arg = { .buf_size = 65536 };
	static const __u32 flags[] = {
		PFM_FL_SYSTEM_WIDE, PFM_FL_NOTIFY_BLOCK, PFM_FL_MAP_SETS,
	};
	static const pfm_uuid_t pebs = PFM_PEBS64_SMPL_UUID;
	static const pfm_uuid_t bridge = PFM_OPROFILE_SMPL_UUID;
	pfm_pebs64_smpl_arg_t pebs_arg = {
		.buf_size = 65536, .intr_thres = 10,
		.flags = PFM_PEBS64_SMPL_IMPRECISE, .cnt_reset = -10ULL,
	};
	struct shared s = shared_new(0, 10, 0);

	refuse(pebs, &pebs_arg, sizeof(pebs_arg));
	refuse(bridge, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		ctx.ctx_flags = PFM_FL_INHERIT | flags[i];
		CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)),
			    EINVAL);
	}
	CHECK_ERRNO(ctx_try_set(s.fd, 1), EOPNOTSUPP);
	CHECK_ERRNO(pfm_restart(s.fd), EBUSY);
}

/* Rights */

static void exec_setid_as_user(void *unused)
{
	struct shared s;

	become_nobody();
	s = start_self(sampling(0, 1, 100));
	exec_setid("call");
	CHECK_EQ(ctx_number(s.fd, "pfm_births_failed"), 1);
	CHECK_EQ(samples(&s), CALLS);
}

/* Proves H32 */
TEST(setuid_exec_ends_sampling_of_a_user)
{
	CHECK_OK(close(sampling(0, 1, 10).fd));
	make_setid_family();
	/* The paranoid level -1 lets users sample tracepoints. */
	with_paranoid("-1", exec_setid_as_user, NULL);
}

/* Cause page faults in a child, in user space and in the kernel. */
static void fault_in_child(void)
{
	size_t size = FAULTS * sysconf(_SC_PAGESIZE);
	pid_t pid = CHECK_OK(fork());
	int pipes[2];
	char *pages;

	if (pid) {
		reap(pid);
		return;
	}
	CHECK_OK(pipe(pipes));
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	for (size_t i = 0; i < size; i += size / FAULTS) {
		CHECK_EQ(write(pipes[1], "", 1), 1);
		CHECK_EQ(read(pipes[0], pages + i, 1), 1);
	}
	faults_prepare();
	touch_pages(FAULTS, NULL);
	_exit(PASSED);
}

/*
 * Sample a child's page faults. Return: the number of samples whose instruction
 * pointer is in the kernel.
 */
static unsigned int sample_faults(__u64 exclude)
{
	struct shared s = shared_new(0, ROOMY, 0);
	struct counter c = counter(0, 0, 1);
	unsigned int n = 0;

	c.pmc.reg_value |= exclude;
	counter_write(s.fd, &c);
	start_self(s);
	fault_in_child();
	ctx_stop(s.fd);
	CHECK(samples(&s) >= FAULTS);
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		for (unsigned int i = 0;
		     s.hdr[cpu] && i < s.hdr[cpu]->hdr_count; i++)
			n += entry_of(&s, cpu, i, 0)->ip >> 63;
	CHECK_OK(close(s.fd));
	return n;
}

static void sample_as_user(void *unused)
{
	become_nobody();
	CHECK_EQ(sample_faults(PFM_PERF_EXCL_KERNEL), 0);
}

/* Proves H32 */
TEST(users_see_no_kernel_address_of_members)
{
	CHECK(sample_faults(0) >= FAULTS);
	with_paranoid("2", sample_as_user, NULL);
}

/* Limits */

static void bear_many(void *unused)
{
	struct shared s;

	become_nobody();
	s = sampling(0, 1, ROOMY);
	CHECK_EQ(run_family(s.fd, "series", "2000"), 20000);
	CHECK_EQ(samples(&s) + ctx_number(s.fd, "pfm_lost"), 20000);
	CHECK_EQ(ctx_number(s.fd, "pfm_births"), 2000);
	CHECK_EQ(ctx_number(s.fd, "pfm_births_failed"), 0);
}

TEST(members_need_no_locked_memory)
{
	CHECK_OK(close(sampling(0, 1, 10).fd));
	limit_locked_pages(32 * sysconf(_SC_NPROCESSORS_ONLN));
	with_paranoid("-1", bear_many, NULL);
}
