// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * event_reader.c - read events of processes from rings in memory
 *
 * usage: event_reader RINGS SIZE [PID]
 *
 * The rings replace perf's rings; each has SIZE bytes. With a PID, they record
 * this process and its children. Lines of standard input are commands:
 *
 * put RING HEX   append bytes to a ring
 * head RING N    move the ring's head by N bytes without writing
 * online N       simulate that CPU N came online; if N is -1, that the kernel
 *                dropped such messages
 * made PID       print whether the process has generated code
 * told PID       print whether perf records what the process does
 * code           print whether the kernel's code has changed since "code"
 * size           print the size that pfmon gives each ring of perf
 * read           read the rings; print each PROC chunk in hexadecimal on a
 *                line, then "lost N"
 * last           as "read", but also print the most recent events, which "read"
 *                keeps for the next command
 *
 * For each file whose unwind table pfmon would load, "table INODE" is printed,
 * "changed PID" when a process is new or has other mappings, and
 * "dump PID INODE PATH" when it maps a jitdump file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/cpu_watch.h"
#include "base/util.h"
#include "capture/jit.h"
#include "capture/maps.h"
#include "capture/perf_ring.h"
#include "capture/process_events.h"
#include "process/mapping.h"
#include "stacks/table_set.h"

#define PAGE	4096

static unsigned int ring_count;
static size_t ring_size;
static struct perf_event_mmap_page **pages;
static size_t wanted_size;	/* of the rings that pfmon requests */
static int online[8];		/* CPUs that came online */
static unsigned int online_count;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
bool __wrap_cpus_online(int **cpus, unsigned int *count);
int __wrap_cpu_watch_open(void);
bool __wrap_cpu_watch_next(int fd, int *cpu);
int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope);
int __wrap_perf_ring_add(struct perf_ring *ring, pid_t tid,
			 const struct perf_scope *scope);
void __wrap_perf_ring_close(struct perf_ring *ring);
void __wrap_table_set_add(struct table_set *set, int fd, const char *build_id);
bool __wrap_table_set_looks_up(const struct table_set *set);
void __wrap_table_set_changed(struct table_set *set, pid_t pid);
void __wrap_jit_add_dump(struct jit *jit, pid_t tgid,
			 const struct mapping *mapping, const char *path);
void __wrap_jit_ended(struct jit *jit, pid_t tgid);

bool __wrap_cpus_online(int **cpus, unsigned int *count)
{
	*count = ring_count;
	*cpus = checked_calloc(ring_count, sizeof(**cpus));
	for (unsigned int i = 0; i < ring_count; i++)
		(*cpus)[i] = (int)i;
	return true;
}

int __wrap_cpu_watch_open(void)
{
	return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

bool __wrap_cpu_watch_next(int fd, int *cpu)
{
	(void)fd;
	if (!online_count)
		return false;
	*cpu = online[--online_count];
	return true;
}

int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope)
{
	(void)scope;
	wanted_size = size;
	pages[cpu] = checked_calloc(PAGE + ring_size, 1);
	pages[cpu]->data_offset = PAGE;
	pages[cpu]->data_size = ring_size;
	*ring = (struct perf_ring){
		.cpu = cpu,
		.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
		.page = pages[cpu],
	};
	return 0;
}

int __wrap_perf_ring_add(struct perf_ring *ring, pid_t tid,
			 const struct perf_scope *scope)
{
	(void)ring;
	return tid == scope->tgid ? 0 : ESRCH;
}

void __wrap_perf_ring_close(struct perf_ring *ring)
{
	close(ring->fd);
	free(ring->page);
}

void __wrap_table_set_add(struct table_set *set, int fd, const char *build_id)
{
	struct stat info;

	(void)set;
	(void)build_id;
	if (!fstat(fd, &info))
		printf("table %" PRIu64 "\n", (uint64_t)info.st_ino);
	close(fd);
}

bool __wrap_table_set_looks_up(const struct table_set *set)
{
	return set;
}

void __wrap_table_set_changed(struct table_set *set, pid_t pid)
{
	(void)set;
	printf("changed %d\n", pid);
}

void __wrap_jit_add_dump(struct jit *jit, pid_t tgid,
			 const struct mapping *mapping, const char *path)
{
	(void)jit;
	printf("dump %d %" PRIu64 " %s\n", tgid, mapping->inode, path);
}

void __wrap_jit_ended(struct jit *jit, pid_t tgid)
{
	(void)jit;
	printf("ended %d\n", tgid);
}

static void put(struct perf_event_mmap_page *page, const char *hex)
{
	unsigned char *bytes = (unsigned char *)page + PAGE;
	char digits[3] = "";

	for (; *hex && *hex != '\n'; hex += 2) {
		memcpy(digits, hex, 2);
		bytes[page->data_head++ % ring_size] =
			(unsigned char)strtoul(digits, NULL, 16);
	}
}

static void print(struct process_events *events, struct maps *maps, bool last)
{
	const struct perf_bytes *chunk;

	process_events_read(events, last);
	while ((chunk = process_events_next(events, maps, false))) {
		for (size_t i = 0; i < chunk->size; i++)
			printf("%02hhx", (unsigned char)chunk->bytes[i]);
		puts("");
	}
	printf("lost %" PRIu64 "\n", process_events_lost(events));
	fflush(stdout);
}

static void obey(struct process_events *events, struct maps *maps, char *line)
{
	unsigned int ring;
	int64_t number;
	int at, cpu;

	if (sscanf(line, "put %u %n", &ring, &at) == 1)
		put(pages[ring], line + at);
	else if (sscanf(line, "head %u %" SCNd64, &ring, &number) == 2)
		pages[ring]->data_head += (uint64_t)number;
	else if (sscanf(line, "online %d", &cpu) == 1)
		online[online_count++] = cpu;
	else if (sscanf(line, "made %u", &ring) == 1)
		printf("made %d\n", maps_has_made_code(maps, (pid_t)ring));
	else if (sscanf(line, "told %u", &ring) == 1)
		printf("told %d\n",
		       process_events_tell_of(events, (pid_t)ring));
	else if (!strcmp(line, "code\n"))
		printf("code %d\n", process_events_code_changed(events));
	else if (!strcmp(line, "size\n"))
		printf("size %zu\n", wanted_size);
	else
		print(events, maps, !strcmp(line, "last\n"));
}

int main(int argc, char **argv)
{
	const struct perf_scope scope = {
		.tgid = argc > 3 ? atoi(argv[3]) : ALL_PROCESSES,
	};
	struct process_events *events;
	static char tables, jit;	/* only their addresses are used */
	struct maps *maps = maps_create(false, (struct table_set *)&tables,
					(struct jit *)&jit);
	char *line = NULL;
	size_t room = 0;
	int error;

	if (argc < 3)
		return 2;
	ring_count = (unsigned int)atoi(argv[1]);
	ring_size = (size_t)atoi(argv[2]);
	pages = checked_calloc(CPU_SETSIZE, sizeof(*pages));
	events = process_events_open(&scope, &error);
	if (!events)
		return 1;
	while (getline(&line, &room, stdin) > 0)
		obey(events, maps, line);
	process_events_close(events);
	maps_destroy(maps);
	free(pages);
	free(line);
	return 0;
}
