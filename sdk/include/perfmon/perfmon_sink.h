/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Sinks, a buffer layout that many formats share
 *
 * A buffer of this layout has 1 to 64 regions of equal size. Records, whose
 * layout the format defines, fill one region after the other, in circular
 * order::
 *
 *	0		pfm_sink_hdr_t
 *	128		pfm_sink_rgn_t of region 0, 1, ... N - 1
 *	hdr_more_offs	pfm_sink_more_t, since version 1.1
 *	hdr_region_offs	region 0, then region 1, ... each hdr_region_size bytes
 *
 * A full region is handed out: the tool is notified, and records go into the
 * next region. When no region is free, monitoring is masked. PFM_RESTART frees
 * the region that was handed out first. With one region the buffer is filled,
 * read, and filled again; two regions are double buffering. With
 * PFM_SINK_OVERWRITE no region is handed out and the oldest records are
 * overwritten: a flight recorder.
 *
 * A tool that knows only this header can find the number of samples that were
 * recorded, and the bytes that are records. The following holds while nothing
 * is being recorded, freed or overwritten::
 *
 *	recorded = hdr_past + hdr_overwritten + the sum of all rgn_count
 *
 * hdr_lost counts lost samples by reason. Those lost because the buffer was
 * full (PFM_SINK_LOST_FULL) are also counted in pfm_lost of the context's
 * fdinfo. pfm_lost can be larger: if several PMDs overflow at the same time and
 * the handler finds the buffer full for one of them, it is not called for the
 * remaining ones, which are lost, too. Samples lost for other reasons are
 * counted only in hdr_lost. Samples that the handler chose not to record are
 * not lost but skipped, and are counted in more_skipped.
 *
 * The buffer can be read while the kernel writes, without a lock. Load rgn_seq
 * (acquire), then rgn_count (acquire), and copy that many records. Then, after
 * an acquire fence, load rgn_seq again, and discard the copy if it has changed.
 * rgn_used can be ahead of rgn_count by a record that is not yet complete. A
 * region whose rgn_state is PFM_SINK_RGN_READY is stable until its rgn_seq
 * changes, when the region is freed by PFM_RESTART or overwritten.
 *
 * Formats that merge samples by key have a table: a sink of one region, with a
 * record for each key, in the order in which the keys first occurred. The
 * counts, sums and so on in a record change in place. hdr_past counts the
 * samples beyond the first of each key. PFM_SINK_LOST_TABLE in hdr_lost counts
 * samples for which the table had no space. To read a record while the kernel
 * writes, load more_updates (acquire), and copy the record. Then, after an
 * acquire fence, load more_updates again. If it has changed or is odd, copy the
 * record again.
 */
#ifndef PERFMON_SINK_H
#define PERFMON_SINK_H

#include <perfmon/perfmon.h>

#define PFM_SINK_MAGIC		0x6b6e69732d6d6670ULL	/* "pfm-sink" */
#define PFM_SINK_VERSION	((1U << 16) | 3U)	/* major.minor */

#define PFM_SINK_MAX_REGIONS	64

/* Offsets in bytes of the pfm_sink_more_t and of region 0. */
#define PFM_SINK_MORE_OFFS(num_regions) \
	(sizeof(pfm_sink_hdr_t) + (num_regions) * sizeof(pfm_sink_rgn_t))
#define PFM_SINK_REGION_OFFS(num_regions) \
	(PFM_SINK_MORE_OFFS(num_regions) + sizeof(pfm_sink_more_t))

/* Flag of the argument: overwrite the oldest records and hand out no region. */
#define PFM_SINK_OVERWRITE	0x1
#define PFM_SINK_ALL		PFM_SINK_OVERWRITE

/**
 * struct pfm_sink_arg_t - layout of the buffer
 * @buf_size:    size of the buffer in bytes, headers included
 * @num_regions: number of regions, at most PFM_SINK_MAX_REGIONS; 0 means 1; at
 *               least 2 with PFM_SINK_OVERWRITE
 * @flags:       PFM_SINK_* flags; all other bits must be 0
 *
 * The argument of a format with a sink begins with this structure.
 */
typedef struct {
	__u64	buf_size;
	__u32	num_regions;
	__u32	flags;
} pfm_sink_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_sink_arg_t) == 16);
PFM_ASSERT_FIELD(pfm_sink_arg_t, buf_size, 0, 8);
PFM_ASSERT_FIELD(pfm_sink_arg_t, num_regions, 8, 4);
PFM_ASSERT_FIELD(pfm_sink_arg_t, flags, 12, 4);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_SINK_ARG_LAYOUT {						\
	PFM_ARG(pfm_sink_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, 1, "regions"),		\
	PFM_ARG(pfm_sink_arg_t, flags, 0, "flags") }

/*
 * Reasons for lost samples, indices of hdr_lost. The context counts
 * PFM_SINK_LOST_FULL, too; only the header counts samples lost for other
 * reasons.
 */
#define PFM_SINK_LOST_FULL	0	/* all regions are handed out */
#define PFM_SINK_LOST_TABLE	1	/* no space in a table */
#define PFM_SINK_LOST_REGS	2	/* the overflow has no registers */
#define PFM_SINK_LOST_OTHER	3	/* the format's own reason */
#define PFM_SINK_NUM_LOST	4

