// SPDX-License-Identifier: GPL-2.0
/*
 * ds.c - the debug-store service: storing the PMU's records (PEBS)
 *	  (Eranian 2006, 5.4)
 */
#include <linux/irqflags.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "context.h"
#include "ds.h"
#include "pmu.h"
#include "value.h"

/* Flag in the buffer: some records are imprecise. */
#define PFM_DS_SHOWN_IMPRECISE	0x1

static bool pfm_ds_is_shown(const struct pfm_ds *ds, u32 offs, u32 size)
{
	return offs <= ds->base && size <= ds->base - offs;
}

/* Is the format's description of the area valid, and within its buffer? */
static bool pfm_ds_is_valid(const struct pfm_ds *ds, const void *buf,
			    size_t size)
{
	u32 wanted = ds->word == sizeof(u32) ? PFM_DS_WORDS_32 * sizeof(u32) :
					       PFM_DS_MAX_RECORD;

	return ds->buf == buf &&
	       (ds->word == sizeof(u32) || ds->word == sizeof(u64)) &&
	       ds->record_size && ds->record_size % ds->word == 0 &&
	       ds->record_size <= wanted && ds->base % sizeof(u64) == 0 &&
	       ds->base == ds->index && ds->base < ds->thres &&
	       ds->thres <= ds->abs_max && ds->abs_max <= size &&
	       ds->index_offs % ds->word == 0 &&
	       ds->flags_offs % sizeof(u32) == 0 &&
	       pfm_ds_is_shown(ds, ds->index_offs, ds->word) &&
	       pfm_ds_is_shown(ds, ds->overflows_offs, sizeof(u64)) &&
	       pfm_ds_is_shown(ds, ds->flags_offs, sizeof(u32)) &&
	       pfm_ds_is_shown(ds, ds->dropped_offs, sizeof(u64)) &&
	       pfm_ds_is_shown(ds, ds->lost_offs, sizeof(u64));
}

int pfm_ds_attach(struct pfm_context *ctx)
{
	struct pfm_ds *ds;

	if (!(ctx->fmt->fmt_flags & PFM_FMTFL_DS))
		return 0;
	if (!ctx->buf)
		return -EINVAL;
	ds = pfm_fmt_priv(ctx->buf);
	if (!pfm_ds_is_valid(ds, ctx->buf, ctx->buf_size))
		return -EINVAL;
	if (ctx->pmu->ds < (ds->imprecise_ok ? PFM_DS_IMPRECISE :
					       PFM_DS_PRECISE))
		return -EOPNOTSUPP;
	ctx->target.ds = ds;
	return 0;
}

/* Increment a counter, and its copy in the buffer. */
static void pfm_ds_count(struct pfm_ds *ds, u32 offs, u64 *mine)
{
	++*mine;
	/* Some layouts align the copy only to 4 bytes. */
	memcpy(ds->buf + offs, mine, sizeof(*mine));
}

/* Write a 32-bit record of @n fields. Return: false if a value does not fit. */
static bool pfm_ds_write_32(u32 *to, const u64 *from, u32 n)
{
	u64 all = 0;
	u32 i;

	for (i = 0; i < n; i++)
		all |= from[i];
	if (all > U32_MAX)
		return false;
	for (i = 0; i < n; i++)
		to[i] = from[i];
	return true;
}

static bool pfm_ds_write(const struct pfm_ds *ds,
			 const struct pfm_ds_record *rec)
{
	void *to = ds->buf + ds->index;

	if (ds->word == sizeof(u32))
		return pfm_ds_write_32(to, &rec->eflags,
				       ds->record_size / sizeof(u32));
	memcpy(to, rec, ds->record_size);
	return true;
}

/*
 * Append a record. Count it as lost if @rec is NULL or the area is full, and as
 * dropped if a value does not fit into a 32-bit record.
 */
static void pfm_ds_append(struct pfm_ds *ds, const struct pfm_ds_record *rec)
{
	if (!rec || ds->abs_max - ds->index < ds->record_size) {
		pfm_ds_count(ds, ds->lost_offs, &ds->lost);
	} else if (!pfm_ds_write(ds, rec)) {
		pfm_ds_count(ds, ds->dropped_offs, &ds->dropped);
	} else {
		if (rec->imprecise)
			WRITE_ONCE(*(u32 *)(ds->buf + ds->flags_offs),
				   PFM_DS_SHOWN_IMPRECISE);
		ds->index += ds->record_size;
		pfm_ds_show_index(ds);
	}
}

/* Reload the counters of @ovfl with cnt_reset, as a CPU with PEBS does. */
static void pfm_ds_reset(struct pfm_context *ctx, const unsigned long *ovfl)
{
	u64 value = ctx->target.ds->cnt_reset;
	unsigned int slot;

	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);

		pfm_note_reset(pmd, value);
		pfm_value_write_ovfl(pmd, value);
	}
}

/* Get a bitmap of the PMDs that overflowed; it has bits for PMD0 to PMD63. */
static u64 pfm_ds_status(const struct pfm_context *ctx,
			 const unsigned long *ovfl)
{
	u64 pmds[PFM_MAX_PMD_BITVECTOR];

	pfm_bv_from_slots(ctx->pmu, ovfl, pmds);
	return pmds[0];
}

bool pfm_ds_store(struct pfm_context *ctx, const unsigned long *ovfl,
		  struct pfm_ds_record *rec)
{
	struct pfm_ds *ds = ctx->target.ds;

	if (rec)
		rec->status = pfm_ds_status(ctx, ovfl);
	pfm_ds_append(ds, rec);
	if (ds->index < ds->thres) {
		pfm_ds_reset(ctx, ovfl);
		return false;
	}
	pfm_ds_count(ds, ds->overflows_offs, &ds->overflows);
	return true;
}
