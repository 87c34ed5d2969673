// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_requests - sums the values of a PMD for each request
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_requests_smpl.h"

DEFINE_PFM_TABLE_ARG(requests, pfm_requests_smpl_arg_t, pfm_requests_record_t,
		     count, PFM_REQUESTS_SMPL_VERSION,
		     PFM_TABLE_COUNT(count), PFM_TABLE_SUM(sum),
		     PFM_TABLE_MIN(min), PFM_TABLE_MAX(max))

static int notrace requests_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				    struct pfm_ovfl_data *data)
{
	const pfm_requests_smpl_arg_t *given = requests_arg(buf);
	pfm_requests_record_t sample = {
		.request = pfm_smpl_value_or(arg, given->id, 0),
		.tid = data->tid, .ovfl_pmd = arg->ovfl_pmd,
		.sum = pfm_smpl_value_or(arg, given->pmd, 0),
	};

	sample.min = sample.sum;
	sample.max = sample.sum;
	return requests_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_requests_fmt = {
	.fmt_name	= "requests",
	.fmt_uuid	= PFM_REQUESTS_SMPL_UUID,
	.fmt_handler	= requests_handler,
	PFM_TABLE_CALLS_ARG(requests,
			    PFM_FMT_ARG(pfm_requests_smpl_arg_t,
					PFM_REQUESTS_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_requests_fmt, PFM_REQUESTS_SMPL_UUID_STR,
		  "perfmon2: example format, sums by request");
