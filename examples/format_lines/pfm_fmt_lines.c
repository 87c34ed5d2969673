// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_lines - sums the latencies of slow memory accesses by cache line
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_lines_smpl.h"

DEFINE_PFM_TABLE_ARG(lines, pfm_lines_smpl_arg_t, pfm_lines_record_t, count,
		     PFM_LINES_SMPL_VERSION, PFM_TABLE_COUNT(count),
		     PFM_TABLE_SUM(sum), PFM_TABLE_MAX(max))

static int notrace lines_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	pfm_lines_record_t sample = {
		.line = pfm_smpl_value_or(arg, PFM_PMD_ADDRESS, 0) & ~63ULL,
		.tid = data->tid,
		.ovfl_pmd = arg->ovfl_pmd,
		.sum = pfm_smpl_value_or(arg, PFM_PMD_LATENCY, 0),
	};

	if (sample.sum < lines_arg(buf)->min)
		return pfm_sink_skip(buf, arg);
	sample.max = sample.sum;
	return lines_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_lines_fmt = {
	.fmt_name	= "lines",
	.fmt_uuid	= PFM_LINES_SMPL_UUID,
	.fmt_handler	= lines_handler,
	.fmt_set_arg	= lines_set_arg,
	PFM_TABLE_CALLS_ARG(lines,
			    PFM_FMT_ARG(pfm_lines_smpl_arg_t,
					PFM_LINES_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_lines_fmt, PFM_LINES_SMPL_UUID_STR,
		  "perfmon2: example format, latencies by cache line");
