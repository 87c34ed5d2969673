// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_chains - counts samples by user stack, and stores each stack once
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_chains_smpl.h"

DEFINE_PFM_TABLE(chains, pfm_chains_record_t, count, PFM_CHAINS_SMPL_VERSION,
		 PFM_TABLE_COUNT(count))

/*
 * The handler builds the record in the private area, because it is too large
 * for the stack.
 */
static_assert(PFM_SINK_PRIV_SIZE + PFM_TABLE_PRIV_SIZE +
	      sizeof(pfm_chains_record_t) <= PFM_FMT_PRIV_SIZE);

static int notrace chains_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	pfm_chains_record_t *sample = pfm_table_priv(buf);

	memset(sample, 0, sizeof(*sample));
	sample->event = arg->pmd_eventid;
	sample->tgid = data->tgid;
	sample->num_chain = pfm_user_callers(data, sample->chain,
					     PFM_CHAINS_DEPTH);
	if (!sample->num_chain)
		sample->chain[sample->num_chain++] = data->ip;
	return chains_add(buf, arg, sample);
}

static const pfm_buffer_fmt_t pfm_chains_fmt = {
	.fmt_name	= "chains",
	.fmt_uuid	= PFM_CHAINS_SMPL_UUID,
	.fmt_handler	= chains_handler,
	PFM_TABLE_CALLS(chains),
};

pfm_format_module(pfm_chains_fmt, PFM_CHAINS_SMPL_UUID_STR,
		  "perfmon2: example format, user stacks");
