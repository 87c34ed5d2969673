/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the n-way format (6.3.1; Eranian 2006, 5.4)
 *
 * This reader can read while the kernel writes. perfmon_read.h explains how to
 * use a reader. The reader keeps its position in each region: after the next
 * pfm_read_nway_begin() it returns only the entries that were added since. The
 * buffer may then be the same mapping, or a later copy.
 */
#ifndef PERFMON_READ_NWAY_H
#define PERFMON_READ_NWAY_H

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_read_default.h>
#include <perfmon/perfmon_read_regions.h>

static const struct pfm_read_region_layout pfm_read_nway_layout = {
	sizeof(pfm_nway_smpl_hdr_t),
	sizeof(pfm_nway_smpl_rgn_t),
	offsetof(pfm_nway_smpl_rgn_t, rgn_state),
	offsetof(pfm_nway_smpl_rgn_t, rgn_count),
	offsetof(pfm_nway_smpl_rgn_t, rgn_size),
	"rgn_size",
	offsetof(pfm_nway_smpl_hdr_t, hdr_num_regions),
	offsetof(pfm_nway_smpl_hdr_t, hdr_region_offs),
	offsetof(pfm_nway_smpl_hdr_t, hdr_region_size),
	offsetof(pfm_nway_smpl_hdr_t, hdr_buf_size),
	PFM_NWAY_MIN_REGIONS,
};

PFM_STATIC_ASSERT(offsetof(pfm_nway_smpl_rgn_t, rgn_seq) == 0);
PFM_STATIC_ASSERT(PFM_NWAY_MAX_REGIONS == PFM_READ_MAX_REGIONS);
PFM_STATIC_ASSERT(PFM_NWAY_RGN_FREE == (int)PFM_READ_RGN_FREE &&
		  PFM_NWAY_RGN_FILLING == (int)PFM_READ_RGN_FILLING &&
		  PFM_NWAY_RGN_READY == (int)PFM_READ_RGN_READY);

/**
 * struct pfm_read_nway - a reader of the n-way format
 * @problem:     reason for the last -1
 * @entry:       the current entry
 * @seq:         number of the fill that wrote the current entry
 * @region:      number of the region with the current entry
 * @overwritten: number of entries that the kernel has overwritten so far
 * @dropped:     number of overflows that were dropped so far
 * @entries:     private
 * @pass:        private, except pass.overtaken: the number of regions that were
 *               refilled while they were read
 * @room:        private: PMD values copied out of a live buffer
 */
struct pfm_read_nway {
	struct pfm_read_problem problem;
	struct pfm_read_entry entry;
	__u64 seq;
	__u32 region;
	__u64 overwritten;
	__u64 dropped;
	struct pfm_read_entries entries;
	struct pfm_read_pass pass;
	__u64 room[PFM_MAX_PMDS];
};

/**
 * pfm_read_nway_init() - set up a reader for the buffers of a context
 * @r:         the reader
 * @kinds:     all PMDs that sample; must stay valid
 * @num_kinds: number of kinds
 *
 * Context: any.
 * Return: 0; -1 if the kinds are invalid, see @problem of the reader.
 */
static inline int pfm_read_nway_init(struct pfm_read_nway *r,
				     const struct pfm_read_kind *kinds,
				     __u32 num_kinds)
{
	memset(r, 0, sizeof(*r));
	if (pfm_read_entries_init(&r->entries, kinds, num_kinds))
		return pfm_read_fail(&r->problem, PFM_READ_USE, 0, "kinds");
	return 0;
}

/**
 * pfm_read_nway_areas() - locate the regions of a buffer
 * @buf:     first byte of the buffer, aligned to 8
 * @size:    bytes that are present; regions may be missing
 * @areas:   out: the regions
 * @problem: out: what is wrong
 *
 * Context: any.
 * Return: 0; -1.
 */
static inline int pfm_read_nway_areas(const void *buf, size_t size,
				      struct pfm_read_areas *areas,
				      struct pfm_read_problem *problem)
{
	const pfm_nway_smpl_hdr_t *hdr = (const pfm_nway_smpl_hdr_t *)buf;

	if (pfm_read_check(problem, buf, size, sizeof(*hdr)))
		return -1;
	if (pfm_read_once32(&hdr->hdr_version) != PFM_NWAY_SMPL_VERSION)
		return PFM_READ_BAD(problem, 0, pfm_nway_smpl_hdr_t,
				    hdr_version);
	return pfm_read_areas_load(&pfm_read_nway_layout, buf, areas, problem);
}

/**
 * pfm_read_nway_begin() - start to read the new entries of a buffer
 * @r:     the reader
 * @buf:   first byte of the buffer, aligned to 8
 * @size:  bytes that are present
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @problem of the reader.
 */
