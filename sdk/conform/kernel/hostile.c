// SPDX-License-Identifier: GPL-2.0
/*
 * hostile.c - hostile arguments, and buffers of all sizes from the smallest on
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "conform.h"

#define HOSTILE		40000
#define HOSTILE_QUICK	4000
/* Number of sizes to try, from the smallest buffer on. */
#define SIZES		2048
#define SIZES_QUICK	128

/* Overwrite parts of an argument with hostile values. */
static void arg_spoil(struct conform *c, void *arg)
{
	static const u64 extremes[] = {
		0, 1, 7, 8, 4095, 4096, S32_MAX, 1U << 31, U32_MAX,
		1ULL << 32, S64_MAX, 1ULL << 63, U64_MAX - 7, U64_MAX,
	};
	size_t size = c->fmt->fmt_arg_size;
	u64 value;
	u32 at, n;

	if (!conform_random(c, 8))
		prandom_bytes_state(&c->rnd, arg, size);
	for (n = conform_random(c, 4); n; n--) {
		value = extremes[conform_random(c, ARRAY_SIZE(extremes))];
		value += (int)conform_random(c, 3) - 1;
		at = conform_random(c, size) & ~3U;
		memcpy(arg + at, &value, min_t(size_t, size - at,
					       4U << conform_random(c, 2)));
	}
	if (conform_random(c, 2))
		((u8 *)arg)[conform_random(c, size)] ^=
			1 << conform_random(c, 8);
}

/* Check that a context with an accepted argument works. */
static int arg_use(struct conform *c)
{
	unsigned int i;
	int ret = 0;

	if (!c->live)
		return 0;
	/* Overflow once in each thread, then a second time in the first one. */
	for (i = 0; !ret && i <= CONFORM_THREADS; i++)
		ret = conform_overflow(c, 1, NULL);
	if (!ret && c->held)
		ret = conform_restart(c, false);
	return ret ?: conform_end(c);
}

int conform_check_arguments(struct conform *c)
{
	unsigned int n = c->quick ? HOSTILE_QUICK : HOSTILE;
	void *arg;
	int ret;

	if (!c->fmt->fmt_arg_size)
		return conform_skip(c, "the format has no argument");
	ret = conform_make(c) ?: conform_values(c, 1);
	if (ret)
		return ret;
	arg = kmalloc(c->fmt->fmt_arg_size, GFP_KERNEL);
	if (!arg)
		return -ENOMEM;
	c->max_size = CONFORM_MAX_CHANCE;
	for (; !ret && n; n--) {
		memcpy(arg, c->dfl, c->fmt->fmt_arg_size);
		arg_spoil(c, arg);
		ret = conform_create(c, arg) ?: arg_use(c);
	}
	if (ret == -EBADMSG)
		conform_more(c, ", with the argument %*ph",
			     (int)min_t(size_t, c->fmt->fmt_arg_size, 40), arg);
	kfree(arg);
	return ret;
}

/* Fill, empty and refill a buffer of this size. */
static int sizes_try(struct conform *c, u64 size, unsigned int *tried)
{
	int ret = conform_create_size(c, size);

	if (ret || !c->live)
		return ret;
	++*tried;
	c->notify = false;
	ret = conform_fill(c, CONFORM_BURST) ?: conform_restart(c, false) ?:
		conform_fill(c, 1);
	if (ret == -EBADMSG)
		conform_more(c, ", in a buffer of %llu bytes", size);
	return ret ?: conform_end(c);
}

static int sizes_around(struct conform *c, u64 first, unsigned int *tried)
{
	u64 last = first + (c->quick ? SIZES_QUICK : SIZES), size;
	int ret = 0;

	for (size = first; !ret && size < last; size++)
		ret = sizes_try(c, size, tried);
	return ret;
}

int conform_check_sizes(struct conform *c)
{
	unsigned int tried = 0;
	u64 smallest;
	int ret = conform_make(c) ?: conform_values(c, pfm_num_pmds());

	if (ret)
		return ret;
	if (!conform_arg_size(c))
		return conform_skip(c,
				    "no field of the argument has the unit 'bytes'");
	smallest = conform_arg_smallest(c);
	ret = sizes_around(c, smallest, &tried) ?: conform_values(c, 0) ?:
		sizes_around(c, smallest, &tried);
	if (!ret && !tried)
		return conform_skip(c, "no context can be created with a buffer of %llu bytes or slightly more",
				    smallest);
	return ret;
}
