// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_filters - by default, no sample passes the filter
 */
#include "broken.h"

static int notrace filters_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	if (data->ip)
		return pfm_sink_skip(buf, arg);
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t filters_fmt = {
	BROKEN("filters", "b0b0b0b0-0000-4000-8000-000000000018"),
	.fmt_handler	= filters_handler,
};

BROKEN_MODULE(filters_fmt, "b0b0b0b0-0000-4000-8000-000000000018");
