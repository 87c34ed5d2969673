// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_cgroups - counts samples by control group (cgroup v2)
 */
#include <linux/cgroup.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <perfmon/perfmon_fmt_table.h>
#include "perfmon_cgroups_smpl.h"

DEFINE_PFM_TABLE(cgroups, pfm_cgroups_record_t, count, PFM_CGROUPS_SMPL_VERSION,
		 PFM_TABLE_COUNT(count))

/*
 * Get the ID of the sampled thread's cgroup. Return 0 if the sample was
 * deferred and the thread no longer runs on this CPU.
 */
static __always_inline u64 cgroups_id(const struct pfm_ovfl_data *data)
{
	if (!data->regs && data->tid != task_pid_nr(current))
		return 0;
	return cgroup_id(rcu_dereference_sched(current->cgroups)->dfl_cgrp);
}

static int notrace cgroups_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	pfm_cgroups_record_t sample = {
		.cgroup_id = cgroups_id(data), .event = arg->pmd_eventid,
	};

	return cgroups_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_cgroups_fmt = {
	.fmt_name	= "cgroups",
	.fmt_uuid	= PFM_CGROUPS_SMPL_UUID,
	.fmt_handler	= cgroups_handler,
	PFM_TABLE_CALLS(cgroups),
};

pfm_format_module(pfm_cgroups_fmt, PFM_CGROUPS_SMPL_UUID_STR,
		  "perfmon2: example format, counts by control group");
