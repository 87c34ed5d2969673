// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * faults.c - page faults in an exact number
 *
 * All memory is locked, so that none of it faults; then an arena is mapped of
 * which each page faults once, again after it was given back.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "faults.h"

#define ARENA_PAGES	256UL
#define STACK_SIZE	(64 << 10)	/* more than any test needs */

/* Set by the linker around the section of touch_pages(). */
extern const char __start_touch_pages_text[];
extern const char __stop_touch_pages_text[];

static char *arena;
static unsigned long arena_used;	/* pages */
static size_t page_size;

static void grow_stack(void)
{
	volatile char bytes[STACK_SIZE];

	for (size_t i = 0; i < sizeof(bytes); i += 1024)
		bytes[i] = 0;
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
	arena = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(arena != MAP_FAILED);
	CHECK_OK(madvise(arena, size, MADV_NOHUGEPAGE));
	arena_used = 0;
}

static void give_back(void)
{
	CHECK_OK(madvise(arena, ARENA_PAGES * page_size, MADV_DONTNEED));
	arena_used = 0;
}

__attribute__((noipa, section("touch_pages_text")))
void touch_pages(unsigned long n, volatile unsigned long *done)
{
	while (n--) {
		if (arena_used == ARENA_PAGES)
			give_back();
		*(volatile char *)(arena + arena_used++ * page_size) = 1;
		if (done)
			++*done;
	}
}

bool in_touch_pages(uint64_t ip)
{
	return ip >= (uintptr_t)__start_touch_pages_text &&
	       ip < (uintptr_t)__stop_touch_pages_text;
}
