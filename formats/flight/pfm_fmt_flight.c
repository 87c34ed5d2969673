// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_flight - flight recorder: keeps the last samples before a trigger
 *
 * At the trigger, or a given number of samples later, the handler freezes the
 * buffer: it masks monitoring and notifies the tool.
 */
#include <linux/module.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_fmt_sink.h>

/**
 * struct flight_priv - the handler's private state; it is not mapped
 * @arg:    the format's argument, which describes the triggers
 * @marked: time in ns of the last overflow of the PMD @arg.marker; 0 if none
 *          since the last freeze
 * @left:   after a trigger: number of further samples, up to and including the
 *          one that freezes the buffer; 0 before a trigger
 * @watch:  flight_watch() needs all samples, not only those with ovfl_notify
 * @largest: the largest values since the last freeze
 */
struct flight_priv {
	pfm_flight_smpl_arg_t	arg;
	u64			marked;
	u32			left;
	bool			watch;
	struct pfm_largest	largest;
};

static_assert(PFM_SINK_PRIV_SIZE + sizeof(struct flight_priv) <=
	      PFM_FMT_PRIV_SIZE);

/*
 * Get the value of a sample: the value of the PMD priv->arg.pmd, minus the
 * value of the PMD priv->arg.minus if one is given. It is 0 if the sample lacks
 * one of these PMDs, or if the difference would be negative.
 */
static notrace u64 flight_value(const struct flight_priv *priv,
				const pfm_ovfl_arg_t *arg)
{
	u64 value = pfm_smpl_value_or(arg, priv->arg.pmd, 0), minus = 0;

	if (priv->arg.minus != PFM_FLIGHT_SMPL_NO_PMD)
		minus = pfm_smpl_value_or(arg, priv->arg.minus, U64_MAX);
	return value > minus ? value - minus : 0;
}

static notrace bool flight_is_above(const struct flight_priv *priv,
				    const pfm_ovfl_arg_t *arg)
{
	return priv->arg.above && flight_value(priv, arg) > priv->arg.above;
}

static notrace bool flight_is_late(const struct flight_priv *priv, u64 tstamp)
{
	u64 marked = priv->marked;

	return marked && tstamp > marked &&
	       tstamp - marked > priv->arg.within;
}

/*
 * A freeze notifies the tool, so only overflows with ovfl_notify are triggers.
 */
static notrace bool flight_is_trigger(const struct flight_priv *priv,
				      const pfm_ovfl_arg_t *arg, u64 tstamp)
{
	if (!arg->ovfl_notify)
		return false;
	if (!priv->arg.above && !priv->arg.within)
		return true;
	return flight_is_above(priv, arg) || flight_is_late(priv, tstamp);
}

/*
 * Freeze the buffer if this sample is a trigger and priv->arg.after is 0, or if
 * it is the last of the priv->arg.after samples that follow a trigger. If that
 * last sample lacks ovfl_notify, the freeze waits for a sample that has it.
 */
static notrace void flight_watch(struct flight_priv *priv, pfm_ovfl_arg_t *arg,
				 u64 tstamp)
{
	if (priv->arg.within && arg->ovfl_pmd == priv->arg.marker)
		priv->marked = tstamp;
	if (!priv->left) {
		if (!flight_is_trigger(priv, arg, tstamp))
			return;
		priv->left = priv->arg.after + 1;
	}
	if (priv->left > 1) {
		priv->left--;
	} else if (arg->ovfl_notify) {
		priv->left = 0;
		priv->marked = 0;
		priv->largest.num = 0;
		pfm_ctrl_full(arg);
	}
}

/*
 * Should this sample be recorded? If priv->arg.keep is 0, all samples should.
 * Otherwise, a sample should only if its value is among the priv->arg.keep
 * largest since the last freeze.
 */
static notrace bool flight_keeps(struct flight_priv *priv,
				 const pfm_ovfl_arg_t *arg)
{
	return !priv->arg.keep ||
	       pfm_largest_add(&priv->largest, priv->arg.keep,
			       flight_value(priv, arg));
}

static notrace int flight_record(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 const struct pfm_ovfl_data *data)
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
	return 0;
}

static int notrace flight_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	struct flight_priv *priv = pfm_sink_priv(buf);
	int ret = flight_keeps(priv, arg) ?
		  flight_record(buf, arg, tstamp, data) :
		  pfm_sink_skip(buf, arg);

	if (!ret && unlikely(arg->ovfl_notify || priv->watch))
		flight_watch(priv, arg, tstamp);
	return ret;
}

/* Is @pmd a valid PMD? If @use is 0, @pmd is not used and may be any number. */
static bool flight_has_pmd(u64 use, u16 pmd)
{
	return !use || pmd < PFM_MAX_PMDS;
}

static int flight_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_flight_smpl_arg_t *arg = data;

	if (!(arg->sink.flags & PFM_SINK_OVERWRITE) ||
	    arg->keep > PFM_LARGEST_MAX ||
	    !flight_has_pmd(arg->above | arg->keep, arg->pmd) ||
	    !flight_has_pmd(arg->within, arg->marker) ||
	    !flight_has_pmd(arg->minus != PFM_FLIGHT_SMPL_NO_PMD, arg->minus))
		return -EINVAL;
	return pfm_sink_validate(&arg->sink, sizeof(pfm_flight_record_t) +
				      sizeof(u64) * num_pmds);
}

static void flight_set_arg(void *buf, const void *data)
{
	struct flight_priv *priv = pfm_sink_priv(buf);

	priv->arg = *(const pfm_flight_smpl_arg_t *)data;
	/*
	 * After a trigger, keep watching: the sample that freezes the buffer is
	 * still to come.
	 */
	priv->watch = priv->arg.within || priv->arg.after || priv->left;
	if (!priv->arg.within)
		priv->marked = 0;
}

static int flight_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_flight_smpl_arg_t *arg = data;

	flight_set_arg(buf, arg);
	return pfm_sink_init(buf, &arg->sink, sizeof(pfm_flight_record_t) +
					sizeof(u64) * pfm_num_pmds(),
			     PFM_FLIGHT_SMPL_VERSION);
}

static const pfm_buffer_fmt_t pfm_flight_fmt = {
	.fmt_name	= PFM_FLIGHT_SMPL_NAME,
	.fmt_uuid	= PFM_FLIGHT_SMPL_UUID,
	.fmt_handler	= flight_handler,
	.fmt_set_arg	= flight_set_arg,
	PFM_SINK_CALLS_ARG(flight, PFM_FMT_ARG(pfm_flight_smpl_arg_t,
					       PFM_FLIGHT_SMPL_ARG_LAYOUT)),
};

pfm_format_module(pfm_flight_fmt, PFM_FLIGHT_SMPL_UUID_STR,
		  "perfmon2: " PFM_FLIGHT_SMPL_SUMMARY);
