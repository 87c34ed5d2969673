// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_sharing - finds cache lines that several threads of a process write
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_sharing_smpl.h"

DEFINE_PFM_TABLE(sharing, pfm_sharing_record_t, count, PFM_SHARING_SMPL_VERSION,
		 PFM_TABLE_COUNT(count),
		 PFM_TABLE_MIN(min_tid), PFM_TABLE_MAX(max_tid),
		 PFM_TABLE_MIN(min_offset), PFM_TABLE_MAX(max_offset))

/* If samples have no data source, each access counts as a write. */
static int notrace sharing_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	u64 address = pfm_smpl_value_or(arg, PFM_PMD_ADDRESS, 0);
	union perf_mem_data_src source = {
		.val = pfm_smpl_value_or(arg, PFM_PMD_SOURCE,
					 PERF_MEM_S(OP, STORE)),
	};
	pfm_sharing_record_t sample = {
		.line = address & ~63ULL, .tgid = data->tgid,
		.event = arg->pmd_eventid,
		.min_tid = data->tid, .max_tid = data->tid,
		.min_offset = address & 63, .max_offset = address & 63,
	};

	if (!(source.mem_op & PERF_MEM_OP_STORE))
		return pfm_sink_skip(buf, arg);
	return sharing_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_sharing_fmt = {
	.fmt_name	= "sharing",
	.fmt_uuid	= PFM_SHARING_SMPL_UUID,
	.fmt_handler	= sharing_handler,
	PFM_TABLE_CALLS(sharing),
};

pfm_format_module(pfm_sharing_fmt, PFM_SHARING_SMPL_UUID_STR,
		  "perfmon2: example format, cache lines with several writers");