static inline int pfm_read_nway_begin(struct pfm_read_nway *r, const void *buf,
				      size_t size, unsigned int flags)
{
	const pfm_nway_smpl_hdr_t *hdr = (const pfm_nway_smpl_hdr_t *)buf;

	pfm_read_pass_leave(&r->pass);
	if (pfm_read_nway_areas(buf, size, &r->pass.areas, &r->problem)) {
		r->pass.areas.num = 0;
		return -1;
	}
	r->overwritten = pfm_read_once64(&hdr->hdr_overwritten);
	r->dropped = pfm_read_once64(&hdr->hdr_dropped);
	return pfm_read_pass_begin(&r->pass, &pfm_read_nway_layout,
				   &r->problem, buf, size, flags);
}

/* At the end of a region, check that its entries match its header. */
static inline int pfm_read_nway_end(struct pfm_read_nway *r)
{
	struct pfm_read_pass *pass = &r->pass;
	int is_short = pass->found < pass->region.count;
	__u64 end = pass->start + pass->region.used;
	enum pfm_read_error error = PFM_READ_COUNT;
	const char *what = "rgn_count";
	__u64 offset = pass->cur;

	pfm_read_pass_leave(pass);
	if (is_short && r->entries.error == PFM_READ_UNKNOWN) {
		error = PFM_READ_UNKNOWN;
		what = "a PMD that does not sample";
	} else if (is_short && pass->size < end) {
		error = PFM_READ_TRUNCATED;
		offset = pass->size;
	} else if (!is_short &&
		   (pass->is_live || offset == end ||
		    pass->region.state != PFM_NWAY_RGN_READY)) {
		return 0;
	}
	pfm_read_fail(&r->problem, error, offset, what);
	r->problem.region = pass->number;
	return -1;
}

/* Go to the next region with new entries. */
static inline int pfm_read_nway_enter(struct pfm_read_nway *r)
{
	const struct pfm_read_region_layout *layout = &pfm_read_nway_layout;
	struct pfm_read_pass *pass = &r->pass;
	int got;

	while (pfm_read_pass_enter(pass, layout)) {
		if (!pass->region.seq ||
		    pass->region.state == PFM_NWAY_RGN_FREE)
			continue;
		if (pass->region.state > PFM_NWAY_RGN_READY)
			return pfm_read_pass_bad(pass, layout, &r->problem,
						 layout->state, "rgn_state");
		if (pass->region.used > pass->areas.size)
			return pfm_read_pass_bad(pass, layout, &r->problem,
						 layout->used, "rgn_size");
		got = pfm_read_pass_resume(pass, layout, &r->problem, 0);
		if (got)
			return got;
	}
	return 0;
}

/*
 * Read the next entry of the region. Return: 1; 0 at the end of the region, or
 * if the region was overwritten; -1 if the entries do not match the region's
 * header.
 */
static inline int pfm_read_nway_entry(struct pfm_read_nway *r)
{
	struct pfm_read_pass *pass = &r->pass;
	__u64 left = pfm_read_pass_left(pass);
	__u32 i, size = 0;

	r->entries.error = PFM_READ_COUNT;
	if (pass->found < pass->region.count && left)
		size = pfm_read_entry_at(&r->entries, pass->buf + pass->cur,
					 left, &r->entry);
	if (pass->is_live) {
		if (size) {
			for (i = 0; i < r->entry.num_pmds; i++)
				r->room[i] = pfm_read_once64(&r->entry.pmds[i]);
			r->entry.pmds = r->room;
		}
		if (!pfm_read_pass_holds(pass, &pfm_read_nway_layout))
			return 0;
	}
	if (!size)
		return pfm_read_nway_end(r);
	pass->cur += size;
	pass->found++;
	return 1;
}

/**
 * pfm_read_nway_next() - read the next entry, oldest region first
 * @r: the reader
 *
 * Context: as pfm_read_nway_begin().
 * Return: 1, with @entry, @seq and @region of the reader; 0 at the end; -1 if a
 * region, or the rest of it, cannot be read, see @problem of the reader.
 */
static inline int pfm_read_nway_next(struct pfm_read_nway *r)
{
	int got;

	for (;;) {
		if (r->pass.is_in) {
			got = pfm_read_nway_entry(r);
			if (got)
				return got;
		}
		if (!r->pass.is_in) {
			got = pfm_read_nway_enter(r);
			if (got <= 0)
				return got;
			r->seq = r->pass.region.seq;
			r->region = r->pass.number;
		}
	}
}

#endif /* PERFMON_READ_NWAY_H */
