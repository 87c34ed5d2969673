// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perf_rings.c - read perf's records about processes from all CPUs
 *
 * Each CPU has a ring with the records of what happens there. pfmon observes
 * all online CPUs, because a process can begin on a CPU that is not monitored.
 * When a CPU goes offline, perf removes its events, except those of threads, so
 * pfmon opens a new ring when the CPU is online again.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/cpu_watch.h"
#include "base/pid_table.h"
#include "base/util.h"
#include "capture/perf_rings.h"

/*
 * The records of a short-lived process need about 1 KiB. Users without
 * privilege can lock 516 KiB for each CPU (kernel.perf_event_mlock_kb).
 */
#define LARGEST_RING	(256U << 10)

static struct perf_ring *find_ring(const struct perf_rings *rings, int cpu)
{
	for (unsigned int i = 0; i < rings->count; i++) {
		if (rings->rings[i].cpu == cpu)
			return &rings->rings[i];
	}
	return NULL;
}

/* Adds a ring, and closes an earlier ring of the same CPU. */
static void add_ring(struct perf_rings *rings, const struct perf_ring *ring)
{
	struct perf_ring *old = find_ring(rings, ring->cpu);

	if (old) {
		rings->missed += perf_ring_lost(old);
		perf_ring_close(old);
		*old = *ring;
	} else {
		rings->rings = checked_realloc(rings->rings, rings->count + 1,
					       sizeof(*rings->rings));
		rings->rings[rings->count++] = *ring;
	}
}

/* Opens a ring for a CPU; returns false with errno set on failure. */
static bool open_ring(struct perf_rings *rings, int cpu)
{
	struct perf_ring ring;

	errno = perf_ring_open(&ring, cpu, rings->ring_size, &rings->scope);
	/* With ENODEV, the CPU has just gone offline. */
	if (errno == ENODEV)
		return true;
	if (errno)
		return false;
	add_ring(rings, &ring);
	return true;
}

/*
 * perf charges rings to the user's locked memory, as perfmon later does with
 * the buffers of contexts. The rings together get at most a quarter of the
 * limit, unless each would have less than four pages.
 */
static size_t choose_size(const struct perf_rings *rings, unsigned int cpus)
{
	const size_t least = 4 * (size_t)sysconf(_SC_PAGESIZE);
	size_t size = LARGEST_RING;
	struct rlimit limit;

	if (rings->scope.tgid == ALL_PROCESSES ||
	    getrlimit(RLIMIT_MEMLOCK, &limit))
		return size;
	while (size > least && size * cpus > limit.rlim_cur / 4)
		size /= 2;
	return size;
}

static bool open_online(struct perf_rings *rings)
{
	unsigned int count;
	bool ok = true;
	int *cpus;

	if (!cpus_online(&cpus, &count)) {
		errno = ENOENT;
		return false;
	}
	rings->ring_size = choose_size(rings, count);
	for (unsigned int i = 0; ok && i < count; i++)
		ok = open_ring(rings, cpus[i]);
	free(cpus);
	return ok;
}

/* Returns false with errno set on failure, but true if the thread has ended. */
static bool add_thread(struct perf_rings *rings, pid_t tid)
{
	for (unsigned int i = 0; i < rings->count; i++) {
		errno = perf_ring_add(&rings->rings[i], tid, &rings->scope);
		if (errno)
			return errno == ESRCH;
	}
	return true;
}

/* Adds the threads that are not known yet; sets *any if there were any. */
static bool add_new(struct perf_rings *rings, DIR *task,
		    struct pid_table *known, bool *any)
{
	struct dirent *entry;
	uint64_t tid;

	*any = false;
	while ((entry = readdir(task))) {
		if (!parse_u64(entry->d_name, &tid) ||
		    pid_table_find(known, (pid_t)tid))
			continue;
		if (!add_thread(rings, (pid_t)tid))
			return false;
		pid_table_get(known, (pid_t)tid, sizeof(struct pid_entry));
		*any = true;
	}
	return true;
}

/*
 * Adds all threads of the process. A thread inherits the events of its creator,
 * so the loop ends when a pass finds no new thread. A thread that has inherited
 * events may be added as well; it is then recorded twice, which does no harm.
 */
static bool add_threads(struct perf_rings *rings)
{
	char *path = checked_printf("/proc/%d/task", rings->scope.tgid);
	struct pid_table known = { .count = 0 };
	DIR *task = opendir(path);
	bool ok, any;

	free(path);
	if (!task)
		return false;
	do {
		rewinddir(task);
		ok = add_new(rings, task, &known, &any);
	} while (ok && any);
	closedir(task);
	pid_table_free(&known);
	return ok;
}

bool perf_rings_open(struct perf_rings *rings, const struct perf_scope *scope)
{
	*rings = (struct perf_rings){ .scope = *scope };
	rings->online_fd = cpu_watch_open();
	return open_online(rings) &&
	       (scope->tgid == ALL_PROCESSES || add_threads(rings));
}

void perf_rings_close(struct perf_rings *rings)
{
	for (unsigned int i = 0; i < rings->count; i++)
		perf_ring_close(&rings->rings[i]);
	if (rings->online_fd >= 0)
		close(rings->online_fd);
	free(rings->rings);
}

void perf_rings_read(struct perf_rings *rings, struct perf_bytes *to)
{
	for (unsigned int i = 0; i < rings->count; i++)
		perf_ring_read(&rings->rings[i], to);
}

void perf_rings_renew(struct perf_rings *rings)
{
	int cpu;

	while (rings->online_fd >= 0 &&
	       cpu_watch_next(rings->online_fd, &cpu)) {
		if (rings->scope.tgid != ALL_PROCESSES && find_ring(rings, cpu))
			continue;
		/* Records are missing so far, even if perf refuses a ring. */
		rings->missed++;
		if (rings->scope.tgid == ALL_PROCESSES && cpu != UNKNOWN_CPU)
			open_ring(rings, cpu);
	}
}

uint64_t perf_rings_lost(const struct perf_rings *rings)
{
	uint64_t lost = rings->missed;

	for (unsigned int i = 0; i < rings->count; i++)
		lost += perf_ring_lost(&rings->rings[i]);
	return lost;
}
