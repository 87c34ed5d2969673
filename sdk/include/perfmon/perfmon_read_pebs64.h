/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the 64-bit PEBS format (Eranian 2006, 5.4)
 *
 * perfmon_read.h explains how to use a reader.
 */
#ifndef PERFMON_READ_PEBS64_H
#define PERFMON_READ_PEBS64_H

#include <perfmon/perfmon_pebs64_smpl.h>
#include <perfmon/perfmon_read_pebs.h>

/**
 * struct pfm_read_pebs64 - a reader of the 64-bit PEBS format
 * @pebs:  common part of both PEBS formats; errors are in pebs.problem
 * @entry: the current record. regs has the fields that all CPUs record; nhm,
 *         hsw and skl add fields of later CPUs. Fields beyond pebs.entry_size
 *         are 0
 */
struct pfm_read_pebs64 {
	struct pfm_read_pebs pebs;
	union {
		pfm_pebs64_smpl_entry_t regs;
		pfm_pebs64_nhm_entry_t nhm;
		pfm_pebs64_hsw_entry_t hsw;
		pfm_pebs64_skl_entry_t skl;
	} entry;
};

/**
 * pfm_read_pebs64_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_pebs64_init(struct pfm_read_pebs64 *r)
{
	memset(r, 0, sizeof(*r));
	r->pebs.is_done = 1;
}

/* Return: 1 for the size of a known record layout, else 0. */
static inline int pfm_read_pebs64_is_size(__u32 size)
{
	return size == sizeof(pfm_pebs64_smpl_entry_t) ||
	       size == sizeof(pfm_pebs64_nhm_entry_t) ||
	       size == sizeof(pfm_pebs64_hsw_entry_t) ||
	       size == sizeof(pfm_pebs64_skl_entry_t);
}

/* Load the header and the area, and check them. */
static inline int pfm_read_pebs64_header(struct pfm_read_pebs *r,
					const void *buf)
{
	const pfm_pebs64_smpl_hdr_t *hdr = (const pfm_pebs64_smpl_hdr_t *)buf;
	const pfm_pebs64_ds_area_t *ds = &hdr->hdr_ds;
	const __u64 area = offsetof(pfm_pebs64_smpl_hdr_t, hdr_ds);
	__u64 first = sizeof(*hdr), end;

	/* A reader that sees an index sees the records before it. */
	r->index = pfm_read_acquire64(&ds->pebs_index);
	r->base = pfm_read_once64(&ds->pebs_buf_base);
	end = pfm_read_once64(&ds->pebs_abs_max);
	first += pfm_read_once64(&hdr->hdr_start_offs);
	r->entry_size = pfm_read_once32(&hdr->hdr_entry_size);
	r->is_imprecise = pfm_read_once32(&hdr->hdr_flags) &
			  PFM_PEBS64_HDR_IMPRECISE;
	r->overflows = pfm_read_once64(&hdr->hdr_overflows);
	r->dropped = pfm_read_once64(&hdr->hdr_dropped);
	r->no_room = pfm_read_once64(&hdr->hdr_lost);
	if (pfm_read_once32(&hdr->hdr_version) != PFM_PEBS64_SMPL_VERSION)
		return PFM_READ_BAD(&r->problem, 0, pfm_pebs64_smpl_hdr_t,
				    hdr_version);
	if (!pfm_read_pebs64_is_size(r->entry_size))
		return PFM_READ_BAD(&r->problem, 0, pfm_pebs64_smpl_hdr_t,
				    hdr_entry_size);
	if (r->base != first || first < sizeof(*hdr))
		return PFM_READ_BAD(&r->problem, area, pfm_pebs64_ds_area_t,
				    pebs_buf_base);
	if (end > pfm_read_once64(&hdr->hdr_buf_size))
		return PFM_READ_BAD(&r->problem, area, pfm_pebs64_ds_area_t,
				    pebs_abs_max);
	if (r->index < r->base || r->index > end)
		return PFM_READ_BAD(&r->problem, area, pfm_pebs64_ds_area_t,
				    pebs_index);
	return 0;
}

/**
 * pfm_read_pebs64_begin() - start to read a buffer from its first record
 * @r:    the reader
 * @buf:  first byte of the buffer, aligned to 8
 * @size: bytes that are present; bytes after the last record may be missing
 *
 * The kernel may be writing meanwhile: complete records do not change until
 * PFM_RESTART.
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @pebs.problem of the reader.
 */
static inline int pfm_read_pebs64_begin(struct pfm_read_pebs64 *r,
				       const void *buf, size_t size)
{
	r->pebs.is_done = 1;
	if (pfm_read_check(&r->pebs.problem, buf, size,
			   sizeof(pfm_pebs64_smpl_hdr_t)) ||
	    pfm_read_pebs64_header(&r->pebs, buf))
		return -1;
	memset(&r->entry, 0, sizeof(r->entry));
	pfm_read_pebs_start(&r->pebs, buf, size);
	return 0;
}

/**
 * pfm_read_pebs64_next() - read the next record
 * @r: the reader
 *
 * Context: as pfm_read_pebs64_begin().
 * Return: 1, with @entry of the reader; 0 at the end; -1, once, if the records
 * do not end where the area says, see @pebs.problem of the reader.
 */
static inline int pfm_read_pebs64_next(struct pfm_read_pebs64 *r)
{
	const unsigned char *from;
	int got;

	from = pfm_read_pebs_at(&r->pebs, &got);
	if (from)
		pfm_read_copy(&r->entry, from, r->pebs.entry_size);
	return got;
}

#endif /* PERFMON_READ_PEBS64_H */
