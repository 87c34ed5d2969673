// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_spans - measures the time from one event of a thread to the next
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include <perfmon/perfmon_fmt_threads.h>
#include "perfmon_spans_smpl.h"

struct spans_state {
	struct pfm_thread	thread;
	u64			from;	/* PMD that overflowed last */
};

DEFINE_PFM_TABLE(spans, pfm_spans_record_t, count, PFM_SPANS_SMPL_VERSION,
		 PFM_TABLE_COUNT(count), PFM_TABLE_SUM(sum), PFM_TABLE_MAX(max))
DEFINE_PFM_TABLE_THREADS(spans, struct spans_state, 1024)

static int notrace spans_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	u64 since;
	struct spans_state *last = spans_thread(buf, data, tstamp, &since);
	pfm_spans_record_t sample = {
		.tgid = data->tgid, .tid = data->tid, .from = last->from,
		.ovfl_pmd = arg->ovfl_pmd, .sum = since, .max = since,
	};

	last->from = arg->ovfl_pmd;
	return since ? spans_add(buf, arg, &sample) : pfm_sink_skip(buf, arg);
}

static const pfm_buffer_fmt_t pfm_spans_fmt = {
	.fmt_name	= "spans",
	.fmt_uuid	= PFM_SPANS_SMPL_UUID,
	.fmt_handler	= spans_handler,
	PFM_TABLE_THREADS_CALLS(spans),
};

pfm_format_module(pfm_spans_fmt, PFM_SPANS_SMPL_UUID_STR,
		  "perfmon2: example format, times between a thread's events");