/**
 * struct pfm_sink_hdr_t - first bytes of the buffer
 * @hdr_magic:       PFM_SINK_MAGIC
 * @hdr_version:     PFM_SINK_VERSION
 * @hdr_fmt_version: version of the records, defined by the format, major.minor
 * @hdr_buf_size:    requested size in bytes
 * @hdr_region_offs: offset in bytes of region 0
 * @hdr_region_size: size in bytes of each region, a multiple of 8
 * @hdr_max_record:  size in bytes of the largest possible record; a region is
 *                   full when less than this is left
 * @hdr_num_regions: number of regions
 * @hdr_flags:       flags of the argument
 * @hdr_cur_region:  region into which records go
 * @hdr_more_offs:   offset in bytes of the pfm_sink_more_t, after the headers
 *                   of the regions; 0 before version 1.1
 * @hdr_fills:       number of regions that became full; without
 *                   PFM_SINK_OVERWRITE each of them was handed out, in the
 *                   order of rgn_seq
 * @hdr_freed:       number of regions that PFM_RESTART freed
 * @hdr_past:        number of recorded samples that have no record in the
 *                   buffer: those whose region was freed, and those merged into
 *                   an existing record
 * @hdr_overwritten: number of overwritten records
 * @hdr_lost:        number of lost samples, indexed by PFM_SINK_LOST_*
 */
typedef struct {
	__u64	hdr_magic;
	__u32	hdr_version;
	__u32	hdr_fmt_version;
	__u64	hdr_buf_size;
	__u64	hdr_region_offs;
	__u64	hdr_region_size;
	__u64	hdr_max_record;
	__u32	hdr_num_regions;
	__u32	hdr_flags;
	__u32	hdr_cur_region;
	__u32	hdr_more_offs;
	__u64	hdr_fills;
	__u64	hdr_freed;
	__u64	hdr_past;
	__u64	hdr_overwritten;
	__u64	hdr_lost[PFM_SINK_NUM_LOST];
} pfm_sink_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_sink_hdr_t) == 128);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_magic, 0, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_version, 8, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_fmt_version, 12, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_buf_size, 16, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_region_offs, 24, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_region_size, 32, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_max_record, 40, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_num_regions, 48, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_flags, 52, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_cur_region, 56, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_more_offs, 60, 4);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_fills, 64, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_freed, 72, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_past, 80, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_overwritten, 88, 8);
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_lost, 96, 32);

/* States of a region, rgn_state. */
#define PFM_SINK_RGN_FREE	0	/* never filled, or freed */
#define PFM_SINK_RGN_FILLING	1	/* records go into it */
#define PFM_SINK_RGN_READY	2	/* full and stable */

/**
 * struct pfm_sink_rgn_t - header of a region
 * @rgn_seq:      number of the region's current fill: the kernel numbers the
 *                fills of all regions from 1; 0 if the region is empty
 * @rgn_count:    number of records in the region
 * @rgn_used:     size in bytes of these records
 * @rgn_state:    PFM_SINK_RGN_*
 * @rgn_reserved: 0
 */
typedef struct {
	__u64	rgn_seq;
	__u64	rgn_count;
	__u64	rgn_used;
	__u32	rgn_state;
	__u32	rgn_reserved;
} pfm_sink_rgn_t;

PFM_STATIC_ASSERT(sizeof(pfm_sink_rgn_t) == 32);
PFM_ASSERT_FIELD(pfm_sink_rgn_t, rgn_seq, 0, 8);
PFM_ASSERT_FIELD(pfm_sink_rgn_t, rgn_count, 8, 8);
PFM_ASSERT_FIELD(pfm_sink_rgn_t, rgn_used, 16, 8);
PFM_ASSERT_FIELD(pfm_sink_rgn_t, rgn_state, 24, 4);
PFM_ASSERT_FIELD(pfm_sink_rgn_t, rgn_reserved, 28, 4);

/**
 * struct pfm_sink_more_t - counts that do not fit into the header
 * @more_skipped:  number of samples that the handler chose not to record
 * @more_updates:  for a table whose records have several fields besides the
 *                 key, since version 1.2: incremented before and after each
 *                 change of a record, so it is odd during a change
 * @more_evicted:  number of thread states that were reused for other threads
 *                 (perfmon_fmt_threads.h), since version 1.3
 * @more_reserved: 0
 */
typedef struct {
	__u64	more_skipped;
	__u64	more_updates;
	__u64	more_evicted;
	__u64	more_reserved;
} pfm_sink_more_t;

PFM_STATIC_ASSERT(sizeof(pfm_sink_more_t) == 32);
PFM_ASSERT_FIELD(pfm_sink_more_t, more_skipped, 0, 8);
PFM_ASSERT_FIELD(pfm_sink_more_t, more_updates, 8, 8);
PFM_ASSERT_FIELD(pfm_sink_more_t, more_evicted, 16, 8);
PFM_ASSERT_FIELD(pfm_sink_more_t, more_reserved, 24, 8);

#endif /* PERFMON_SINK_H */
