// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_bits - the handler sets undefined control bits
 */
#include "broken.h"

static int notrace bits_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	int ret = broken_record(buf, arg, data);

	arg->ovfl_ctrl.val |= 1U << 31;
	return ret;
}

static const pfm_buffer_fmt_t bits_fmt = {
	BROKEN("bits", "b0b0b0b0-0000-4000-8000-000000000005"),
	.fmt_handler	= bits_handler,
};

BROKEN_MODULE(bits_fmt, "b0b0b0b0-0000-4000-8000-000000000005");
