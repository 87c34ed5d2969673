// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_refuses - fmt_init checks a live field, but fmt_validate does
 * not
 */
#include "broken_live.h"

static int refuses_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	return broken_validate(ctx_flags, num_pmds, arg);
}

static int refuses_init(u32 ctx_flags, void *arg, void *buf)
{
	u64 words = ((struct live_arg *)arg)->words;

	BROKEN_UNUSED;
	(void)live_validate;
	return words && words <= LIVE_MAX ? live_init(ctx_flags, arg, buf) :
					    -ERANGE;
}

static const pfm_buffer_fmt_t refuses_fmt = {
	BROKEN_LIVE("refuses", "b0b0b0b0-0000-4000-8000-00000000001d"),
	.fmt_validate	= refuses_validate,
	.fmt_init	= refuses_init,
};

BROKEN_MODULE(refuses_fmt, "b0b0b0b0-0000-4000-8000-00000000001d");
