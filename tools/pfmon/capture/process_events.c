// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_events.c - record what all processes do, as perf records it
 *
 * Each CPU has a ring with the records of what happens there. They are copied,
 * sorted by time and then described in PROC chunks of the capture. All online
 * CPUs are observed: a process can begin on one that is not monitored. perf
 * removes the event of a CPU that goes offline, so there is a new ring when the
 * CPU is online again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/util.h"
#include "capture/perf_record.h"
#include "capture/perf_ring.h"
#include "capture/process_event.h"
#include "capture/process_events.h"

/* A chunk ends with the event that exceeds this size. */
#define CHUNK_SIZE	(1U << 20)

/* Where a record is, and its place in the order. */
struct place {
	uint64_t time;
	size_t offset, size;
};

struct process_events {
	bool data;		/* record mappings of data, too */
	struct perf_ring *rings;
	unsigned int count;
	cpu_set_t live;		/* CPUs whose ring gets records */
	uint64_t missed;	/* CPUs that came online, and losses */
	int fd;			/* an epoll descriptor */
	struct perf_bytes bytes;
	struct perf_bytes chunk;	/* of process_events_next() */
	struct place *places;	/* of the records in bytes, sorted */
	size_t place_count, room;
	size_t next, end;	/* those that process_events_next() returns */
};

static bool watch(struct process_events *events, const struct perf_ring *ring)
{
	/* Edge-triggered: a CPU that goes offline is reported only once. */
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	return !epoll_ctl(events->fd, EPOLL_CTL_ADD, ring->fd, &event);
}

static struct perf_ring *find_ring(const struct process_events *events, int cpu)
{
	for (unsigned int i = 0; i < events->count; i++) {
		if (events->rings[i].cpu == cpu)
			return &events->rings[i];
	}
	return NULL;
}

/* Adds a ring; one of the same CPU ends, and its records were copied. */
static bool add_ring(struct process_events *events,
		     const struct perf_ring *ring)
{
	struct perf_ring *old = find_ring(events, ring->cpu);

	if (old) {
		events->missed += perf_ring_lost(old);
		perf_ring_close(old);
		*old = *ring;
	} else {
		events->rings = checked_realloc(events->rings,
						events->count + 1,
						sizeof(*events->rings));
		events->rings[events->count++] = *ring;
	}
	CPU_SET(ring->cpu, &events->live);
	return watch(events, ring);
}

/* Opens a ring for a CPU; returns false with errno set on failure. */
static bool open_ring(struct process_events *events, int cpu)
{
	struct perf_ring ring;

	errno = perf_ring_open(&ring, cpu, events->data);
	/* The CPU has just gone offline. */
	if (errno == ENODEV)
		return true;
	return !errno && add_ring(events, &ring);
}

static bool open_rings(struct process_events *events, const int *cpus,
		       unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (!open_ring(events, cpus[i]))
			return false;
	}
	return true;
}

/*
 * Observes CPUs that came online. Their earlier events are missing. A CPU that
 * was offline only between two calls is not noticed.
 */
static void open_new(struct process_events *events)
{
	cpu_set_t online;
	unsigned int count;
	int *cpus;

	if (!cpus_online(&cpus, &count))
		return;
	CPU_ZERO(&online);
	for (unsigned int i = 0; i < count; i++) {
		CPU_SET(cpus[i], &online);
		if (CPU_ISSET(cpus[i], &events->live))
			continue;
		events->missed++;
		/* If perf refuses now, it will refuse again. */
		if (!open_ring(events, cpus[i]))
			CPU_SET(cpus[i], &events->live);
	}
	CPU_AND(&events->live, &events->live, &online);
	free(cpus);
}

static bool open_all(struct process_events *events)
{
	unsigned int count;
	int *cpus;
	bool ok;

	events->fd = epoll_create1(EPOLL_CLOEXEC);
	if (events->fd < 0)
		return false;
	if (!cpus_online(&cpus, &count)) {
		errno = ENOENT;
		return false;
	}
	ok = open_rings(events, cpus, count);
	free(cpus);
	return ok;
}

