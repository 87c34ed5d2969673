// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_sleeps - the handler sleeps
 */
#include <linux/delay.h>
#include "broken.h"

static int notrace sleeps_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	/* Sleep because this is the fault that pfm-conform must find. */
	usleep_range(1000, 2000);
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t sleeps_fmt = {
	BROKEN("sleeps", "b0b0b0b0-0000-4000-8000-00000000000c"),
	.fmt_handler	= sleeps_handler,
};

BROKEN_MODULE(sleeps_fmt, "b0b0b0b0-0000-4000-8000-00000000000c");
