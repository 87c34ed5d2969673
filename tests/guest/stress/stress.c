// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * stress.c - contexts of all kinds at once, with disturbances
 *
 * For each kind of context, one process takes samples, round after round. Other
 * processes read the files that formats provide, or monitor themselves and
 * their child processes. The amount of work is fixed, not the time. With
 * $PFM_NMI, the events are NMIs instead of page faults, at the highest rate
 * that the machine can handle.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "check.h"
#include "disturb.h"
#include "faults.h"
#include "kinds.h"
#include "oprofile_stream.h"
#include "rig.h"
#include "worker.h"

#define DEVICE		"/dev/" PFM_OPROFILE_DEVICE
#define SESSION_WORDS	8192	/* reopen the device after this many words */
#define BURSTS		6	/* of page faults per round */

/* Processes that disturb the others */

static void check_stream(size_t n)
{
	decode(n);
	for (unsigned int i = 0; i < num_samples; i++) {
		CHECK(samples[i].tid && samples[i].tid == samples[i].tgid);
		CHECK(samples[i].event == EVENT_OF(PMD_CLOCK) ||
		      samples[i].event == EVENT_OF(PMD_FAULTS));
	}
}

static void read_device(void *unused)
{
	int device;
	size_t n;

	while (!disturb_is_over()) {
		device = open(DEVICE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (device < 0) {
			CHECK(errno == ENOENT || errno == ENODEV);
			sched_yield();
			continue;
		}
		for (n = 0; n < SESSION_WORDS && !disturb_is_over();) {
			n = drain(device, n);
			sched_yield();
		}
		check_stream(n);
		close(device);
	}
}

static int read_file(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	char text[4096];
	int fd;

	if (type != FTW_F)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* The format that owns the file may have been unloaded. */
	CHECK(fd >= 0 || errno == ENOENT || errno == ENODEV);
	if (fd < 0)
		return 0;
	/* A read may return 0 bytes: the file "defects" is usually empty. */
	CHECK(read(fd, text, sizeof(text)) >= 0 || errno == ENODEV);
	close(fd);
	return 0;
}

static void read_sysfs(void *unused)
{
	while (!disturb_is_over()) {
		nftw(PFM_SYSFS, read_file, 8, FTW_PHYS);
		sched_yield();
	}
}

/* Processes that sample themselves */

/**
 * struct job - how a process samples itself
 * @kind:   the kind of context
 * @rounds: number of contexts, one after the other
 * @work:   cause page faults for @burst of @round
 * @late:   close the context while the process has a child
 */
struct job {
	const struct kind *kind;
	unsigned int	rounds;
	void		(*work)(unsigned int round, unsigned int burst);
	bool		late;
};

/*
 * Cause a varying number of page faults, then compute for a while, so that the
 * clock overflows, too.
 */
static void touch(unsigned int round, unsigned int burst)
{
	touch_pages(10 + 20 * ((round + burst) % BURSTS), NULL);
	for (volatile int i = 0; i < 50000; i++)
		;
}

static void touch_on_all_cpus(unsigned int round, unsigned int burst)
{
	for (int cpu = 0; cpu < 4; cpu++) {
		ctx_pin((round + cpu) % 2);
		touch(round, burst + cpu);
	}
}

static void touch_in_child(void *unused)
{
	touch_pages(20, NULL);
}

static void touch_and_fork(unsigned int round, unsigned int burst)
{
	pid_t children[3];

	for (int i = 0; i < 3; i++) {
		children[i] = spawn(touch_in_child, NULL);
		touch(round, burst);
	}
	for (int i = 0; i < 3; i++)
		reap(children[i]);
}

static void close_with_child(struct sampler *s)
{
	pid_t child = spawn(touch_in_child, NULL);

	sampler_close(s);
	reap(child);
}

static void sample_self(void *arg)
{
	const struct job *job = arg;
	struct sampler s;

	faults_prepare();
	for (unsigned int round = 0; round < job->rounds; round++) {
		if (!sampler_start(&s, job->kind, getpid()))
			continue;
		for (unsigned int burst = 0; burst < BURSTS; burst++) {
			job->work(round, burst);
			sampler_drain(&s);
		}
		/*
		 * In some rounds, close the context without reading the
		 * remaining samples.
		 */
		if (round % 3)
			sampler_finish(&s);
		if (job->late)
			close_with_child(&s);
		else
			sampler_close(&s);
		sched_yield();
	}
}

/* Processes that sample another process */

static void drain_while(struct sampler *s, const struct worker *w,
			enum work what, unsigned long n)
{
	struct pollfd p[] = {
		{ .fd = w->done, .events = POLLIN },
		{ .fd = s->m.fd, .events = POLLIN },
	};

	worker_ask(w, what, n);
	do {
		CHECK_OK(poll(p, 2, -1));
		sampler_drain(s);
	} while (!p[0].revents);
	worker_wait(w);
}

/* Sample until the worker exits, or close the context while it works. */
static void sample_worker(struct sampler *s, const struct worker *w, bool close)
{
	drain_while(s, w, WORK_TOUCH, 120);
	drain_while(s, w, WORK_EXEC, 0);
	drain_while(s, w, WORK_TOUCH, 60);
	if (close) {
		worker_ask(w, WORK_TOUCH, 300);
		sampler_drain(s);
		sampler_close(s);
		worker_wait(w);
		worker_quit(w);
		return;
	}
	worker_quit(w);
	sampler_drain_to_end(s);
	sampler_finish(s);
	sampler_close(s);
}

static void sample_workers(void *arg)
{
	const struct job *job = arg;
	struct sampler s;
	struct worker w;

	for (unsigned int round = 0; round < job->rounds; round++) {
		worker_start(&w);
		if (sampler_start(&s, job->kind, w.pid))
			sample_worker(&s, &w, round % 3 == 2);
		else
			worker_quit(&w);
		close(w.done);
	}
}

/*
 * Run a job per kind. If @unload, also run a process that unloads the formats.
 */
static void stress(void (*sample)(void *job), struct job job, bool unload)
{
	pid_t pids[NUM_KINDS], unloader = 0, device, sysfs, births;

	disturb_begin();
	rig_begin();
	for (unsigned int i = 0; i < NUM_KINDS; i++) {
		job.kind = &kinds[i];
		pids[i] = spawn(sample, &job);
	}
	device = spawn(read_device, NULL);
	sysfs = spawn(read_sysfs, NULL);
	births = spawn(disturb_births, NULL);
	if (unload)
		unloader = spawn(disturb_formats, NULL);
	for (unsigned int i = 0; i < NUM_KINDS; i++)
		reap(pids[i]);
	disturb_end();
	rig_end();
	reap(device);
	reap(sysfs);
	reap(births);
	if (unload)
		reap(unloader);
}

/* Proves H07, H11 */
TEST(format_unload_races_with_contexts_of_all_kinds)
{
	struct job job = { .rounds = 6, .work = touch };

	stress(sample_self, job, true);
	printf("# %u modules were unloaded\n", disturb_unloaded());
	CHECK(disturb_unloaded() > 0);
}

/* Proves H06 */
TEST(sampled_threads_move_between_cpus)
{
	struct job job = { .rounds = 3, .work = touch_on_all_cpus };

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs a second CPU");
	stress(sample_self, job, false);
}

/* Proves H07 */
TEST(sampled_processes_fork_all_the_time)
{
	struct job job = { .rounds = 2, .work = touch_and_fork, .late = true };

	stress(sample_self, job, false);
}

/* Proves H09 */
TEST(sampled_processes_exec_during_format_unload)
{
	struct job job = { .rounds = 3 };

	stress(sample_workers, job, true);
}
