// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_newfmt - counts samples by key
 *
 * Copyright YEAR AUTHOR
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_newfmt_smpl.h"

/*
 * The fields before count are the key. The handler gets the argument from
 * newfmt_arg(buf).
 */
DEFINE_PFM_TABLE_ARG(newfmt, pfm_newfmt_arg_t,
		     pfm_newfmt_record_t, count,
		     PFM_NEWFMT_SMPL_VERSION,
		     TABLE_MERGES)

static int notrace
newfmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
	       struct pfm_ovfl_data *data)
{
	pfm_newfmt_record_t sample = {
		RECORD_VALUES
	};

	return newfmt_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_newfmt_fmt = {
	.fmt_name	= "newfmt",
	.fmt_uuid	= PFM_NEWFMT_SMPL_UUID,
	.fmt_handler	= newfmt_handler,
	PFM_TABLE_CALLS_ARG(newfmt,
			    PFM_FMT_ARG(pfm_newfmt_arg_t,
					PFM_NEWFMT_ARG_LAYOUT)),
};

pfm_format_module(pfm_newfmt_fmt,
		  PFM_NEWFMT_SMPL_UUID_STR,
		  "perfmon2: sampling format newfmt");
