// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_positive - the handler returns a positive error number
 */
#include "broken.h"

static int notrace positive_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				    struct pfm_ovfl_data *data)
{
	return broken_record(buf, arg, data) ? ENOBUFS : 0;
}

static const pfm_buffer_fmt_t positive_fmt = {
	BROKEN("positive", "b0b0b0b0-0000-4000-8000-000000000007"),
	.fmt_handler	= positive_handler,
};

BROKEN_MODULE(positive_fmt, "b0b0b0b0-0000-4000-8000-000000000007");
