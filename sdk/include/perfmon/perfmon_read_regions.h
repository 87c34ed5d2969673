/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of regions that are filled in turn
 *
 * The n-way format (perfmon_nway_smpl.h) and sinks (perfmon_sink.h) share one
 * protocol for reading a buffer while the kernel writes to it. This header
 * implements the reader's side, for the readers of these formats and for tools
 * that copy complete regions. The kernel does the stores in this order, where
 * number is rgn_seq::
 *
 *	begin or overwrite a region	add a record
 *	  count = 0, used = 0		  the record
 *	  release state = FILLING	  used
 *	  release number = a new one	  release count
 *	  smp_wmb()
 *
 * So a reader that sees the new number never sees the old count, and a reader
 * that has seen any part of a new record sees the new number after a fence. A
 * reader that sees an old number may already see the new values of used and
 * count. The field used can be ahead of count, so rely only on count while the
 * kernel writes.
 */
#ifndef PERFMON_READ_REGIONS_H
#define PERFMON_READ_REGIONS_H

#include <perfmon/perfmon_read.h>

#define PFM_READ_MAX_REGIONS	64

/**
 * struct pfm_read_region_layout - where a format's headers have their fields
 * @header:   size in bytes of the buffer's header; the headers of the regions
 *            follow it
 * @region:   size in bytes of a region's header, which begins with rgn_seq
 * @state:    offset in bytes of rgn_state in the region's header
 * @count:    offset in bytes of rgn_count in the region's header
 * @used:     offset in bytes of the field with the size of the records
 * @used_name: name of this field
 * @num_regions: offset in bytes of hdr_num_regions in the buffer's header
 * @region_offs: offset in bytes of hdr_region_offs
 * @region_size: offset in bytes of hdr_region_size
 * @buf_size: offset in bytes of hdr_buf_size
 * @min:      minimum number of regions
 */
struct pfm_read_region_layout {
	__u32 header;
	__u32 region;
	__u32 state;
	__u32 count;
	__u32 used;
	const char *used_name;
	__u32 num_regions;
	__u32 region_offs;
	__u32 region_size;
	__u32 buf_size;
	__u32 min;
};

/**
 * struct pfm_read_areas - location of the regions
 * @offs: offset in bytes of region 0, a multiple of 8
 * @size: size in bytes of each region, a multiple of 8
 * @num:  number of regions, 1 to PFM_READ_MAX_REGIONS
 */
struct pfm_read_areas {
	__u64 offs;
	__u64 size;
	__u32 num;
};

/**
 * struct pfm_read_region - content of a region's header
 * @seq:   number of the current fill, 0 for an empty region
 * @count: number of records
 * @used:  size in bytes of the records, and perhaps of one more record that is
 *         not complete yet
 * @state: 0 free, 1 being filled, 2 full and handed out
 */
struct pfm_read_region {
	__u64 seq;
	__u64 count;
	__u64 used;
	__u32 state;
};

#define PFM_READ_RGN_FREE	0
#define PFM_READ_RGN_FILLING	1
#define PFM_READ_RGN_READY	2

/**
 * pfm_read_region_load() - load the header of a region
 * @layout: layout of the format
 * @header: first byte of the region's header
 * @region: out: the fields, loaded in the order of the protocol
 *
 * Context: any.
 */
static inline void
pfm_read_region_load(const struct pfm_read_region_layout *layout,
		     const void *header, struct pfm_read_region *region)
{
	const unsigned char *bytes = (const unsigned char *)header;

	/* A reader that sees a number sees the count and state of that fill. */
	region->seq = pfm_read_acquire64(bytes);
	region->state = pfm_read_acquire32(bytes + layout->state);
	/* A reader that sees a count sees the records that it counts. */
	region->count = pfm_read_acquire64(bytes + layout->count);
	region->used = pfm_read_once64(bytes + layout->used);
}

/**
 * pfm_read_region_is_same() - test whether a copy of records is valid
 * @header: first byte of the region's header
 * @seq:    number of the fill, loaded before its records were copied
 *
 * Context: any.
 * Return: 1; 0 if the region may have been overwritten: discard the copy.
 */
