// SPDX-License-Identifier: GPL-2.0
/*
 * live.c - check that the argument can change while a context is in use
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "conform.h"

/* Number of values to try for each bit length. */
#define VALUES		6
#define VALUES_QUICK	3
/* Number of overflows that fill a small buffer. */
#define EVENTS		16

/**
 * struct live - a change of the argument
 * @field: the field
 * @value: new value of the field
 * @arg:   an argument with this value
 * @stack: user frames
 */
struct live {
	const struct pfm_arg_field	*field;
	u64				value;
	void				*arg;
	unsigned long			stack;
};

/* Record with and without deep stacks, and restart if the buffer is full. */
static int live_use(struct conform *c, const struct live *live)
{
	struct pt_regs regs = *task_pt_regs(current);
	unsigned int i;
	int ret = 0;

	conform_stack_enter(&regs, live->stack, CONFORM_FRAMES - 1);
	c->current_thread = true;
	for (i = 0; !ret && !c->held && i < EVENTS; i++)
		ret = conform_overflow(c, CONFORM_BURST, i % 2 ? NULL : &regs);
	c->current_thread = false;
	return ret ?: conform_go_on(c);
}

static bool live_validates(struct conform *c)
{
	const pfm_buffer_fmt_t *fmt = c->fmt;

	return !fmt->fmt_validate ||
	       !fmt->fmt_validate(0, pfm_num_pmds(), c->arg.start);
}

/*
 * Check that a context can be created with the value, if fmt_validate accepts
 * the value, and that this context needs as much memory as the current one.
 */
static int live_create(struct conform *c, const struct live *live)
{
	size_t size = c->buf.size, area = c->area.size;
	int ret;

	memcpy(live->arg, c->arg.start, c->fmt->fmt_arg_size);
	conform_arg_put(live->arg, live->field, live->value);
	ret = conform_create(c, live->arg);
	if (ret || (!c->live && !live_validates(c)))
		return ret;
	if (!c->live)
		return conform_fail(c,
				    "fmt_validate accepts a value with which a context cannot be created (%d): check live fields in fmt_validate, because fmt_set_arg cannot reject a value",
				    c->refused);
	if (c->buf.size != size || c->area.size != area)
		return conform_fail(c,
				    "the size of the format's memory depends on a live field, but memory is not reallocated when the field changes: declare the field with PFM_ARG()");
	return 0;
}

/* Change a field, and change it back, with samples in the buffer. */
static int live_change(struct conform *c, const struct live *live)
{
	return conform_make_small(c) ?: live_create(c, live) ?:
		conform_make_small(c) ?: live_use(c, live) ?:
		conform_set_arg(c, live->field, live->value) ?:
		live_use(c, live) ?:
		conform_set_arg(c, live->field, live->field->dfl) ?:
		live_use(c, live) ?: conform_end(c);
}

/* Get value number @n to try; bit @bits - 1 is its highest set bit. */
static u64 live_value(struct conform *c, unsigned int bits, unsigned int n)
{
	u64 top = bits ? 1ULL << (bits - 1) : 0;
	u64 random;

	if (n == 0)
		return top;
	if (n == 1)
		return top | (top - !!top);
	prandom_bytes_state(&c->rnd, &random, sizeof(random));
	return top | (random & (top - !!top));
}

static int live_field(struct conform *c, struct live *live)
{
	unsigned int values = c->quick ? VALUES_QUICK : VALUES, bits, n;
	int ret = 0;

	for (bits = 0; !ret && bits <= 8 * live->field->size; bits++)
		for (n = 0; !ret && n < values; n++) {
			live->value = live_value(c, bits, n);
			ret = live_change(c, live);
		}
	if (ret == -EBADMSG)
		conform_more(c, ", with %s=%llu", pfm_arg_name(live->field),
			     live->value);
	return ret;
}

static int live_fields(struct conform *c, struct live *live)
{
	const struct pfm_arg_field *f = c->fmt->fmt_arg_layout;
	int ret = 0;

	for (; !ret && f->name; f++) {
		live->field = f;
		if (f->live)
			ret = live_field(c, live);
	}
	return ret;
}

int conform_check_live(struct conform *c)
{
	struct live live = {};
	int ret = conform_make(c) ?: conform_values(c, pfm_num_pmds());

	if (ret)
		return ret;
	if (!c->fmt->fmt_set_arg)
		return conform_skip(c, "the argument has no live field (PFM_ARG_LIVE)");
	live.arg = kmalloc(c->fmt->fmt_arg_size, GFP_KERNEL);
	if (!live.arg)
		return -ENOMEM;
	ret = conform_stack_make(&live.stack);
	if (!ret) {
		ret = live_fields(c, &live);
		conform_stack_free(live.stack);
	}
	kfree(live.arg);
	return ret;
}
