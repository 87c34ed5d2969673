// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_callstack - samples with their call chains and PMD values
 */
#include <linux/module.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_sink.h>
#include <perfmon/perfmon_fmt_unwind.h>

/* The handler's private state; it is not mapped. */
struct callstack_priv {
	struct pfm_unwind_set	*set;
	u32			max_depth;
};

/* Get the size of the largest record: all PMDs, a kernel and a user chain. */
static u64 callstack_max_record(const pfm_callstack_smpl_arg_t *arg,
				u16 num_pmds)
{
	return sizeof(pfm_callstack_record_t) +
	       sizeof(u64) * (num_pmds + 2 * (u64)arg->max_depth);
}

static int callstack_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_callstack_smpl_arg_t *arg = data;

	if (!arg->max_depth || arg->max_depth > PFM_CALLSTACK_MAX_DEPTH ||
	    arg->unwind_fd < 0)
		return -EINVAL;
	return pfm_sink_validate(&arg->sink,
				 callstack_max_record(arg, num_pmds));
}

static int callstack_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_callstack_smpl_arg_t *arg = data;
	struct callstack_priv *priv = pfm_sink_priv(buf);
	struct pfm_unwind_set *set;
	int ret;

	ret = pfm_sink_init(buf, &arg->sink,
			    callstack_max_record(arg, pfm_num_pmds()),
			    PFM_CALLSTACK_SMPL_VERSION);
	if (ret)
		return ret;
	set = pfm_unwind_set_of_fd(arg->unwind_fd);
	priv->set = IS_ERR(set) ? NULL : set;
	priv->max_depth = arg->max_depth;
	return PTR_ERR_OR_ZERO(set);
}

static int callstack_exit(void *buf)
{
	struct callstack_priv *priv = pfm_sink_priv(buf);

	pfm_unwind_set_put(priv->set);
	return 0;
}

static __always_inline int
callstack_record(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		 const struct pfm_ovfl_data *data,
		 const struct callstack_priv *priv, bool by_tables)
{
	pfm_callstack_record_t *record = pfm_sink_begin(buf, arg);
	struct pfm_unwind_found user = { .end.why = PFM_UNWIND_MORE };
	u16 pmds = arg->num_smpl_pmds, kernel;
	u64 *chain;

	if (!record)
		return -ENOBUFS;
	chain = (u64 *)(record + 1) + pmds;
	pfm_copy_pmds((u64 *)(record + 1), arg, pmds);
	kernel = pfm_kernel_callers(data, chain, priv->max_depth);
	if (by_tables)
		user = pfm_unwind_with_set(priv->set, data, chain + kernel,
					   priv->max_depth);
	else
		user.nr = pfm_user_callers(data, chain + kernel,
					   priv->max_depth);
	*record = (pfm_callstack_record_t) {
		.tstamp = tstamp,
		.ip = data->ip,
		.tid = data->tid,
		.tgid = data->tgid,
		.ovfl_pmd = arg->ovfl_pmd,
		.cpu = arg->ovfl_cpu,
		.set = arg->active_set,
		.num_pmds = pmds,
		.num_kernel = kernel,
		.num_user = user.nr,
		.user_end = user.end.why,
		.user_guessed = user.end.guessed,
	};
	pfm_sink_end(buf, arg, sizeof(*record) +
			       sizeof(u64) * (pmds + kernel + user.nr));
	return 0;
}

/*
 * Not inlined: with a call of another module, the handler would save ten more
 * registers in each sample.
 */
static noinline int notrace
callstack_record_by_tables(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			   const struct pfm_ovfl_data *data,
			   const struct callstack_priv *priv)
{
	return callstack_record(buf, arg, tstamp, data, priv, true);
}

static int notrace callstack_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	const struct callstack_priv *priv = pfm_sink_priv(buf);

	if (unlikely(priv->set))
		return callstack_record_by_tables(buf, arg, tstamp, data, priv);
	return callstack_record(buf, arg, tstamp, data, priv, false);
}

static const pfm_buffer_fmt_t pfm_callstack_fmt = {
	.fmt_name	= PFM_CALLSTACK_SMPL_NAME,
	.fmt_uuid	= PFM_CALLSTACK_SMPL_UUID,
	.fmt_handler	= callstack_handler,
	.fmt_exit	= callstack_exit,
	PFM_SINK_CALLS_ARG(callstack,
			   PFM_FMT_ARG(pfm_callstack_smpl_arg_t,
				       PFM_CALLSTACK_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_callstack_fmt, PFM_CALLSTACK_SMPL_UUID_STR,
		  "perfmon2: " PFM_CALLSTACK_SMPL_SUMMARY);