struct process_events *process_events_open(bool data, int *error)
{
	struct process_events *events = checked_calloc(1, sizeof(*events));

	events->data = data;
	*error = open_all(events) ? 0 : errno;
	if (!*error)
		return events;
	process_events_close(events);
	return NULL;
}

void process_events_close(struct process_events *events)
{
	if (!events)
		return;
	for (unsigned int i = 0; i < events->count; i++)
		perf_ring_close(&events->rings[i]);
	if (events->fd >= 0)
		close(events->fd);
	free(events->rings);
	free(events->bytes.bytes);
	free(events->chunk.bytes);
	free(events->places);
	free(events);
}

int process_events_fd(const struct process_events *events)
{
	return events->fd;
}

/* Makes the descriptor unreadable until there are new events. */
static void lower(const struct process_events *events)
{
	struct epoll_event ready[16];

	while (epoll_wait(events->fd, ready, ARRAY_SIZE(ready), 0) ==
	       ARRAY_SIZE(ready))
		;
}

static void add_place(struct process_events *events, size_t offset, size_t size)
{
	uint64_t time;

	if (!perf_record_time(events->bytes.bytes + offset, size, &time))
		return;
	if (events->place_count == events->room) {
		events->room = 2 * events->room + 64;
		events->places = checked_realloc(events->places, events->room,
						 sizeof(*events->places));
	}
	events->places[events->place_count++] =
		(struct place){ time, offset, size };
}

/* Copies the records that are in the rings. */
static void collect(struct process_events *events)
{
	size_t offset = events->bytes.size;
	struct perf_event_header header;

	for (unsigned int i = 0; i < events->count; i++)
		perf_ring_read(&events->rings[i], &events->bytes);
	for (; offset < events->bytes.size; offset += header.size) {
		memcpy(&header, events->bytes.bytes + offset, sizeof(header));
		add_place(events, offset, header.size);
	}
}

static uint64_t latest(const struct process_events *events)
{
	uint64_t time = 0;

	for (size_t i = 0; i < events->place_count; i++) {
		if (events->places[i].time > time)
			time = events->places[i].time;
	}
	return time;
}

static int compare(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Removes the records that were returned. */
static void forget_read(struct process_events *events)
{
	struct perf_bytes kept = { .size = 0 };
	size_t count = events->place_count - events->next;

	for (size_t i = 0; i < count; i++) {
		struct place *place = &events->places[events->next + i];
		char *to = perf_bytes_extend(&kept, place->size);

		memcpy(to, events->bytes.bytes + place->offset, place->size);
		place->offset = kept.size - place->size;
		events->places[i] = *place;
	}
	free(events->bytes.bytes);
	events->bytes = kept;
	events->place_count = count;
	events->next = 0;
}

void process_events_read(struct process_events *events, bool last)
{
	uint64_t time;

	lower(events);
	forget_read(events);
	collect(events);
	/* Earlier records of other CPUs are in their rings by now. */
	time = last ? UINT64_MAX : latest(events);
	collect(events);
	open_new(events);
	qsort(events->places, events->place_count, sizeof(*events->places),
	      compare);
	events->end = events->place_count;
	while (events->end && events->places[events->end - 1].time > time)
		events->end--;
}

const struct perf_bytes *process_events_next(struct process_events *events,
					     struct maps *maps, bool proc)
{
	struct perf_bytes *chunk = &events->chunk;
	struct perf_record record;

	chunk->size = 0;
	for (; events->next < events->end && chunk->size < CHUNK_SIZE;
	     events->next++) {
		const struct place *place = &events->places[events->next];

		if (perf_record_parse(&record,
				      events->bytes.bytes + place->offset,
				      place->size) && record.tgid > 0)
			process_event_write(chunk, &record, maps, proc);
	}
	return chunk->size ? chunk : NULL;
}

uint64_t process_events_lost(const struct process_events *events)
{
	uint64_t lost = events->missed;

	for (unsigned int i = 0; i < events->count; i++)
		lost += perf_ring_lost(&events->rings[i]);
	return lost;
}
