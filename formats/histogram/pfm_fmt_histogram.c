// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_histogram - counts samples by process, event and address
 *
 * The buffer holds one count per distinct address, however long the run is, and
 * the tool is not woken until the end. The counts can be read while they rise.
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_hist.h>
#include <perfmon/perfmon_histogram_smpl.h>

static int notrace histogram_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	/* The key: the record's fields before the address, in memory order. */
	u64 key = (u64)data->tgid << 32 | (u32)arg->active_set << 16 |
		  arg->ovfl_pmd;

	pfm_hist_add(buf, arg, key, data->ip);
	return 0;
}

DEFINE_PFM_HIST(histogram, PFM_HISTOGRAM_SMPL_VERSION)

static const pfm_buffer_fmt_t pfm_histogram_fmt = {
	.fmt_name	= PFM_HISTOGRAM_SMPL_NAME,
	.fmt_uuid	= PFM_HISTOGRAM_SMPL_UUID,
	.fmt_handler	= histogram_handler,
	PFM_HIST_CALLS(histogram),
};

pfm_format_module(pfm_histogram_fmt, PFM_HISTOGRAM_SMPL_UUID_STR,
		  "perfmon2: " PFM_HISTOGRAM_SMPL_SUMMARY);
