// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_count - a small, complete format that counts overflows by event
 */
#include <linux/module.h>
#include <linux/nospec.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "perfmon_count_smpl.h"

/* State that the handler can trust: users cannot map the private area. */
struct count_priv {
	u32	num_events;
	u64	others;
	u64	counts[PFM_COUNT_MAX_EVENTS];
};

static_assert(sizeof(struct count_priv) <= PFM_FMT_PRIV_SIZE);

static int count_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_count_smpl_arg_t *arg = data;

	if (!arg->num_events || arg->num_events > PFM_COUNT_MAX_EVENTS)
		return -EINVAL;
	return arg->reserved ? -EINVAL : 0;
}

static int count_getsize(u32 ctx_flags, void *data, size_t *size)
{
	const pfm_count_smpl_arg_t *arg = data;

	*size = sizeof(pfm_count_smpl_hdr_t) + arg->num_events * sizeof(u64);
	return 0;
}

static int count_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_count_smpl_arg_t *arg = data;
	struct count_priv *priv = pfm_fmt_priv(buf);
	pfm_count_smpl_hdr_t *hdr = buf;

	priv->num_events = arg->num_events;
	hdr->hdr_version = PFM_COUNT_SMPL_VERSION;
	hdr->hdr_num_events = arg->num_events;
	return 0;
}

static int notrace count_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	struct count_priv *priv = pfm_fmt_priv(buf);
	pfm_count_smpl_hdr_t *hdr = buf;
	u64 *counts = (u64 *)(hdr + 1), id = arg->pmd_eventid;

	if (id < priv->num_events) {
		id = array_index_nospec(id, priv->num_events);
		pfm_count(&counts[id], &priv->counts[id], 1);
	} else {
		pfm_count(&hdr->hdr_others, &priv->others, 1);
	}
	pfm_ctrl_continue(arg);
	return 0;
}

static const pfm_buffer_fmt_t pfm_count_fmt = {
	.fmt_name	= "count",
	.fmt_uuid	= PFM_COUNT_SMPL_UUID,
	PFM_FMT_ARG(pfm_count_smpl_arg_t, PFM_COUNT_SMPL_ARG_LAYOUT),
	.fmt_validate	= count_validate,
	.fmt_getsize	= count_getsize,
	.fmt_init	= count_init,
	.fmt_handler	= count_handler,
};

pfm_format_module(pfm_count_fmt, PFM_COUNT_SMPL_UUID_STR,
		  "perfmon2: example format, overflows by event");
