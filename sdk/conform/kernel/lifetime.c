// SPDX-License-Identifier: GPL-2.0
/*
 * lifetime.c - checks for writes and leaks after the end of a context
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "conform.h"

#define ENDS		50
#define ENDS_QUICK	5
/* Time to wait for late writes, in ms */
#define LATE		20
#define FORGOTTEN	0x5a
#define CYCLES		20000
#define CYCLES_QUICK	5000
/* Bytes that the kernel itself may allocate or free meanwhile */
#define UNSURE		0x100000L

/*
 * Check that memory of a former context has not changed. Return: 0 or a
 * finding.
 */
static int exit_watch(struct conform *c, const struct conform_mem *m,
		      const char *what)
{
	const u8 *bad;

	if (!m->base)
		return 0;
	bad = memchr_inv(m->start - m->front, FORGOTTEN, m->front + m->size);
	if (!bad)
		return 0;
	if (bad < (u8 *)m->start)
		return conform_fail(c, "the format wrote to the private area in front of its buffer after fmt_exit");
	return conform_fail(c, "the format wrote to %s after fmt_exit, byte %zu",
			    what, bad - (u8 *)m->start);
}

static void exit_forget(const struct conform_mem *m)
{
	if (m->base)
		memset(m->start - m->front, FORGOTTEN, m->front + m->size);
}

/* Use and end a context, and watch its memory before the memory is freed. */
static int exit_once(struct conform *c)
{
	int ret = conform_make(c) ?: conform_values(c, 1) ?:
		conform_fill(c, 1) ?: conform_end(c);

	if (ret)
		return ret;
	exit_forget(&c->buf);
	exit_forget(&c->area);
	msleep(LATE);
	return exit_watch(c, &c->buf, "its buffer") ?:
		exit_watch(c, &c->area, "its private area");
}

int conform_check_exit(struct conform *c)
{
	unsigned int n = c->quick ? ENDS_QUICK : ENDS;
	int ret = 0;

	for (; !ret && n; n--)
		ret = exit_once(c);
	return ret;
}

static long leaks_taken(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return (info.totalram - info.freeram) * PAGE_SIZE;
}

static int leaks_cycle(struct conform *c, unsigned int n)
{
	u64 size = conform_arg_smallest(c);
	int ret = 0;

	for (; !ret && n; n--)
		ret = size ? conform_create_size(c, size) : conform_make(c);
	return ret ?: conform_end(c);
}

int conform_check_leaks(struct conform *c)
{
	unsigned int cycles = c->quick ? CYCLES_QUICK : CYCLES;
	int ret = conform_make(c) ?: leaks_cycle(c, cycles / 10);
	long before = leaks_taken(), taken;

	ret = ret ?: leaks_cycle(c, cycles);
	taken = leaks_taken() - before;
	/* KASAN delays freeing. With KASAN, kmemleak finds leaks instead. */
	if (!ret && !IS_ENABLED(CONFIG_KASAN) && taken > UNSURE)
		return conform_fail(c,
				    "%u contexts leaked %ld kB, about %ld bytes each: fmt_exit must free what fmt_init allocates",
				    cycles, taken / 1024, taken / cycles);
	return ret;
}
