// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * faults.c - cause an exact number of page faults
 *
 * All memory is locked, so that it is present. The memory is also touched,
 * because CPUs that do not set the access flag in hardware, such as some arm64
 * CPUs, fault on the first access after fork(). Then an arena is mapped. Each
 * of its pages faults on the first access, and again after madvise() has freed
 * the page.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "faults.h"
#include "rig.h"

#define ARENA_PAGES	256UL
#define STACK_SIZE	(64 << 10)	/* more than any test needs */

static char *arena;
static unsigned long arena_used;	/* pages */
static size_t page_size;

static void grow_stack(void)
{
	char bytes[STACK_SIZE];

	for (size_t i = 0; i < sizeof(bytes); i += 1024)
		__atomic_store_n(&bytes[i], 0, __ATOMIC_RELAXED);
}

/* Touch the pages of the mapping that a line of /proc/self/maps describes. */
static void touch_mapping(const char *line)
{
	unsigned long start, end;
	char prot[5];

	CHECK(sscanf(line, "%lx-%lx %4s", &start, &end, prot) == 3);
	/* Skip the vvar and vsyscall pages, which are special mappings. */
	if (prot[0] != 'r' || strstr(line, "[vvar") || strstr(line, "[vsys"))
		return;
	for (; start < end; start += page_size)
		(void)__atomic_load_n((char *)start, __ATOMIC_RELAXED);
}

static void touch_all(void)
{
	static char maps[16384];
	int fd = CHECK_OK(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
	size_t len = 0;
	ssize_t n;

	while ((n = CHECK_OK(read(fd, maps + len, sizeof(maps) - 1 - len))) > 0)
		len += n;
	CHECK(len < sizeof(maps) - 1);
	maps[len] = '\0';
	close(fd);
	for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n"))
		touch_mapping(line);
}

void faults_prepare(void)
{
	size_t size;

	page_size = sysconf(_SC_PAGESIZE);
	size = ARENA_PAGES * page_size;
	if (arena)
		munmap(arena, size);
	grow_stack();
	CHECK_OK(mlockall(MCL_CURRENT));
	touch_all();
	arena = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(arena != MAP_FAILED);
	/* The kernel may lack transparent huge pages. */
	CHECK(!madvise(arena, size, MADV_NOHUGEPAGE) || errno == EINVAL);
	arena_used = 0;
}

static void give_back(void)
{
	CHECK_OK(madvise(arena, ARENA_PAGES * page_size, MADV_DONTNEED));
	arena_used = 0;
}

bool faults_are_nmis(void)
{
	return getenv("PFM_NMI");
}

static void receive_nmi(void)
{
	static const char one[] = "-1 1";
	static int fd = -1;

	if (fd < 0)
		fd = CHECK_OK(open(RIG_FIRE, O_WRONLY | O_CLOEXEC));
	CHECK_EQ(write(fd, one, strlen(one)), strlen(one));
}

static void receive_nmis(unsigned long n, unsigned long *done)
{
	while (n--) {
		receive_nmi();
		if (done)
			__atomic_add_fetch(done, 1, __ATOMIC_RELAXED);
	}
}

static __attribute__((noipa)) __section("touch_pages_text")
void fault_pages(unsigned long n, unsigned long *done)
{
	while (n--) {
		if (arena_used == ARENA_PAGES)
			give_back();
		__atomic_store_n(arena + arena_used++ * page_size, 1,
				 __ATOMIC_RELAXED);
		if (done)
			__atomic_add_fetch(done, 1, __ATOMIC_RELAXED);
	}
}

void touch_pages(unsigned long n, unsigned long *done)
{
	if (faults_are_nmis())
		receive_nmis(n, done);
	else
		fault_pages(n, done);
}
