// SPDX-License-Identifier: GPL-2.0
/*
 * bridge.c - the bridge between perfmon and OProfile's event buffer
 *	      (Eranian 2006, 5.4)
 *
 * Each overflow becomes a sample in a separate event buffer: address, thread,
 * and event identifier. The format has no argument, and does not use a sampling
 * buffer of the core (specification, middle of figure 3.21). It never notifies
 * the tool or masks monitoring; samples that do not fit into the event buffer
 * are counted as lost.
 */
#include <perfmon/perfmon_fmt_sdk.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "reader.h"
#include "stats.h"

static int notrace bridge_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	pfm_op_add_sample(data, arg->pmd_eventid);
	pfm_ctrl_continue(arg);
	return 0;
}

static const pfm_buffer_fmt_t pfm_oprofile_fmt = {
	.fmt_name	= PFM_OPROFILE_SMPL_NAME,
	.fmt_uuid	= PFM_OPROFILE_SMPL_UUID,
	.fmt_init	= pfm_op_begin,
	.fmt_handler	= bridge_handler,
	.fmt_exit	= pfm_op_end,
	.fmt_groups	= pfm_op_groups,
};

pfm_format_module_with(pfm_oprofile_fmt, PFM_OPROFILE_SMPL_UUID_STR,
		       "perfmon2: " PFM_OPROFILE_SMPL_SUMMARY,
		       pfm_op_device_add, pfm_op_device_del);
