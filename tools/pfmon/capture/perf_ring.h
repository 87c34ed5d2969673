/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_ring.h - read perf's records about processes from a CPU's ring buffer */
#ifndef PFMON_CAPTURE_PERF_RING_H
#define PFMON_CAPTURE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ALL_PROCESSES	0

struct perf_event_mmap_page;

/* The processes and mappings to record. */
struct perf_scope {
	pid_t tgid;		/* a process, or ALL_PROCESSES */
	bool children;		/* processes that it will create, too */
	bool data;		/* mappings of data, too */
	bool kernel;		/* code that the kernel generates, too */
};

struct perf_ring {
	int cpu;
	int fd;
	size_t size;		/* in bytes, without the first page */
	int *thread_fds;	/* from perf_ring_add() */
	unsigned int thread_count;
	struct perf_event_mmap_page *page;	/* the bytes follow */
	uint64_t damaged;	/* number of reads that found damaged data */
};

/* Whole records, one after the other. A zeroed structure has none. */
struct perf_bytes {
	char *bytes;
	size_t size, room;
};

/* Makes room for more bytes at the end, and returns where they begin. */
char *perf_bytes_extend(struct perf_bytes *to, size_t size);

/*
 * Opens the ring of a CPU, with @size bytes. It gets no records before
 * perf_ring_add() is called, unless all processes are recorded. Returns 0 or an
 * errno.
 *
 * Read the ring at regular intervals; do not wait for its descriptor. perf
 * would wake the waiting thread whenever a measured thread ends. Also, perf
 * reports records to only one poll() or epoll_wait(), so nested epoll
 * descriptors would miss some.
 */
int perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
		   const struct perf_scope *scope);
void perf_ring_close(struct perf_ring *ring);

/*
 * Begins to record what a thread, and the threads and processes that it will
 * create, do on the CPU. Returns 0 or an errno.
 */
int perf_ring_add(struct perf_ring *ring, pid_t tid,
		  const struct perf_scope *scope);

/* Moves all records in the ring to the end of @to. */
void perf_ring_read(struct perf_ring *ring, struct perf_bytes *to);

/* Returns the number of records that did not fit, or were damaged. */
uint64_t perf_ring_lost(const struct perf_ring *ring);

#endif /* PFMON_CAPTURE_PERF_RING_H */
