// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_leaks - the format never frees memory that fmt_init allocates
 */
#include <linux/slab.h>
#include "broken.h"

static int leaks_init(u32 ctx_flags, void *arg, void *buf)
{
	if (!kmalloc(2048, GFP_KERNEL))
		return -ENOMEM;
	return broken_init(ctx_flags, arg, buf);
}

static const pfm_buffer_fmt_t leaks_fmt = {
	BROKEN("leaks", "b0b0b0b0-0000-4000-8000-00000000000d"),
	.fmt_init	= leaks_init,
};

BROKEN_MODULE(leaks_fmt, "b0b0b0b0-0000-4000-8000-00000000000d");
