// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_registers - the handler uses data->regs even if it is NULL
 */
#include <linux/ptrace.h>
#include "broken.h"

static int notrace registers_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	if (!user_mode(data->regs))
		pfm_sink_lose(buf, PFM_SINK_LOST_OTHER);
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t registers_fmt = {
	BROKEN("registers", "b0b0b0b0-0000-4000-8000-000000000009"),
	.fmt_handler	= registers_handler,
};

BROKEN_MODULE(registers_fmt, "b0b0b0b0-0000-4000-8000-000000000009");
