// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_exits - fmt_exit returns an error, and does not drop the
 * reference to the module that fmt_init took
 */
#include "broken.h"

static int exits_init(u32 ctx_flags, void *data, void *buf)
{
	int ret = broken_init(ctx_flags, data, buf);

	if (!ret)
		__module_get(THIS_MODULE);
	return ret;
}

static int exits_exit(void *buf)
{
	return -EBUSY;
}

static const pfm_buffer_fmt_t exits_fmt = {
	BROKEN("exits", "b0b0b0b0-0000-4000-8000-00000000000f"),
	.fmt_init	= exits_init,
	.fmt_exit	= exits_exit,
};

BROKEN_MODULE(exits_fmt, "b0b0b0b0-0000-4000-8000-00000000000f");
