// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_begins - fmt_init returns a positive error number
 */
#include "broken.h"

static int begins_init(u32 ctx_flags, void *arg, void *buf)
{
	return broken_init(ctx_flags, arg, buf) ?: EAGAIN;
}

static const pfm_buffer_fmt_t begins_fmt = {
	BROKEN("begins", "b0b0b0b0-0000-4000-8000-000000000020"),
	.fmt_init	= begins_init,
};

BROKEN_MODULE(begins_fmt, "b0b0b0b0-0000-4000-8000-000000000020");
