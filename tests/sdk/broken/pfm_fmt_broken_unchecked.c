// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_unchecked - fmt_validate accepts any buffer size
 */
#include "broken.h"

static int unchecked_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	return ((pfm_sink_arg_t *)arg)->buf_size ? 0 : -EINVAL;
}

static int unchecked_init(u32 ctx_flags, void *arg, void *buf)
{
	pfm_sink_hdr_t *hdr = buf;

	BROKEN_UNUSED;
	if (broken_init(ctx_flags, arg, buf))
		hdr->hdr_buf_size = 0;
	return 0;
}

static const pfm_buffer_fmt_t unchecked_fmt = {
	BROKEN("unchecked", "b0b0b0b0-0000-4000-8000-000000000008"),
	.fmt_validate	= unchecked_validate,
	.fmt_init	= unchecked_init,
};

BROKEN_MODULE(unchecked_fmt, "b0b0b0b0-0000-4000-8000-000000000008");
