// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_silent - the handler does not request a reset
 */
#include "broken.h"

static int notrace silent_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	int ret = broken_record(buf, arg, data);

	arg->ovfl_ctrl.val = 0;
	return ret;
}

static const pfm_buffer_fmt_t silent_fmt = {
	BROKEN("silent", "b0b0b0b0-0000-4000-8000-000000000004"),
	.fmt_handler	= silent_handler,
};

BROKEN_MODULE(silent_fmt, "b0b0b0b0-0000-4000-8000-000000000004");
