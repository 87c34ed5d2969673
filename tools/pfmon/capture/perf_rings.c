// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perf_rings.c - read perf's records about processes from all CPUs
 *
 * Each CPU has a ring with the records of what happens there. All online CPUs
 * are observed: a process can begin on one that is not monitored. perf removes
 * the event of a CPU that goes offline, so there is a new ring when the CPU is
 * online again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/cpu_watch.h"
#include "base/util.h"
#include "capture/perf_ring.h"
#include "capture/perf_rings.h"

/* Edge-triggered: a CPU that goes offline is reported only once. */
static bool watch(const struct perf_rings *rings, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	return !epoll_ctl(rings->fd, EPOLL_CTL_ADD, fd, &event);
}

static struct perf_ring *find_ring(const struct perf_rings *rings, int cpu)
{
	for (unsigned int i = 0; i < rings->count; i++) {
		if (rings->rings[i].cpu == cpu)
			return &rings->rings[i];
	}
	return NULL;
}

/* Adds a ring; one of the same CPU ends. */
static bool add_ring(struct perf_rings *rings, const struct perf_ring *ring)
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
	return watch(rings, ring->fd);
}

/* Opens a ring for a CPU; returns false with errno set on failure. */
static bool open_ring(struct perf_rings *rings, int cpu)
{
	struct perf_ring ring;

	errno = perf_ring_open(&ring, cpu, rings->data);
	/* The CPU has just gone offline. */
	if (errno == ENODEV)
		return true;
	return !errno && add_ring(rings, &ring);
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
	for (unsigned int i = 0; ok && i < count; i++)
		ok = open_ring(rings, cpus[i]);
	free(cpus);
	return ok;
}

bool perf_rings_open(struct perf_rings *rings, bool data)
{
	*rings = (struct perf_rings){ .data = data };
	rings->online_fd = cpu_watch_open();
	rings->fd = epoll_create1(EPOLL_CLOEXEC);
	return rings->fd >= 0 &&
	       (rings->online_fd < 0 || watch(rings, rings->online_fd)) &&
	       open_online(rings);
}

void perf_rings_close(struct perf_rings *rings)
{
	for (unsigned int i = 0; i < rings->count; i++)
		perf_ring_close(&rings->rings[i]);
	if (rings->online_fd >= 0)
		close(rings->online_fd);
	if (rings->fd >= 0)
		close(rings->fd);
	free(rings->rings);
}

void perf_rings_lower(const struct perf_rings *rings)
{
	struct epoll_event ready[16];

	while (epoll_wait(rings->fd, ready, ARRAY_SIZE(ready), 0) ==
	       ARRAY_SIZE(ready))
		;
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
		/* Even if perf refuses now, the loss is counted. */
		rings->missed++;
		if (cpu != UNKNOWN_CPU)
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
