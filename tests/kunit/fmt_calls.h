/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fmt_calls.h - a format's call-backs, called directly on a buffer of exact
 *		 size
 */
#ifndef PFM_KUNIT_FMT_CALLS_H
#define PFM_KUNIT_FMT_CALLS_H

#include <kunit/test.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "fmt.h"

/* A format under test; test->priv in its suite. */
struct fmt_calls {
	const pfm_buffer_fmt_t	*fmt;
	void			*base;
	void			*buf;
	pfm_ovfl_arg_t		arg;
};

/* For a suite's .init. */
static inline int fmt_calls_init(struct kunit *test, const pfm_uuid_t uuid)
{
	struct fmt_calls *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	if (!d)
		return -ENOMEM;
	d->fmt = pfm_fmt_get(uuid);
	test->priv = d;
	return d->fmt ? 0 : -ENOENT;
}

/* A suite's .exit. */
static inline void fmt_calls_exit(struct kunit *test)
{
	struct fmt_calls *d = test->priv;

	if (d->fmt)
		pfm_fmt_put(d->fmt);
}

/* The format's private area, if it asks for one. */
static inline void *fmt_calls_area(struct kunit *test, void *arg)
{
	struct fmt_calls *d = test->priv;
	size_t size = 0;
	void *area;

	if (!d->fmt->fmt_getpriv)
		return NULL;
	KUNIT_ASSERT_EQ(test, d->fmt->fmt_getpriv(0, arg, &size), 0);
	area = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, area);
	return area;
}

/*
 * A buffer of @size bytes, and a private area as asked for, not a byte more:
 * KASAN sees a byte too far.
 */
static inline void fmt_calls_make(struct kunit *test, void *arg, u64 size)
{
	struct fmt_calls *d = test->priv;
	int ret = d->fmt->fmt_validate(0, pfm_num_pmds(), arg);

	KUNIT_ASSERT_EQ(test, ret, 0);
	d->base = kunit_kzalloc(test, sizeof(struct pfm_fmt_front) + size,
				GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, d->base);
	d->buf = d->base + sizeof(struct pfm_fmt_front);
	pfm_fmt_front(d->buf)->area = fmt_calls_area(test, arg);
	KUNIT_ASSERT_EQ(test, d->fmt->fmt_init(0, arg, d->buf), 0);
}

/* An overflow of @pmd, with @values PMDs to record. */
static inline int fmt_calls_sample(struct fmt_calls *d, u16 pmd, u16 values)
{
	struct pfm_ovfl_data data = { .ip = 0x1000 + pmd, .tid = 12,
				      .tgid = 11 };
	u16 i;

	d->arg.ovfl_pmd = pmd;
	d->arg.ovfl_cpu = 3;
	d->arg.active_set = 4;
	d->arg.pmd_last_reset = -100;
	d->arg.num_smpl_pmds = values;
	for (i = 0; i < values; i++)
		d->arg.smpl_pmds_values[i] = 0xaa00 + i;
	d->arg.ovfl_ctrl.val = 0;
	return d->fmt->fmt_handler(d->buf, &d->arg, 5555, &data);
}

/* PFM_RESTART. Return: the control bits that the format sets. */
static inline u32 fmt_calls_restart(struct kunit *test, bool is_active)
{
	struct fmt_calls *d = test->priv;
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };

	KUNIT_EXPECT_EQ(test, d->fmt->fmt_restart(d->buf, is_active, &ctrl), 0);
	return ctrl.val;
}

#endif /* PFM_KUNIT_FMT_CALLS_H */
