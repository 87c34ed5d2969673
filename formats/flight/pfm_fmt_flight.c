// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_flight - flight recorder: keeps the last samples before an event
 */
#include <linux/module.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_fmt_sink.h>

static int notrace flight_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	pfm_flight_record_t *record = pfm_sink_begin(buf, arg);
	u16 pmds = arg->num_smpl_pmds;

	if (!record)
		return -ENOBUFS;
	*record = (pfm_flight_record_t) {
		.tstamp = tstamp,
		.ip = data->ip,
		.tid = data->tid,
		.tgid = data->tgid,
		.ovfl_pmd = arg->ovfl_pmd,
		.cpu = arg->ovfl_cpu,
		.set = arg->active_set,
		.num_pmds = pmds,
	};
	pfm_copy_pmds((u64 *)(record + 1), arg, pmds);
	pfm_sink_end(buf, arg, sizeof(*record) + sizeof(u64) * pmds);
	/* This counter is the trigger: freeze the buffer. */
	if (arg->ovfl_notify)
		pfm_ctrl_full(arg);
	return 0;
}

static int flight_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_sink_arg_t *arg = data;

	if (!(arg->flags & PFM_SINK_OVERWRITE))
		return -EINVAL;
	return pfm_sink_validate(arg, sizeof(pfm_flight_record_t) +
				      sizeof(u64) * num_pmds);
}

static int flight_init(u32 ctx_flags, void *data, void *buf)
{
	return pfm_sink_init(buf, data, sizeof(pfm_flight_record_t) +
					sizeof(u64) * pfm_num_pmds(),
			     PFM_FLIGHT_SMPL_VERSION);
}

static const pfm_buffer_fmt_t pfm_flight_fmt = {
	.fmt_name	= PFM_FLIGHT_SMPL_NAME,
	.fmt_uuid	= PFM_FLIGHT_SMPL_UUID,
	.fmt_handler	= flight_handler,
	PFM_SINK_CALLS_ARG(flight, PFM_FMT_ARG(pfm_sink_arg_t,
					       PFM_FLIGHT_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_flight_fmt, PFM_FLIGHT_SMPL_UUID_STR,
		  "perfmon2: " PFM_FLIGHT_SMPL_SUMMARY);
