// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * arena.c - memory for arguments, with guard pages
 *
 * An arena consists of FUZZ_ARENA_BYTES of writable memory, an inaccessible
 * page, a read-only page and another inaccessible page. The bytes around the
 * argument are filled with a pattern.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define PATTERN	0xa5

static size_t page_size;

/* The contents of the arena before the call. */
static __thread char before[FUZZ_ARENA_BYTES];

static char *hole(const struct fuzz *f)
{
	return f->arena + FUZZ_ARENA_BYTES;
}

static char *read_only(const struct fuzz *f)
{
	return hole(f) + page_size;
}

void fuzz_arena_init(struct fuzz *f)
{
	page_size = sysconf(_SC_PAGESIZE);
	f->arena = mmap(NULL, FUZZ_ARENA_BYTES + 3 * page_size,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (f->arena == MAP_FAILED)
		fuzz_fail(f, "cannot map the arena");
	if (mprotect(hole(f), 3 * page_size, PROT_NONE))
		fuzz_fail(f, "cannot protect the arena");
}

static void *place_at(struct fuzz *f, size_t offset, const void *bytes,
		      size_t size)
{
	memset(f->arena, PATTERN, FUZZ_ARENA_BYTES);
	if (size)
		memcpy(f->arena + offset, bytes, size);
	memcpy(before, f->arena, sizeof(before));
	return f->arena + offset;
}

void *fuzz_place(struct fuzz *f, const void *bytes, size_t size)
{
	size_t last = FUZZ_ARENA_BYTES - size;
	size_t offset = fuzz_one_in(f, 4) ? last : fuzz_below(f, last + 1);

	/* Arguments are usually aligned, as in real programs. */
	if (!fuzz_one_in(f, 8))
		offset &= ~7UL;
	return place_at(f, offset, bytes, size);
}

static void *place_read_only(struct fuzz *f, const void *bytes, size_t size)
{
	char *page = read_only(f);

	if (size > page_size)
		size = page_size;
	if (mprotect(page, page_size, PROT_READ | PROT_WRITE))
		fuzz_fail(f, "cannot protect a page");
	memcpy(page, bytes, size);
	if (mprotect(page, page_size, PROT_READ))
		fuzz_fail(f, "cannot protect a page");
	return page;
}

void *fuzz_place_badly(struct fuzz *f, const void *bytes, size_t size)
{
	static const uintptr_t nowhere[] = {
		0, 1, 4096, 0x7ffffffff000, 0x800000000000, ~0UL, ~0xfffUL,
		0xffff888000000000, 0x8000000000000000,
	};
	unsigned int how = fuzz_below(f, 4 + ARRAY_SIZE(nowhere));

	place_at(f, 0, bytes, size);
	switch (how) {
	case 0:
		return place_read_only(f, bytes, size);
	case 1:
		return hole(f);
	case 2:
	case 3:
		/* The argument's second half is inaccessible. */
		return place_at(f, FUZZ_ARENA_BYTES - size / 2, bytes,
				size / 2);
	default:
		return (void *)nowhere[how - 4];
	}
}

void fuzz_check_arena(struct fuzz *f, const void *changed, size_t size)
{
	const char *start = changed;

	if (start < f->arena || start >= f->arena + FUZZ_ARENA_BYTES)
		size = 0;
	else if (size > (size_t)(f->arena + FUZZ_ARENA_BYTES - start))
		size = f->arena + FUZZ_ARENA_BYTES - start;
	/* Restore the bytes that the call may have changed. */
	if (size)
		memcpy(f->arena + (start - f->arena),
		       before + (start - f->arena), size);
	if (memcmp(f->arena, before, FUZZ_ARENA_BYTES))
		fuzz_fail(f, "the call changed memory outside its argument");
}
