// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_area - the private area is one byte too small for the handler
 */
#include "broken.h"

#define AREA_SIZE	100

static int area_getpriv(u32 ctx_flags, void *arg, size_t *size)
{
	*size = AREA_SIZE;
	return 0;
}

static int notrace area_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	u32 *next = pfm_sink_priv(buf);
	u8 *area = pfm_fmt_area(buf);

	area[(*next)++ % (AREA_SIZE + 1)] = 1;
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t area_fmt = {
	BROKEN("area", "b0b0b0b0-0000-4000-8000-000000000002"),
	.fmt_getpriv	= area_getpriv,
	.fmt_handler	= area_handler,
};

BROKEN_MODULE(area_fmt, "b0b0b0b0-0000-4000-8000-000000000002");
