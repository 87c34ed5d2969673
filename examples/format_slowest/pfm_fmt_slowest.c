// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_slowest - records the slowest memory accesses, with their callers
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "perfmon_slowest_smpl.h"

struct slowest_priv {
	pfm_slowest_smpl_arg_t	arg;
	struct pfm_largest	largest;
};

static_assert(PFM_SINK_PRIV_SIZE + sizeof(struct slowest_priv) <=
	      PFM_FMT_PRIV_SIZE);

DEFINE_PFM_SINK_ARG(slowest, pfm_slowest_smpl_arg_t,
		    sizeof(pfm_slowest_record_t) +
		    PFM_SLOWEST_DEPTH * sizeof(u64), 0,
		    PFM_SLOWEST_SMPL_VERSION)

/*
 * Get the callers in user space; return their number. If the sample interrupted
 * user space, pfm_user_callers() would begin with data->ip, which is not a
 * caller, so use pfm_user_frames().
 */
static __always_inline u32
slowest_callers(const struct pfm_ovfl_data *data, u64 *callers)
{
	if (data->regs && user_mode(data->regs))
		return pfm_user_frames(data->regs, callers, PFM_SLOWEST_DEPTH);
	return pfm_user_callers(data, callers, PFM_SLOWEST_DEPTH);
}

static int notrace slowest_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	u64 latency = pfm_smpl_value_or(arg, PFM_PMD_LATENCY, 0);
	struct slowest_priv *priv = pfm_sink_priv(buf);
	pfm_slowest_record_t *record;
	u32 n;

	if (!pfm_largest_add(&priv->largest, priv->arg.keep, latency))
		return pfm_sink_skip(buf, arg);
	record = pfm_sink_begin(buf, arg);
	if (!record)
		return -ENOBUFS;
	n = slowest_callers(data, (u64 *)(record + 1));
	*record = (pfm_slowest_record_t) {
		.tstamp = tstamp, .ip = data->ip, .latency = latency,
		.addr = pfm_smpl_value_or(arg, PFM_PMD_ADDRESS, 0),
		.tid = data->tid, .tgid = data->tgid,
		.ovfl_pmd = arg->ovfl_pmd, .num_callers = n,
	};
	pfm_sink_end(buf, arg, sizeof(*record) + n * sizeof(u64));
	return 0;
}

static const pfm_buffer_fmt_t pfm_slowest_fmt = {
	.fmt_name	= "slowest",
	.fmt_uuid	= PFM_SLOWEST_SMPL_UUID,
	.fmt_handler	= slowest_handler,
	PFM_SINK_CALLS_ARG(slowest,
			   PFM_FMT_ARG(pfm_slowest_smpl_arg_t,
				       PFM_SLOWEST_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_slowest_fmt, PFM_SLOWEST_SMPL_UUID_STR,
		  "perfmon2: example format, the slowest accesses");
