// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_plain - a format without any optional call-back
 */
#include <perfmon/perfmon_fmt_sdk.h>
#include "perfmon_plain_smpl.h"

static int notrace plain_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	pfm_ctrl_continue(arg);
	return buf ? -EIO : 0;
}

static const pfm_buffer_fmt_t pfm_plain_fmt = {
	.fmt_name	= "plain",
	.fmt_uuid	= PFM_PLAIN_SMPL_UUID,
	.fmt_handler	= plain_handler,
};

pfm_format_module(pfm_plain_fmt, PFM_PLAIN_SMPL_UUID_STR,
		  "perfmon2: test format, a handler and nothing else");
