// SPDX-License-Identifier: GPL-2.0
/*
 * argument.c - the format's argument: defaults, hostile values, buffer sizes
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

void conform_arg_put(void *arg, const struct pfm_arg_field *f, u64 value)
{
	/* Native byte order, as for pfm_arg_field. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		value <<= 64 - 8 * f->size;
	memcpy(arg + f->offset, &value, f->size);
}

static const struct pfm_arg_field *arg_find(const pfm_buffer_fmt_t *fmt,
					    const char *name)
{
	const struct pfm_arg_field *f = fmt->fmt_arg_layout;

	for (; f && f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct pfm_arg_field *conform_arg_size(const struct conform *c)
{
	const struct pfm_arg_field *f = arg_find(c->fmt, "buf_size");

	if (f)
		return f;
	for (f = c->fmt->fmt_arg_layout; f && f->name; f++)
		if (!strcmp(f->unit, "bytes"))
			return f;
	return NULL;
}

static int arg_set(struct conform *c, const char *name, const char *value)
{
	const struct pfm_arg_field *f = arg_find(c->fmt, name);
	char *rest;
	u64 number;

	if (!f)
		return conform_fail(c,
				    "the format's argument has no field %s: see its arg_layout",
				    name);
	if (!value)
		return conform_fail(c, "%s needs a value: %s=NUMBER", name,
				    name);
	number = memparse(value, &rest);
	if (*rest || rest == value)
		return conform_fail(c, "%s=%s: not a number", name, value);
	conform_arg_put(c->dfl, f, number);
	return 0;
}

int conform_arg_parse(struct conform *c, char *words)
{
	const struct pfm_arg_field *f = c->fmt->fmt_arg_layout;
	size_t size = c->fmt->fmt_arg_size;
	char *word, *name;
	int ret = 0;

	c->dfl = kzalloc(size, GFP_KERNEL);
	if (!c->dfl || (size && conform_mem_alloc(&c->arg, 0, size)))
		return -ENOMEM;
	for (; f && f->name; f++)
		conform_arg_put(c->dfl, f, f->dfl);
	while (!ret && (word = strsep(&words, ","))) {
		name = strsep(&word, "=");
		if (*name)
			ret = arg_set(c, name, word);
	}
	return ret;
}

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

/* An accepted argument must work. */
static int arg_use(struct conform *c)
{
	unsigned int i;
	int ret = 0;

	if (!c->live)
		return 0;
	for (i = 0; !ret && i < 3; i++)
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

u64 conform_arg_smallest(struct conform *c)
{
	const struct pfm_arg_field *f = conform_arg_size(c);
	u64 size;

	if (!f || !c->fmt->fmt_validate || c->smallest)
		return c->smallest;
	for (size = 0; size < 1 << 20; size++) {
		memcpy(c->arg.start, c->dfl, c->fmt->fmt_arg_size);
		conform_arg_put(c->arg.start, f, size);
		if (!c->fmt->fmt_validate(0, pfm_num_pmds(), c->arg.start))
			break;
	}
	c->smallest = size < 1 << 20 ? size : 0;
	return c->smallest;
}

/* Fill, empty, and fill again, with the largest records. */
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
				    "the argument has no field in bytes");
	smallest = conform_arg_smallest(c);
	ret = sizes_around(c, smallest, &tried) ?: conform_values(c, 0) ?:
		sizes_around(c, smallest, &tried);
	if (!ret && !tried)
		return conform_skip(c, "cannot create a buffer of %llu bytes or slightly more",
				    smallest);
	return ret;
}
