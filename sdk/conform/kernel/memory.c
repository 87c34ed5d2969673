// SPDX-License-Identifier: GPL-2.0
/*
 * memory.c - memory with checked surroundings
 *
 * With KASAN an allocation has its exact size, so that reads outside of it are
 * found, too. Without KASAN there are guards on both sides of the allocation.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "conform.h"

#define GUARDED		(!IS_ENABLED(CONFIG_KASAN_VMALLOC))
#define NEAR		CONFORM_NEAR

/* Content of the guards before and after the memory: random bytes. */
static u8 mem_front[NEAR];
u8 conform_pattern[NEAR];

void conform_mem_seed(u64 seed)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, seed);
	prandom_bytes_state(&rnd, mem_front, NEAR);
	prandom_bytes_state(&rnd, conform_pattern, NEAR);
}

int conform_mem_alloc(struct conform_mem *m, size_t front, size_t size)
{
	size_t lead = round_up(front, PAGE_SIZE) + GUARDED * PAGE_SIZE;

	conform_mem_free(m);
	m->base = vzalloc(lead + size + GUARDED * NEAR);
	if (!m->base)
		return -ENOMEM;
	m->front = front;
	m->size = size;
	m->start = m->base + lead;
	if (GUARDED) {
		memcpy(m->start - front - NEAR, mem_front, NEAR);
		memcpy(m->start + size, conform_pattern, NEAR);
	}
	return 0;
}

void conform_mem_free(struct conform_mem *m)
{
	vfree(m->base);
	*m = (struct conform_mem) {};
}

/* Return: the first guard byte that was overwritten, or NULL. */
static const void *mem_changed(const u8 *guard, const u8 *expected)
{
	if (!memcmp(guard, expected, NEAR))
		return NULL;
	while (*guard == *expected) {
		guard++;
		expected++;
	}
	return guard;
}

int conform_mem_check(struct conform *c, const struct conform_mem *m,
		      const char *what)
{
	const void *begin = m->start - m->front - NEAR, *end, *bad;

	if (!m->base || !GUARDED)
		return 0;
	end = m->start + m->size;
	bad = mem_changed(begin, mem_front);
	if (bad)
		return conform_fail(c,
				    "the format wrote in front of %s, up to %zu bytes before it",
				    what, m->start - m->front - bad);
	bad = mem_changed(end, conform_pattern);
	if (bad)
		return conform_fail(c,
				    "the format wrote past the end of %s: byte %zu of %zu",
				    what, bad - m->start, m->size);
	return 0;
}
