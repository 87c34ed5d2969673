// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_nway - the n-way sampling format (6.3.1; Eranian 2006, 5.4)
 *
 * The entries are those of the default format. They go into one of N regions.
 * When the largest possible entry no longer fits, the format hands out the
 * region, notifies the tool, and fills the next region while monitoring
 * continues. PFM_RESTART frees the oldest region that is handed out. If no
 * region is free, new entries overwrite those of the current region, unless
 * PFM_NWAY_SMPL_MASK_WHEN_FULL is set. With this flag, the current region is
 * handed out, too, and monitoring is masked.
 *
 * docs/formats/nway.md specifies the order in which the handler writes the
 * mapped headers, and the steps of a concurrent reader. The barriers here pair
 * with those of the reader.
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_entry.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include <perfmon/perfmon_nway_smpl.h>

/**
 * struct nway_priv - the handler's private state; it is not mapped
 * @regions:        the regions and the entries in the current one
 * @seq:            number of fills begun so far
 * @mask_when_full: PFM_NWAY_SMPL_MASK_WHEN_FULL
 * @overwritten:    entries that were overwritten
 * @dropped:        overflows dropped because all regions were handed out
 * @rgn_overwritten: @overwritten per region
 * @rgn_dropped:    @dropped per region
 */
struct nway_priv {
	struct pfm_regions	regions;
	u64			seq;
	bool			mask_when_full;
	u64			overwritten;
	u64			dropped;
	u64			rgn_overwritten[PFM_NWAY_MAX_REGIONS];
	u64			rgn_dropped[PFM_NWAY_MAX_REGIONS];
};

static_assert(sizeof(struct nway_priv) <= PFM_FMT_PRIV_SIZE);

static pfm_nway_smpl_rgn_t *nway_rgn(void *buf, u32 n)
{
	return (pfm_nway_smpl_rgn_t *)(buf + sizeof(pfm_nway_smpl_hdr_t)) + n;
}

static int nway_split(struct pfm_regions *r, const pfm_nway_smpl_arg_t *arg)
{
	return pfm_regions_init(r, PFM_NWAY_REGION_OFFS(arg->num_regions),
				arg->buf_size, arg->num_regions,
				pfm_entry_size(pfm_num_pmds()));
}

static int nway_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_nway_smpl_arg_t *arg = data;
	struct pfm_regions r;

	if (arg->buf_flags & ~PFM_NWAY_SMPL_ALL ||
	    arg->num_regions < PFM_NWAY_MIN_REGIONS ||
	    arg->num_regions > PFM_NWAY_MAX_REGIONS ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return -EINVAL;
	return nway_split(&r, arg);
}

/*
 * Begin to fill region @n, or to overwrite it. This function, nway_full() and
 * nway_make_room() are rarely called. They are inlined because the handler
 * would have to save registers for a call.
 */
static __always_inline void nway_begin(struct nway_priv *priv, void *buf, u32 n)
{
	pfm_nway_smpl_rgn_t *rgn = nway_rgn(buf, n);
	pfm_nway_smpl_hdr_t *hdr = buf;

	pfm_regions_enter(&priv->regions, n);
	WRITE_ONCE(rgn->rgn_count, 0);
	WRITE_ONCE(rgn->rgn_size, 0);
	WRITE_ONCE(hdr->hdr_cur_region, n);
	/* A reader that sees FILLING does not see the old count. */
	smp_store_release(&rgn->rgn_state, PFM_NWAY_RGN_FILLING);
	/* A reader that sees the new rgn_seq sees the new count and state. */
	smp_store_release(&rgn->rgn_seq, ++priv->seq);
	/* A reader that sees a new entry sees the new rgn_seq. */
	smp_wmb();
}

static int nway_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_nway_smpl_arg_t *arg = data;
	struct nway_priv *priv = pfm_fmt_priv(buf);
	pfm_nway_smpl_hdr_t *hdr = buf;

	if (nway_split(&priv->regions, arg))
		return -EINVAL;
	priv->mask_when_full = arg->buf_flags & PFM_NWAY_SMPL_MASK_WHEN_FULL;
	hdr->hdr_buf_size = arg->buf_size;
	hdr->hdr_region_offs = priv->regions.offs;
	hdr->hdr_region_size = priv->regions.size;
	hdr->hdr_min_region_space = priv->regions.max;
	hdr->hdr_num_regions = arg->num_regions;
	hdr->hdr_version = PFM_NWAY_SMPL_VERSION;
	hdr->hdr_buf_flags = arg->buf_flags;
	nway_begin(priv, buf, 0);
	return 0;
}

/*
 * Hand out the full region if another one is free. If none is free, hand it out
 * only with PFM_NWAY_SMPL_MASK_WHEN_FULL, and mask monitoring.
 */
