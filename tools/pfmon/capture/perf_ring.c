// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perf_ring.c - read perf's records about processes from a CPU's ring buffer
 *
 * The ring belongs to a dummy event that counts nothing. pfmon opens it only so
 * that perf records in the ring what processes do. Time stamps use perf's own
 * clock, as in the samples.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/perf_ring.h"

/* Returns the attributes of an event that writes no records. */
static struct perf_event_attr base_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
	};
}

static struct perf_event_attr recording_attr(const struct perf_scope *scope)
{
	struct perf_event_attr attr = base_attr();

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.mmap_data = scope->data;
	attr.build_id = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	attr.ksymbol = scope->kernel;
	if (scope->tgid != ALL_PROCESSES) {
		attr.inherit = 1;
		attr.inherit_thread = !scope->children;
	}
	return attr;
}

static int open_event(struct perf_event_attr attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/*
 * Opens the event that owns the ring. If threads share the ring, this event
 * measures pfmon itself, because any of the threads may end.
 */
static int open_owner(int cpu, const struct perf_scope *scope)
{
	return scope->tgid == ALL_PROCESSES ?
	       open_event(recording_attr(scope), -1, cpu) :
	       open_event(base_attr(), 0, cpu);
}

int perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
		   const struct perf_scope *scope)
{
	void *page = MAP_FAILED;
	int error;

	*ring = (struct perf_ring){
		.cpu = cpu,
		.fd = open_owner(cpu, scope),
		.size = size,
	};
	if (ring->fd >= 0)
		page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + size,
			    PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	error = errno;
	if (page != MAP_FAILED) {
		ring->page = page;
		return 0;
	}
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
	return error;
}

int perf_ring_add(struct perf_ring *ring, pid_t tid,
		  const struct perf_scope *scope)
{
	int fd, error;

	fd = open_event(recording_attr(scope), tid, ring->cpu);
	if (fd < 0)
		return errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
		error = errno;
		close(fd);
		return error;
	}
	ring->thread_fds = checked_realloc(ring->thread_fds,
					   ring->thread_count + 1,
					   sizeof(*ring->thread_fds));
	ring->thread_fds[ring->thread_count++] = fd;
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	for (unsigned int i = 0; i < ring->thread_count; i++)
		close(ring->thread_fds[i]);
	free(ring->thread_fds);
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	close(ring->fd);
}

char *perf_bytes_extend(struct perf_bytes *to, size_t size)
{
	if (to->room - to->size < size) {
		to->room = 2 * to->room + size;
		to->bytes = checked_realloc(to->bytes, to->room, 1);
	}
	to->size += size;
	return to->bytes + to->size - size;
}

/* Copies bytes from a position in the ring. The bytes may wrap around. */
static void copy(char *to, const struct perf_ring *ring, uint64_t position,
		 size_t size)
{
	const char *bytes = (const char *)ring->page + ring->page->data_offset;
	uint64_t begin = position % ring->page->data_size;
	size_t first = size;

	if (first > ring->page->data_size - begin)
		first = (size_t)(ring->page->data_size - begin);
	memcpy(to, bytes + begin, first);
	memcpy(to + first, bytes, size - first);
}

/* Returns the size of the record at a position; 0 if it is not a record. */
static size_t size_at(const struct perf_ring *ring, uint64_t tail,
		      uint64_t head)
{
	struct perf_event_header header;

	if (head - tail < sizeof(header))
		return 0;
	copy((char *)&header, ring, tail, sizeof(header));
	if (header.size < sizeof(header) || header.size > head - tail)
		return 0;
	return header.size;
}

/* Copies the records up to @head, and returns where the last one ends. */
static uint64_t copy_records(const struct perf_ring *ring, uint64_t tail,
			     uint64_t head, struct perf_bytes *to)
{
	size_t size;

	while (tail != head) {
		size = size_at(ring, tail, head);
		if (!size)
			break;
		copy(perf_bytes_extend(to, size), ring, tail, size);
		tail += size;
	}
	return tail;
}

void perf_ring_read(struct perf_ring *ring, struct perf_bytes *to)
{
	/* Pairs with the kernel's barrier before it writes data_head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head,
					__ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	if (head - tail <= ring->page->data_size)
		tail = copy_records(ring, tail, head, to);
	/*
	 * The kernel writes only whole records, so the rest is damaged: skip
	 * it.
	 */
	if (tail != head)
		ring->damaged++;
	/* Pairs with the kernel's barrier after it has read data_tail. */
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Returns the number of an event's records that did not fit. */
static uint64_t lost_by(int fd)
{
	uint64_t values[2];	/* the event's count (0), and its losses */

	return read(fd, values, sizeof(values)) == sizeof(values) ? values[1] :
								    0;
}

uint64_t perf_ring_lost(const struct perf_ring *ring)
{
	uint64_t lost = lost_by(ring->fd) + ring->damaged;

	for (unsigned int i = 0; i < ring->thread_count; i++)
		lost += lost_by(ring->thread_fds[i]);
	return lost;
}
