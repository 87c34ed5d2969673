// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_newfmt - counts samples by event, process, address
 *
 * Copyright YEAR AUTHOR
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_hist.h>
#include "perfmon_newfmt_smpl.h"

static int notrace
newfmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
	       struct pfm_ovfl_data *data)
{
	/* Both fields before the address, in the layout of the record. */
	u64 key = (u64)data->tgid << 32 | (u32)arg->pmd_eventid;

	pfm_hist_add(buf, arg, key, data->ip);
	return 0;
}

DEFINE_PFM_HIST(newfmt, PFM_NEWFMT_SMPL_VERSION)

static const pfm_buffer_fmt_t pfm_newfmt_fmt = {
	.fmt_name	= "newfmt",
	.fmt_uuid	= PFM_NEWFMT_SMPL_UUID,
	.fmt_handler	= newfmt_handler,
	PFM_HIST_CALLS(newfmt),
};

pfm_format_module(pfm_newfmt_fmt,
		  PFM_NEWFMT_SMPL_UUID_STR,
		  "perfmon2: sampling format newfmt");