static __always_inline void nway_full(struct nway_priv *priv, void *buf,
				      pfm_ovfl_arg_t *arg)
{
	bool go_on = pfm_regions_have_free(&priv->regions);
	pfm_nway_smpl_hdr_t *hdr = buf;

	if (!go_on && !priv->mask_when_full)
		return;
	/* Publish the entries before the state that declares them stable. */
	smp_store_release(&nway_rgn(buf, priv->regions.cur)->rgn_state,
			  PFM_NWAY_RGN_READY);
	/* Publish the state before the number of regions handed out. */
	smp_store_release(&hdr->hdr_handed_out, ++priv->regions.handed_out);
	if (go_on) {
		nway_begin(priv, buf, pfm_regions_next(&priv->regions));
		pfm_ctrl_notify(arg);
	} else {
		pfm_ctrl_full(arg);
	}
}

/*
 * Make room for an entry, because the current region is full. Return: false if
 * the overflow was dropped and monitoring is masked instead.
 */
static __always_inline bool nway_make_room(void *buf, pfm_ovfl_arg_t *arg)
{
	struct nway_priv *priv = pfm_fmt_priv(buf);
	u64 count = priv->regions.records.count;
	u32 cur = priv->regions.cur;
	pfm_nway_smpl_rgn_t *rgn = nway_rgn(buf, cur);
	pfm_nway_smpl_hdr_t *hdr = buf;

	if (priv->mask_when_full) {
		pfm_count(&rgn->rgn_dropped, &priv->rgn_dropped[cur], 1);
		pfm_count(&hdr->hdr_dropped, &priv->dropped, 1);
		pfm_ctrl_full(arg);
		return false;
	}
	nway_full(priv, buf, arg);
	if (pfm_records_full(&priv->regions.records)) {
		pfm_count(&rgn->rgn_overwritten, &priv->rgn_overwritten[cur],
			  count);
		pfm_count(&hdr->hdr_overwritten, &priv->overwritten, count);
		nway_begin(priv, buf, cur);
	}
	return true;
}

static int notrace nway_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	struct nway_priv *priv = pfm_fmt_priv(buf);
	/*
	 * Use a copy: the compiler must assume that stores to the buffer change
	 * *@priv.
	 */
	struct pfm_records records = priv->regions.records;
	pfm_nway_smpl_rgn_t *rgn;

	pfm_ctrl_continue(arg);
	if (unlikely(pfm_records_full(&records))) {
		if (!nway_make_room(buf, arg))
			return -ENOBUFS;
		records = priv->regions.records;
	}
	rgn = nway_rgn(buf, priv->regions.cur);
	pfm_entry_add(&records, buf, arg, tstamp, data);
	WRITE_ONCE(rgn->rgn_size, records.cur - records.start);
	/* Publish the entry before the count that includes it. */
	smp_store_release(&rgn->rgn_count, records.count);
	priv->regions.records = records;
	if (unlikely(pfm_records_full(&records)))
		nway_full(priv, buf, arg);
	return 0;
}

static int nway_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	struct nway_priv *priv = pfm_fmt_priv(buf);
	struct pfm_regions *r = &priv->regions;
	pfm_nway_smpl_hdr_t *hdr = buf;
	u64 out = pfm_regions_out(r);

	if (out) {
		WRITE_ONCE(nway_rgn(buf, pfm_regions_free(r))->rgn_state,
			   PFM_NWAY_RGN_FREE);
		/*
		 * A reader that sees the new hdr_freed also sees that the
		 * region is free.
		 */
		smp_store_release(&hdr->hdr_freed, r->freed);
	}
	if (out == r->num)
		nway_begin(priv, buf, pfm_regions_next(r));
	pfm_restart_resume(is_active, ctrl);
	return 0;
}

static const pfm_buffer_fmt_t pfm_nway_fmt = {
	.fmt_name	= PFM_NWAY_SMPL_NAME,
	.fmt_uuid	= PFM_NWAY_SMPL_UUID,
	PFM_FMT_ARG(pfm_nway_smpl_arg_t, PFM_NWAY_SMPL_ARG_LAYOUT),
	.fmt_msgq_depth	= PFM_NWAY_MAX_REGIONS,
	.fmt_validate	= nway_validate,
	.fmt_getsize	= pfm_getsize,
	.fmt_init	= nway_init,
	.fmt_handler	= nway_handler,
	.fmt_restart	= nway_restart,
};

pfm_format_module(pfm_nway_fmt, PFM_NWAY_SMPL_UUID_STR,
		  "perfmon2: " PFM_NWAY_SMPL_SUMMARY);
