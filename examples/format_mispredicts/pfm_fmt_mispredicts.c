// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_mispredicts - counts mispredicted branches by address and target
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_mispredicts_smpl.h"

DEFINE_PFM_TABLE(mispredicts, pfm_mispredicts_record_t, count,
		 PFM_MISPREDICTS_SMPL_VERSION, PFM_TABLE_COUNT(count))

#define MISPREDICTED	1	/* mispred of struct perf_branch_entry */

/*
 * Find the newest mispredicted branch of a sample. It need not be the newest
 * branch, which may have been taken after the event. If samples do not include
 * the branches' flags, take the newest branch. Return its number, or
 * PFM_BRANCHES if all branches were predicted correctly.
 */
static __always_inline unsigned int
mispredicts_newest(const pfm_ovfl_arg_t *arg)
{
	unsigned int n;

	for (n = 0; n < PFM_BRANCHES; n++)
		if (pfm_smpl_value_or(arg, PFM_PMD_BRANCH_FLAGS(n),
				      MISPREDICTED) & MISPREDICTED)
			break;
	return n;
}

static int notrace mispredicts_handler(void *buf, pfm_ovfl_arg_t *arg,
				       u64 tstamp, struct pfm_ovfl_data *data)
{
	unsigned int n = mispredicts_newest(arg);
	pfm_mispredicts_record_t sample = {
		.tgid = data->tgid, .event = arg->pmd_eventid,
	};

	if (n == PFM_BRANCHES)
		return pfm_sink_skip(buf, arg);
	sample.branch_to = pfm_smpl_value_or(arg, PFM_PMD_BRANCH_TO(n), 0);
	sample.branch_from = pfm_smpl_value_or(arg, PFM_PMD_BRANCH_FROM(n), 0);
	return mispredicts_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_mispredicts_fmt = {
	.fmt_name	= "mispredicts",
	.fmt_uuid	= PFM_MISPREDICTS_SMPL_UUID,
	.fmt_handler	= mispredicts_handler,
	PFM_TABLE_CALLS(mispredicts),
};

pfm_format_module(pfm_mispredicts_fmt, PFM_MISPREDICTS_SMPL_UUID_STR,
		  "perfmon2: example format, mispredicted branches");
