// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_mini - a minimal, complete format, whose buffer is a sink
 *		  (perfmon_sink.h)
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "perfmon_mini_smpl.h"

static int notrace mini_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	pfm_mini_record_t *record = pfm_sink_begin(buf, arg);
	u32 n = arg->num_smpl_pmds;

	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	record->tid = data->tid;
	record->num_pmds = n;
	pfm_copy_pmds((u64 *)(record + 1), arg, n);
	pfm_sink_end(buf, arg, sizeof(*record) + n * sizeof(u64));
	return 0;
}

DEFINE_PFM_SINK(mini, sizeof(pfm_mini_record_t), sizeof(u64),
		PFM_MINI_SMPL_VERSION)

static const pfm_buffer_fmt_t pfm_mini_fmt = {
	.fmt_name	= "mini",
	.fmt_uuid	= PFM_MINI_SMPL_UUID,
	.fmt_handler	= mini_handler,
	PFM_SINK_CALLS(mini),
};

pfm_format_module(pfm_mini_fmt, PFM_MINI_SMPL_UUID_STR,
		  "perfmon2: example format, a sink");
