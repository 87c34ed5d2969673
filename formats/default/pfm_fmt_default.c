// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_default - the default sampling format (specification 3.6)
 *
 * Each overflow becomes one entry: a header with the thread, address, time and
 * PMD, then the values of the PMDs of interest. The entries follow one another
 * in one buffer, which is full when the largest possible entry no longer fits.
 * Then monitoring is masked, and the tool is notified if it has requested that.
 * PFM_RESTART empties the buffer and resumes monitoring.
 */
#include <linux/bitops.h>
#include <linux/module.h>
#include <perfmon/perfmon_fmt_entry.h>
#include <perfmon/perfmon_fmt_sdk.h>

/**
 * struct default_priv - the handler's private state; it is not mapped
 * @records:   the entries
 * @quick:     largest offset at which the fast path may add an entry. The fast
 *             path is only for entries that have a complete header and do not
 *             fill the buffer. 0 if the fast path is never taken
 * @hdr_size:  size of an entry's header in bytes
 * @overflows: number of times the buffer became full
 */
struct default_priv {
	struct pfm_records	records;
	u64			quick;
	u64			hdr_size;
	u64			overflows;
};

static u64 default_hdr_size(u32 flags)
{
	if (flags & PFM_DFL_SMPL_NO_HDR)
		return 0;
	if (flags & PFM_DFL_SMPL_IIP_HDR)
		return sizeof_field(pfm_default_smpl_entry_t, ip);
	return sizeof(pfm_default_smpl_entry_t);
}

/* Get the size of the largest entry; not 0, even without a header and PMDs. */
static u64 default_max_entry(u32 flags, u16 num_pmds)
{
	return default_hdr_size(flags) + sizeof(u64) * max_t(u64, num_pmds, 1);
}

static int default_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_default_smpl_arg_t *arg = data;
	u64 min_size = sizeof(pfm_default_smpl_hdr_t) +
		       default_max_entry(arg->buf_flags, num_pmds);

	if (arg->buf_flags & ~PFM_DFL_SMPL_ALL ||
	    hweight32(arg->buf_flags) > 1 || arg->reserved1 ||
	    memchr_inv(arg->reserved2, 0, sizeof(arg->reserved2)))
		return -EINVAL;
	return arg->buf_size < min_size ? -EINVAL : 0;
}

/*
 * Publish the offset, then the count. A reader that sees the count sees the
 * entries that it includes.
 */
static __always_inline void default_publish(pfm_default_smpl_hdr_t *hdr,
					    const struct pfm_records *records)
{
	WRITE_ONCE(hdr->hdr_cur_offs, records->cur);
	/* Pairs with the reader's acquire. */
	smp_store_release(&hdr->hdr_count, records->count);
}

static int default_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_default_smpl_arg_t *arg = data;
	struct default_priv *priv = pfm_fmt_priv(buf);
	pfm_default_smpl_hdr_t *hdr = buf;
	u64 max = default_max_entry(arg->buf_flags, pfm_num_pmds());
	pfm_time_conv_t time = {};
	int ret;

	ret = pfm_records_init(&priv->records, sizeof(*hdr), arg->buf_size,
			       max);
	if (!ret && arg->buf_flags & PFM_DFL_SMPL_RAW_TIME)
		ret = pfm_raw_time(buf, &time);
	if (ret)
		return ret;
	priv->hdr_size = default_hdr_size(arg->buf_flags);
	priv->quick = 0;
	if (!(arg->buf_flags & PFM_DFL_SMPL_SHORT) &&
	    priv->records.limit > max)
		priv->quick = priv->records.limit - max;
	priv->overflows = 0;
	hdr->hdr_buf_size = arg->buf_size;
	hdr->hdr_min_buf_space = max;
	hdr->hdr_version = PFM_DFL_SMPL_VERSION;
	hdr->hdr_buf_flags = arg->buf_flags;
	hdr->hdr_time_zero = time.time_zero;
	hdr->hdr_time_mult = time.time_mult;
	hdr->hdr_time_shift = time.time_shift;
	default_publish(hdr, &priv->records);
	return 0;
}

static __always_inline void *
default_encode_hdr(void *entry, u64 hdr_size, const pfm_ovfl_arg_t *arg,
		   u64 tstamp, const struct pfm_ovfl_data *data)
{
	if (likely(hdr_size == sizeof(pfm_default_smpl_entry_t)))
		pfm_entry_set_hdr(entry, arg, tstamp, data);
	else if (hdr_size)
		*(u64 *)entry = data->ip;
	return entry + hdr_size;
}

/* The buffer is full: notify the tool and mask monitoring. */
static __always_inline void default_fill(struct default_priv *priv,
					 pfm_default_smpl_hdr_t *hdr,
					 pfm_ovfl_arg_t *arg)
{
	pfm_count(&hdr->hdr_overflows, &priv->overflows, 1);
	pfm_ctrl_full(arg);
}

/*
 * The slow path, for entries with any kind of header, in a buffer that may be
 * full or become full. It is inlined although it is rare, because the handler
 * would have to save registers for a call.
 */
static __always_inline int default_add(void *buf, pfm_ovfl_arg_t *arg,
				       u64 tstamp, struct pfm_ovfl_data *data)
{
	struct default_priv *priv = pfm_fmt_priv(buf);
	struct pfm_records *records = &priv->records;
	unsigned int n = arg->num_smpl_pmds;
	void *entry;

	if (pfm_records_full(records)) {
		pfm_ctrl_full(arg);
		return -ENOBUFS;
	}
	entry = pfm_records_add(records, buf, priv->hdr_size + n * sizeof(u64));
	entry = default_encode_hdr(entry, priv->hdr_size, arg, tstamp, data);
	pfm_copy_pmds(entry, arg, n);
	if (pfm_records_full(records))
		default_fill(priv, buf, arg);
	else
		pfm_ctrl_continue(arg);
	default_publish(buf, records);
	return 0;
}

static int notrace default_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	struct default_priv *priv = pfm_fmt_priv(buf);
	struct pfm_records records = priv->records;

	if (unlikely(records.cur > priv->quick))
		return default_add(buf, arg, tstamp, data);
	pfm_entry_add(&records, buf, arg, tstamp, data);
	pfm_ctrl_continue(arg);
	default_publish(buf, &records);
	priv->records.cur = records.cur;
	priv->records.count = records.count;
	return 0;
}

static int default_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	struct default_priv *priv = pfm_fmt_priv(buf);

	pfm_records_reset(&priv->records);
	default_publish(buf, &priv->records);
	pfm_restart_resume(is_active, ctrl);
	return 0;
}

static const pfm_buffer_fmt_t pfm_default_fmt = {
	.fmt_name	= PFM_DFL_SMPL_NAME,
	.fmt_uuid	= PFM_DFL_SMPL_UUID,
	PFM_FMT_ARG(pfm_default_smpl_arg_t, PFM_DFL_SMPL_ARG_LAYOUT),
	.fmt_msgq_depth	= 1,
	.fmt_validate	= default_validate,
	.fmt_getsize	= pfm_getsize,
	.fmt_init	= default_init,
	.fmt_handler	= default_handler,
	.fmt_restart	= default_restart,
};

pfm_format_module(pfm_default_fmt, PFM_DFL_SMPL_UUID_STR,
		  "perfmon2: " PFM_DFL_SMPL_SUMMARY);
