// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_intervals - measures the time between samples of a thread, and the
 *		       increase of a PMD in this time
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_sink.h>
#include <perfmon/perfmon_fmt_threads.h>
#include "perfmon_intervals_smpl.h"

struct intervals_state {
	struct pfm_thread	thread;
	u64			value;	/* the PMD's value at the last sample */
};

DEFINE_PFM_SINK_ARG(intervals, pfm_intervals_smpl_arg_t,
		    sizeof(pfm_intervals_record_t), 0,
		    PFM_INTERVALS_SMPL_VERSION)
DEFINE_PFM_THREADS(intervals, struct intervals_state, 1024)

static int notrace intervals_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	const pfm_intervals_smpl_arg_t *given = intervals_arg(buf);
	u64 value = pfm_smpl_value_or(arg, given->pmd, 0), was, interval;
	pfm_intervals_record_t *record;
	struct intervals_state *last;

	last = intervals_thread(buf, data, tstamp, &interval);
	was = last->value;
	last->value = value;
	if (!interval || interval < given->min)
		return pfm_sink_skip(buf, arg);
	record = pfm_sink_begin(buf, arg);
	if (!record)
		return -ENOBUFS;
	*record = (pfm_intervals_record_t) {
		.tstamp = tstamp, .ip = data->ip, .interval = interval,
		.counted = value - was, .tid = data->tid, .tgid = data->tgid,
	};
	pfm_sink_end(buf, arg, sizeof(*record));
	return 0;
}

static const pfm_buffer_fmt_t pfm_intervals_fmt = {
	.fmt_name	= "intervals",
	.fmt_uuid	= PFM_INTERVALS_SMPL_UUID,
	.fmt_handler	= intervals_handler,
	.fmt_getpriv	= intervals_threads_getpriv,
	.fmt_set_arg	= intervals_set_arg,
	PFM_SINK_CALLS_ARG(intervals,
			   PFM_FMT_ARG(pfm_intervals_smpl_arg_t,
				       PFM_INTERVALS_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_intervals_fmt, PFM_INTERVALS_SMPL_UUID_STR,
		  "perfmon2: example format, intervals between a thread's samples");
