/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pebs.h - common code of the PEBS formats (Eranian 2006, 5.4)
 *
 * The two layouts differ only in the width of their fields. A format defines
 * PEBS_BITS, includes this file once, and defines pebs_record_size().
 *
 * The core writes the records (perfmon_ds.h). When the buffer is filled to its
 * threshold, the tool is notified and monitoring is masked. PFM_RESTART empties
 * the buffer, resets the counters that overflowed last, and resumes monitoring.
 */
#include <linux/align.h>
#include <linux/module.h>
#include <perfmon/perfmon_ds.h>
#include <perfmon/perfmon_fmt_sdk.h>

#define PEBS_GLUE3(a, bits, b)	a##bits##b
#define PEBS_GLUE(a, bits, b)	PEBS_GLUE3(a, bits, b)
#define PEBS(name)		PEBS_GLUE(PFM_PEBS, PEBS_BITS, _SMPL_##name)

typedef PEBS_GLUE(pfm_pebs, PEBS_BITS, _smpl_arg_t) pebs_arg_t;
typedef PEBS_GLUE(pfm_pebs, PEBS_BITS, _smpl_hdr_t) pebs_hdr_t;

/* Get the size in bytes of the records that the argument's flags select. */
static u32 pebs_record_size(u32 flags);

static int pebs_lay_out(struct pfm_ds *ds, const pebs_arg_t *arg, void *buf)
{
	*ds = (struct pfm_ds) {
		.buf = buf,
		.base = ALIGN(sizeof(pebs_hdr_t), PEBS(ALIGN)),
		.cnt_reset = arg->cnt_reset,
		.record_size = pebs_record_size(arg->flags),
		.word = PEBS_BITS / 8,
		.index_offs = offsetof(pebs_hdr_t, hdr_ds.pebs_index),
		.overflows_offs = offsetof(pebs_hdr_t, hdr_overflows),
		.flags_offs = offsetof(pebs_hdr_t, hdr_flags),
		.dropped_offs = offsetof(pebs_hdr_t, hdr_dropped),
		.lost_offs = offsetof(pebs_hdr_t, hdr_lost),
		.imprecise_ok = arg->flags & PEBS(IMPRECISE),
	};
	return pfm_ds_init(ds, arg->buf_size, arg->intr_thres);
}

static int pebs_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pebs_arg_t *arg = data;
	struct pfm_ds ds;

	if (arg->flags & ~PEBS(ALL) || arg->reserved1 ||
	    memchr_inv(arg->reserved2, 0, sizeof(arg->reserved2)))
		return -EINVAL;
	return pebs_lay_out(&ds, arg, NULL);
}

static int pebs_getsize(u32 ctx_flags, void *data, size_t *size)
{
	*size = ((const pebs_arg_t *)data)->buf_size;
	return 0;
}

static int pebs_init(u32 ctx_flags, void *data, void *buf)
{
	const pebs_arg_t *arg = data;
	struct pfm_ds *ds = pfm_fmt_priv(buf);
	pebs_hdr_t *hdr = buf;

	if (pebs_lay_out(ds, arg, buf))
		return -EINVAL;
	hdr->hdr_buf_size = arg->buf_size;
	hdr->hdr_start_offs = ds->base - sizeof(*hdr);
	hdr->hdr_version = PEBS(VERSION);
	hdr->hdr_entry_size = ds->record_size;
	hdr->hdr_ds.pebs_buf_base = ds->base;
	hdr->hdr_ds.pebs_index = ds->index;
	hdr->hdr_ds.pebs_abs_max = ds->abs_max;
	hdr->hdr_ds.pebs_intr_thres = ds->thres;
	hdr->hdr_ds.pebs_cnt_reset = arg->cnt_reset;
	return 0;
}

static int notrace pebs_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	pfm_ctrl_full(arg);
	return 0;
}

static int pebs_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_ds_rewind(pfm_fmt_priv(buf));
	pfm_restart_resume(is_active, ctrl);
	return 0;
}

static const pfm_buffer_fmt_t pebs_fmt = {
	.fmt_name	= PEBS(NAME),
	.fmt_uuid	= PEBS(UUID),
	PFM_FMT_ARG(pebs_arg_t, PEBS(ARG_LAYOUT)),
	.fmt_msgq_depth	= 1,
	.fmt_flags	= PFM_FMTFL_DS,
	.fmt_validate	= pebs_validate,
	.fmt_getsize	= pebs_getsize,
	.fmt_init	= pebs_init,
	.fmt_handler	= pebs_handler,
	.fmt_restart	= pebs_restart,
};

pfm_format_module(pebs_fmt, PEBS(UUID_STR), "perfmon2: " PEBS(SUMMARY));
