// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_resizes - the size of the private area depends on a live field
 */
#include "broken_live.h"

static int resizes_getpriv(u32 ctx_flags, void *arg, size_t *size)
{
	BROKEN_UNUSED;
	*size = ((struct live_arg *)arg)->words * sizeof(u64);
	return 0;
}

static const pfm_buffer_fmt_t resizes_fmt = {
	BROKEN_LIVE("resizes", "b0b0b0b0-0000-4000-8000-00000000001e"),
	.fmt_getpriv	= resizes_getpriv,
};

BROKEN_MODULE(resizes_fmt, "b0b0b0b0-0000-4000-8000-00000000001e");
