// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_traced - the handler can be traced
 */
#include "broken.h"

static int traced_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			  struct pfm_ovfl_data *data)
{
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t traced_fmt = {
	BROKEN("traced", "b0b0b0b0-0000-4000-8000-000000000011"),
	.fmt_handler	= traced_handler,
};

BROKEN_MODULE(traced_fmt, "b0b0b0b0-0000-4000-8000-000000000011");
