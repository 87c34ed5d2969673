// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * exclude.c - exclude the idle thread (specification 3.1.10), or all tasks
 *	       outside a control group
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "smpl.h"
#include "worker.h"

#define GROUPS		"/sys/fs/cgroup"
#define GROUP		GROUPS "/exclude"
#define PERIOD		1000000	/* ns */
#define IDLE_TICKS	20

/* Return how long CPU 0 has been idle, in ticks of 10 ms. */
static unsigned long idle_ticks(void)
{
	unsigned long ticks;
	FILE *file = fopen("/proc/stat", "re");

	CHECK(file);
	CHECK_EQ(fscanf(file, "%*[^\n] cpu0 %*u %*u %*u %lu", &ticks), 1);
	fclose(file);
	return ticks;
}

static void be_idle(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	unsigned long begin = idle_ticks();

	/* Sleep because the idle thread is measured. */
	while (idle_ticks() < begin + IDLE_TICKS)
		CHECK_OK(nanosleep(&pause, NULL));
}

/*
 * Sample a mostly idle CPU at equal time intervals. Return: the number of
 * samples of the idle thread.
 */
static unsigned int sample_idleness(__u32 set_flags)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	struct counter c = counter(0, 0, PERIOD);
	unsigned int idle = 0;

	c.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_CPU_CLOCK);
	ctx_create_set(s.fd, 0, set_flags);
	counter_write(s.fd, &c);
	ctx_pin(0);
	ctx_start_on(s.fd, thread_id());
	be_idle();
	/*
	 * If the idle thread is excluded, the buffer may still be empty. Spin
	 * until this thread, which is not excluded, has been sampled.
	 */
	while (((volatile typeof(*s.hdr) *)s.hdr)->hdr_count == 0)
		;
	ctx_stop(s.fd);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++)
		idle += !smpl_entry(&s, i, 0)->pid;
	close(s.fd);
	return idle;
}

/* Proves 3.1.10-06 */
TEST(the_idle_thread_can_be_excluded)
{
	CHECK(sample_idleness(0) > 0);
	CHECK_EQ(sample_idleness(PFM_SETFL_EXCL_IDLE), 0);
}

/* Proves 3.1.10-07 */
TEST(excl_idle_is_ignored_for_threads)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, PFM_SETFL_EXCL_IDLE);
	ctx_add_set_counter(fd, 0, 0, 0, 0, 0);
	ctx_start_self(fd);
	touch_pages(10, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 10);
	CHECK_EQ(ctx_set_info(fd, 0).set_flags, PFM_SETFL_EXCL_IDLE);
}

static int open_group(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

static void move_to_group(const char *procs, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	write_text(procs, text);
}

/* Start a context on CPU 0 that counts only the tasks of a control group. */
static int start_for_group(int group)
{
	pfarg_load_t load = { .load_pid = thread_id(), .load_cgroup = group,
			      .load_flags = PFM_LOADFL_CGROUP };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_add_counter(fd, 0, 0, 0);
	ctx_pin(0);
	faults_prepare();
	CHECK_OK(pfm_load_context(fd, &load));
	CHECK_OK(pfm_start(fd, NULL));
	return fd;
}

TEST(only_tasks_of_cgroup_are_counted)
{
	struct worker in, below, out;
	int fd, group;

	mkdir(GROUP, 0755);
	mkdir(GROUP "/below", 0755);
	worker_start_pinned(&in);
	worker_start_pinned(&below);
	worker_start_pinned(&out);
	move_to_group(GROUP "/cgroup.procs", in.pid);
	move_to_group(GROUP "/below/cgroup.procs", below.pid);
	group = open_group(GROUP);
	fd = start_for_group(group);
	close(group);
	worker_do(&in, WORK_TOUCH, 100);
	worker_do(&out, WORK_TOUCH, 1000);
	touch_pages(1000, NULL);
	worker_do(&below, WORK_TOUCH, 20);
	CHECK_EQ(ctx_read(fd, 0), 120);
	/* Tasks may join the group and leave it while they are monitored. */
	move_to_group(GROUPS "/cgroup.procs", in.pid);
	move_to_group(GROUP "/cgroup.procs", out.pid);
	worker_do(&in, WORK_TOUCH, 1000);
	worker_do(&out, WORK_TOUCH, 3);
	CHECK_EQ(ctx_read(fd, 0), 123);
	close(fd);
	worker_quit(&in);
	worker_quit(&below);
	worker_quit(&out);
	remove_cgroup(GROUP "/below");
	remove_cgroup(GROUP);
}

TEST(root_cgroup_excludes_nothing)
{
	int group = open_group(GROUPS), fd = start_for_group(group);

	touch_pages(10, NULL);
	CHECK(ctx_read(fd, 0) >= 10);
	close(fd);
	close(group);
}

TEST(load_refuses_what_is_not_a_cgroup)
{
	pfarg_load_t bad[] = {
		{ .load_flags = PFM_LOADFL_CGROUP, .load_cgroup = -1 },
		{ .load_flags = PFM_LOADFL_CGROUP, .load_cgroup = 0 },
		{ .load_flags = PFM_LOADFL_CGROUP << 1 },
		{ .load_cgroup = 1 },
	};
	const int errors[] = { EBADF, EBADF, EINVAL, EINVAL };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE), group = open_group(GROUPS);

	ctx_add_counter(fd, 0, 0, 0);
	ctx_pin(0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		bad[i].load_pid = thread_id();
		CHECK_ERRNO(pfm_load_context(fd, &bad[i]), errors[i]);
	}
	ctx_load(fd, thread_id());
	close(fd);
	/* A per-thread context cannot be restricted to a control group. */
	fd = ctx_counting();
	bad[0].load_cgroup = group;
	CHECK_ERRNO(pfm_load_context(fd, &bad[0]), EINVAL);
	ctx_load_self(fd);
	close(fd);
	close(group);
}

TEST(load_refuses_a_removed_cgroup)
{
	pfarg_load_t load = { .load_pid = thread_id(),
			      .load_flags = PFM_LOADFL_CGROUP };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	mkdir(GROUP, 0755);
	load.load_cgroup = open_group(GROUP);
	remove_cgroup(GROUP);
	ctx_pin(0);
	CHECK_ERRNO(pfm_load_context(fd, &load), ENOENT);
	close(load.load_cgroup);
	ctx_load(fd, thread_id());
	close(fd);
}
