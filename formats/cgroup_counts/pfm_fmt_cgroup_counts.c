// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_cgroup_counts - adds up counts by control group (cgroup v2)
 */
#include <linux/cgroup.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_fmt_table.h>

#define MAX_PMDS	PFM_CGROUP_COUNTS_PMDS

/**
 * struct cgroup_counts_priv - private state of the handler, never mapped
 * @num:    number of groups
 * @groups: the groups of the argument, with references
 * @last:   values of the PMDs at the previous sample
 */
struct cgroup_counts_priv {
	u32		num;
	struct cgroup	*groups[PFM_CGROUP_COUNTS_GROUPS];
	u64		last[MAX_PMDS];
};

static_assert(sizeof(struct cgroup_counts_priv) <=
	      PFM_FMT_PRIV_SIZE - PFM_SINK_PRIV_SIZE - PFM_TABLE_PRIV_SIZE);

#ifdef CONFIG_CGROUPS
#define cgroup_counts_own() \
	(rcu_dereference_sched(current->cgroups)->dfl_cgrp)
#else
#define cgroup_counts_own()		((struct cgroup *)NULL)
#define cgroup_put(group)		((void)(group))
#define cgroup_is_descendant(own, group) ((own) == (group))

static struct cgroup *cgroup_get_from_fd(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}
#endif

static __always_inline void
cgroup_counts_sum(pfm_cgroup_counts_record_t *mine,
		  pfm_cgroup_counts_record_t *shown,
		  const pfm_cgroup_counts_record_t *sample, bool is_new)
{
	unsigned int i;

	for (i = 0; i < MAX_PMDS; i++)
		if (sample->counts[i])
			PFM_TABLE_SUM(counts[i]);
}

DEFINE_PFM_TABLE(cgroup_counts, pfm_cgroup_counts_record_t, samples,
		 PFM_CGROUP_COUNTS_SMPL_VERSION, PFM_TABLE_COUNT(samples),
		 cgroup_counts_sum(mine, shown, sample, is_new))

static int cgroup_counts_exit(void *buf)
{
	struct cgroup_counts_priv *priv = pfm_table_priv(buf);

	while (priv->num)
		cgroup_put(priv->groups[--priv->num]);
	return 0;
}

static int cgroup_counts_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_cgroup_counts_smpl_arg_t *arg = data;
	struct cgroup_counts_priv *priv = pfm_table_priv(buf);
	struct cgroup *group;

	/* Threads that inherit a context would mix up the last values. */
	if (arg->num_groups > PFM_CGROUP_COUNTS_GROUPS ||
	    ctx_flags & PFM_FL_INHERIT)
		return -EINVAL;
	while (priv->num < arg->num_groups) {
		group = cgroup_get_from_fd(arg->groups[priv->num]);
		if (IS_ERR(group)) {
			cgroup_counts_exit(buf);
			return PTR_ERR(group);
		}
		priv->groups[priv->num++] = group;
	}
	return cgroup_counts_table_init(ctx_flags, data, buf);
}

static int notrace cgroup_counts_handler(void *buf, pfm_ovfl_arg_t *arg,
					 u64 tstamp, struct pfm_ovfl_data *data)
{
	struct cgroup_counts_priv *priv = pfm_table_priv(buf);
	struct cgroup *own = cgroup_counts_own();
	pfm_cgroup_counts_record_t sample = { .group = cgroup_id(own) };
	const u64 *value = arg->smpl_pmds_values;
	unsigned int i;

	for (i = 0; i < MAX_PMDS; i++) {
		if (!(arg->smpl_pmds[0] & BIT_ULL(i)))
			continue;
		sample.counts[i] = *value - priv->last[i];
		priv->last[i] = *value++;
	}
	if (!priv->num)
		return cgroup_counts_add(buf, arg, &sample);
	pfm_ctrl_continue(arg);
	for (i = 0; i < priv->num; i++) {
		sample.group = i;
		if (cgroup_is_descendant(own, priv->groups[i]))
			cgroup_counts_add(buf, arg, &sample);
	}
	return 0;
}

static const pfm_buffer_fmt_t pfm_cgroup_counts_fmt = {
	.fmt_name	= PFM_CGROUP_COUNTS_SMPL_NAME,
	.fmt_uuid	= PFM_CGROUP_COUNTS_SMPL_UUID,
	.fmt_flags	= PFM_FMTFL_NOSET,
	.fmt_handler	= cgroup_counts_handler,
	.fmt_exit	= cgroup_counts_exit,
	PFM_TABLE_CALLS_ARG(cgroup_counts,
			    PFM_FMT_ARG(pfm_cgroup_counts_smpl_arg_t,
					PFM_CGROUP_COUNTS_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_cgroup_counts_fmt, PFM_CGROUP_COUNTS_SMPL_UUID_STR,
		  "perfmon2: " PFM_CGROUP_COUNTS_SMPL_SUMMARY);
