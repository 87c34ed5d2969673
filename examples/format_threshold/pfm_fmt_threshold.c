// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_threshold - records a sample only if a counter, for example of cache
 *		       misses, has increased by at least a threshold
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "perfmon_threshold_smpl.h"

struct threshold_priv {
	pfm_threshold_smpl_arg_t arg;
	u64			last[PFM_MAX_PMDS]; /* per overflowing PMD */
};

static_assert(PFM_SINK_PRIV_SIZE + sizeof(struct threshold_priv) <=
	      PFM_FMT_PRIV_SIZE);

DEFINE_PFM_SINK_ARG(threshold, pfm_threshold_smpl_arg_t,
		    sizeof(pfm_threshold_record_t), 0,
		    PFM_THRESHOLD_SMPL_VERSION)

static int notrace threshold_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	u64 now = arg->num_smpl_pmds ? arg->smpl_pmds_values[0] : 0;
	struct threshold_priv *priv = pfm_sink_priv(buf);
	u64 difference = now - priv->last[arg->ovfl_pmd];
	pfm_threshold_record_t *record;

	priv->last[arg->ovfl_pmd] = now;
	if (difference < priv->arg.min)
		return pfm_sink_skip(buf, arg);
	record = pfm_sink_begin(buf, arg);
	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	record->difference = difference;
	record->tid = data->tid;
	record->ovfl_pmd = arg->ovfl_pmd;
	pfm_sink_end(buf, arg, sizeof(*record));
	return 0;
}

static const pfm_buffer_fmt_t pfm_threshold_fmt = {
	.fmt_name	= "threshold",
	.fmt_uuid	= PFM_THRESHOLD_SMPL_UUID,
	.fmt_handler	= threshold_handler,
	.fmt_set_arg	= threshold_set_arg,
	PFM_SINK_CALLS_ARG(threshold,
			   PFM_FMT_ARG(pfm_threshold_smpl_arg_t,
				       PFM_THRESHOLD_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_threshold_fmt, PFM_THRESHOLD_SMPL_UUID_STR,
		  "perfmon2: example format, a filter by threshold");