static inline int pfm_read_region_is_same(const void *header, __u64 seq)
{
	/* Pairs with the kernel's smp_wmb() between the number and records. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return pfm_read_once64(header) == seq;
}

/* The rest is internal to the readers. */

struct pfm_read_place {
	__u64 seq;
	__u32 number;
};

/* Records of a region that have been read: their number and total size */
struct pfm_read_seen {
	__u64 seq;
	__u64 count;
	__u64 size;
};

/*
 * A pass over the regions in the order of their fill numbers. A region that is
 * refilled during a pass is left to the next pass, so that each pass ends,
 * however fast the kernel writes.
 */
struct pfm_read_pass {
	const unsigned char *buf;
	__u64 size;
	struct pfm_read_areas areas;
	int is_live;
	int is_in;		/* reading the region "number" */
	__u32 number;
	__u32 at;		/* index of the next region in order */
	__u64 overtaken;
	__u64 limit;		/* skip regions with a later fill */
	struct pfm_read_region region;
	__u64 start;		/* offset of the region, ... */
	__u64 cur;		/* ... of its next record, ... */
	__u64 end;		/* ... and of the end of its records */
	__u64 found;		/* number of records before cur */
	struct pfm_read_place order[PFM_READ_MAX_REGIONS];
	struct pfm_read_seen seen[PFM_READ_MAX_REGIONS];
};

static inline __u64
pfm_read_region_offs(const struct pfm_read_region_layout *layout, __u64 number)
{
	return layout->header + number * layout->region;
}

/* Load the location of the regions from the buffer's header. */
static inline int
pfm_read_areas_load(const struct pfm_read_region_layout *layout,
		    const void *buf, struct pfm_read_areas *areas,
		    struct pfm_read_problem *problem)
{
	const unsigned char *hdr = (const unsigned char *)buf;
	__u64 end = pfm_read_once64(hdr + layout->buf_size);

	areas->num = pfm_read_once32(hdr + layout->num_regions);
	areas->offs = pfm_read_once64(hdr + layout->region_offs);
	areas->size = pfm_read_once64(hdr + layout->region_size);
	if (areas->num < layout->min || areas->num > PFM_READ_MAX_REGIONS)
		return pfm_read_fail(problem, PFM_READ_FIELD,
				     layout->num_regions, "hdr_num_regions");
	if (areas->offs < pfm_read_region_offs(layout, areas->num) ||
	    areas->offs % sizeof(__u64))
		return pfm_read_fail(problem, PFM_READ_FIELD,
				     layout->region_offs, "hdr_region_offs");
	if (areas->size % sizeof(__u64))
		return pfm_read_fail(problem, PFM_READ_FIELD,
				     layout->region_size, "hdr_region_size");
	/* After these checks, sums of the fields do not overflow. */
	if (areas->offs > end || areas->size > (end - areas->offs) / areas->num)
		return pfm_read_fail(problem, PFM_READ_FIELD, layout->buf_size,
				     "hdr_buf_size");
	return 0;
}

static inline const unsigned char *
pfm_read_pass_header(const struct pfm_read_pass *pass,
		     const struct pfm_read_region_layout *layout, __u32 number)
{
	return pass->buf + pfm_read_region_offs(layout, number);
}

/*
 * Sort the regions by fill number; regions with equal numbers keep their order.
 */
static inline void
pfm_read_pass_sort(struct pfm_read_pass *pass,
		   const struct pfm_read_region_layout *layout)
{
	__u32 number, at;
	__u64 seq;

	for (number = 0; number < pass->areas.num; number++) {
		seq = pfm_read_acquire64(pfm_read_pass_header(pass, layout,
							      number));
		for (at = number; at && pass->order[at - 1].seq > seq; at--)
			pass->order[at] = pass->order[at - 1];
		pass->order[at].seq = seq;
		pass->order[at].number = number;
	}
}

/* Leave the region; the next pass continues at the current record. */
static inline void pfm_read_pass_leave(struct pfm_read_pass *pass)
{
	struct pfm_read_seen *seen = &pass->seen[pass->number];

	if (!pass->is_in)
		return;
	pass->is_in = 0;
	seen->seq = pass->region.seq;
	seen->count = pass->found;
	seen->size = pass->cur - pass->start;
}

/* Begin a pass over a buffer. The caller has set and checked @pass->areas. */
static inline int
pfm_read_pass_begin(struct pfm_read_pass *pass,
		    const struct pfm_read_region_layout *layout,
		    struct pfm_read_problem *problem, const void *buf,
		    size_t size, unsigned int flags)
{
	pass->at = pass->areas.num;
	if (size < pfm_read_region_offs(layout, pass->areas.num))
		return pfm_read_fail(problem, PFM_READ_TRUNCATED, size,
				     "the table of regions");
	pass->buf = (const unsigned char *)buf;
	pass->size = size;
	pass->is_live = (flags & PFM_READ_LIVE) != 0;
	pass->at = 0;
	pass->limit = ~(__u64)0;
	pfm_read_pass_sort(pass, layout);
	return 0;
}

/*
 * Go to the next region.
 *
 * If a region has been refilled since the pass began, this pass skips it, and
 * all regions that were filled after the refill. The next pass reads them, so
 * records are read in the order in which they were written.
 *
 * Return: 1, with the region's header in @pass->region; 0 if there are no more
 * regions.
 */
static inline int
pfm_read_pass_enter(struct pfm_read_pass *pass,
		    const struct pfm_read_region_layout *layout)
{
	struct pfm_read_region *region = &pass->region;
	const struct pfm_read_place *place;

	while (pass->at < pass->areas.num) {
		place = &pass->order[pass->at++];
		if (place->seq > pass->limit)
			break;
		pass->number = place->number;
		pass->start = pass->areas.offs +
			      place->number * pass->areas.size;
		pfm_read_region_load(layout,
				     pfm_read_pass_header(pass, layout,
							  place->number),
				     region);
		if (region->seq == place->seq)
			return 1;
		pass->overtaken++;
		if (region->seq && region->seq < pass->limit)
			pass->limit = region->seq;
	}
	pass->at = pass->areas.num;
	return 0;
}

/* Report an invalid field of the region's header. Return: -1. */
static inline int
pfm_read_pass_bad(const struct pfm_read_pass *pass,
		  const struct pfm_read_region_layout *layout,
		  struct pfm_read_problem *problem, __u32 offset,
		  const char *name)
{
	pfm_read_fail(problem, PFM_READ_FIELD,
		      pfm_read_region_offs(layout, pass->number) + offset,
		      name);
	problem->region = pass->number;
	return -1;
}

/*
 * Continue in the entered region after the last record that was read; with
 * @is_new, at the region's first record.
 *
 * Return: 1; 0 if the region has no new records; -1 if its header is invalid.
 */
static inline int
pfm_read_pass_resume(struct pfm_read_pass *pass,
		     const struct pfm_read_region_layout *layout,
		     struct pfm_read_problem *problem, int is_new)
{
	const struct pfm_read_region *region = &pass->region;
	struct pfm_read_seen seen = pass->seen[pass->number];

	if (region->seq < seen.seq)
		return pfm_read_pass_bad(pass, layout, problem, 0, "rgn_seq");
	if (region->seq > seen.seq || is_new)
		memset(&seen, 0, sizeof(seen));
	if (region->count <= seen.count)
		return 0;
	if (pass->start + seen.size < pass->start)
		return pfm_read_pass_bad(pass, layout, problem, layout->used,
					 layout->used_name);
	pass->found = seen.count;
	pass->cur = pass->start + seen.size;
	pass->end = pass->start +
		    (pass->is_live ? pass->areas.size : region->used);
	if (pass->end > pass->size)
		pass->end = pass->size;
	pass->is_in = 1;
	return 1;
}

/* Return: bytes from the next record to the end of the region's records. */
static inline __u64 pfm_read_pass_left(const struct pfm_read_pass *pass)
{
	return pass->end > pass->cur ? pass->end - pass->cur : 0;
}

/*
 * Leave the region if a record copied from a live buffer was overwritten
 * meanwhile. Return: 1 if the copy is valid, else 0.
 */
static inline int
pfm_read_pass_holds(struct pfm_read_pass *pass,
		    const struct pfm_read_region_layout *layout)
{
	if (!pass->is_live ||
	    pfm_read_region_is_same(pfm_read_pass_header(pass, layout,
							 pass->number),
				    pass->region.seq))
		return 1;
	pfm_read_pass_leave(pass);
	pass->overtaken++;
	return 0;
}

#endif /* PERFMON_READ_REGIONS_H */
