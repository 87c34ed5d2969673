/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the 32-bit PEBS format (Eranian 2006, 5.4)
 *
 * perfmon_read.h explains how to use a reader.
 */
#ifndef PERFMON_READ_PEBS32_H
#define PERFMON_READ_PEBS32_H

#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_read_pebs.h>

/**
 * struct pfm_read_pebs32 - a reader of the 32-bit PEBS format
 * @pebs:  common part of both PEBS formats; errors are in pebs.problem
 * @entry: the current record
 */
struct pfm_read_pebs32 {
	struct pfm_read_pebs pebs;
	pfm_pebs32_smpl_entry_t entry;
};

/**
 * pfm_read_pebs32_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_pebs32_init(struct pfm_read_pebs32 *r)
{
	memset(r, 0, sizeof(*r));
	r->pebs.is_done = 1;
}

/* Load the header and the area, and check them. */
static inline int pfm_read_pebs32_header(struct pfm_read_pebs *r,
					const void *buf)
{
	const pfm_pebs32_smpl_hdr_t *hdr = (const pfm_pebs32_smpl_hdr_t *)buf;
	const pfm_pebs32_ds_area_t *ds = &hdr->hdr_ds;
	const __u64 area = offsetof(pfm_pebs32_smpl_hdr_t, hdr_ds);
	__u64 first = sizeof(*hdr), end;

	/* A reader that sees an index sees the records before it. */
	r->index = pfm_read_acquire32(&ds->pebs_index);
	r->base = pfm_read_once32(&ds->pebs_buf_base);
	end = pfm_read_once32(&ds->pebs_abs_max);
	first += pfm_read_once32(&hdr->hdr_start_offs);
	r->entry_size = pfm_read_once32(&hdr->hdr_entry_size);
	r->is_imprecise = pfm_read_once32(&hdr->hdr_flags) &
			  PFM_PEBS32_HDR_IMPRECISE;
	memcpy(&r->overflows, &hdr->hdr_overflows, sizeof(r->overflows));
	memcpy(&r->dropped, &hdr->hdr_dropped, sizeof(r->dropped));
	memcpy(&r->no_room, &hdr->hdr_lost, sizeof(r->no_room));
	if (pfm_read_once32(&hdr->hdr_version) != PFM_PEBS32_SMPL_VERSION)
		return PFM_READ_BAD(&r->problem, 0, pfm_pebs32_smpl_hdr_t,
				    hdr_version);
	if (r->entry_size != sizeof(pfm_pebs32_smpl_entry_t))
		return PFM_READ_BAD(&r->problem, 0, pfm_pebs32_smpl_hdr_t,
				    hdr_entry_size);
	if (r->base != first)
		return PFM_READ_BAD(&r->problem, area, pfm_pebs32_ds_area_t,
				    pebs_buf_base);
	if (end > pfm_read_once32(&hdr->hdr_buf_size))
		return PFM_READ_BAD(&r->problem, area, pfm_pebs32_ds_area_t,
				    pebs_abs_max);
	if (r->index < r->base || r->index > end)
		return PFM_READ_BAD(&r->problem, area, pfm_pebs32_ds_area_t,
				    pebs_index);
	return 0;
}

/**
 * pfm_read_pebs32_begin() - start to read a buffer from its first record
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
static inline int pfm_read_pebs32_begin(struct pfm_read_pebs32 *r,
				       const void *buf, size_t size)
{
	r->pebs.is_done = 1;
	if (pfm_read_check(&r->pebs.problem, buf, size,
			   sizeof(pfm_pebs32_smpl_hdr_t)) ||
	    pfm_read_pebs32_header(&r->pebs, buf))
		return -1;
	memset(&r->entry, 0, sizeof(r->entry));
	pfm_read_pebs_start(&r->pebs, buf, size);
	return 0;
}

/**
 * pfm_read_pebs32_next() - read the next record
 * @r: the reader
 *
 * Context: as pfm_read_pebs32_begin().
 * Return: 1, with @entry of the reader; 0 at the end; -1, once, if the records
 * do not end where the area says, see @pebs.problem of the reader.
 */
static inline int pfm_read_pebs32_next(struct pfm_read_pebs32 *r)
{
	const unsigned char *from;
	int got;

	from = pfm_read_pebs_at(&r->pebs, &got);
	if (from)
		pfm_read_copy(&r->entry, from, sizeof(r->entry));
	return got;
}

#endif /* PERFMON_READ_PEBS32_H */
