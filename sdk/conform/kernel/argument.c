// SPDX-License-Identifier: GPL-2.0
/*
 * argument.c - defaults of the format's argument, and the size of its buffer
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "conform.h"

void conform_arg_put(void *arg, const struct pfm_arg_field *f, u64 value)
{
	/* The field is in native byte order: see struct pfm_arg_field. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		value <<= 64 - 8 * f->size;
	memcpy(arg + f->offset, &value, f->size);
}

static const struct pfm_arg_field *arg_find(const pfm_buffer_fmt_t *fmt,
					    const char *name)
{
	const struct pfm_arg_field *f = fmt->fmt_arg_layout;

	for (; f && f->name; f++)
		if (!strcmp(pfm_arg_name(f), name))
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
				    "the format's argument has no field %s: see fmt_arg_layout",
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
