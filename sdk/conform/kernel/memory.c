// SPDX-License-Identifier: GPL-2.0
/*
 * memory.c - memory with checked surroundings
 *
 * With KASAN an allocation has its exact size, so that reads outside of it are
 * found, too. Without KASAN there are guards before and after it.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "conform.h"

#define GUARDED		(!IS_ENABLED(CONFIG_KASAN_VMALLOC))
#define GUARD		0xa5
/* Number of guard bytes on either side. */
#define NEAR		1024

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
		memset(m->start - front - NEAR, GUARD, NEAR);
		memset(m->start + size, GUARD, NEAR);
	}
	return 0;
}

void conform_mem_free(struct conform_mem *m)
{
	vfree(m->base);
	*m = (struct conform_mem) {};
}

int conform_mem_check(struct conform *c, const struct conform_mem *m,
		      const char *what)
{
	const void *begin = m->start - m->front - NEAR, *end, *bad;

	if (!m->base || !GUARDED)
		return 0;
	end = m->start + m->size;
	bad = memchr_inv(begin, GUARD, NEAR);
	if (bad)
		return conform_fail(c,
				    "wrote in front of %s, by %zu bytes",
				    what, m->start - m->front - bad);
	bad = memchr_inv(end, GUARD, NEAR);
	if (bad)
		return conform_fail(c,
				    "wrote past the end of %s: byte %zu of %zu",
				    what, bad - m->start, m->size);
	return 0;
}
