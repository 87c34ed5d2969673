// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_newfmt - a record for each sample, in a sink
 *
 * Copyright YEAR AUTHOR
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "perfmon_newfmt_smpl.h"

/* The handler gets the argument from newfmt_arg(buf). */
DEFINE_PFM_SINK_ARG(newfmt, pfm_newfmt_arg_t,
		    sizeof(pfm_newfmt_record_t), sizeof(u64),
		    PFM_NEWFMT_SMPL_VERSION)

static int notrace
newfmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
	       struct pfm_ovfl_data *data)
{
	pfm_newfmt_record_t *record = pfm_sink_begin(buf, arg);
	u32 n = arg->num_smpl_pmds;

	if (!record)
		return -ENOBUFS;
	*record = (pfm_newfmt_record_t) {
		RECORD_VALUES
	};
	pfm_copy_pmds((u64 *)(record + 1), arg, n);
	pfm_sink_end(buf, arg, sizeof(*record) + n * sizeof(u64));
	return 0;
}

static const pfm_buffer_fmt_t pfm_newfmt_fmt = {
	.fmt_name	= "newfmt",
	.fmt_uuid	= PFM_NEWFMT_SMPL_UUID,
	.fmt_handler	= newfmt_handler,
	PFM_SINK_CALLS_ARG(newfmt,
			   PFM_FMT_ARG(pfm_newfmt_arg_t,
				       PFM_NEWFMT_ARG_LAYOUT)),
};

pfm_format_module(pfm_newfmt_fmt,
		  PFM_NEWFMT_SMPL_UUID_STR,
		  "perfmon2: sampling format newfmt");
