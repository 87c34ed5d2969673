/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_sink.h - the sink: what the buffers of many formats have in common
 *
 * The buffer is split into 1 to 64 regions of equal size. Records, which are
 * the format's own, go into one region after the other, round and round:
 *
 *	0		pfm_sink_hdr_t
 *	128		pfm_sink_rgn_t of region 0, 1, ... N - 1
 *	hdr_region_offs	region 0, then region 1, ... each hdr_region_size bytes
 *
 * A region that is full is handed out: the tool is notified, and records go
 * into the next one; when none is free, monitoring is masked. PFM_RESTART frees
 * the region that was handed out first. With one region the buffer is filled,
 * read, and filled again; two are double buffering. With PFM_SINK_OVERWRITE no
 * region is handed out and the oldest records are overwritten: a flight
 * recorder.
 *
 * Whoever knows the header knows how many samples were recorded, and which
 * bytes are records. While nothing is recorded, freed or overwritten:
 *
 *	recorded = hdr_past + hdr_overwritten + the sum of all rgn_count
 *
 * What was lost is in pfm_lost of the context's fdinfo and in hdr_lost. Of
 * those, PFM_SINK_LOST_FULL is a part of pfm_lost, as one overflow without room
 * ends the calls for others, too; of the rest only the header knows.
 *
 * It can be read while the kernel writes, without a lock: load rgn_seq
 * (acquire), then rgn_count (acquire); copy that many records; then, behind an
 * acquire fence, load rgn_seq again, and discard the copy if it is another one.
 * rgn_used can be ahead of rgn_count by a record that is not there yet. A
 * region whose rgn_state is PFM_SINK_RGN_READY is stable until a PFM_RESTART,
 * or overwriting, gives it another rgn_seq.
 */
#ifndef PERFMON_SINK_H
#define PERFMON_SINK_H

#include <perfmon/perfmon.h>

#define PFM_SINK_MAGIC		0x6b6e69732d6d6670ULL	/* "pfm-sink" */
#define PFM_SINK_VERSION	((1U << 16) | 0U)	/* major.minor */

#define PFM_SINK_MAX_REGIONS	64

/* Offset in bytes of region 0. */
#define PFM_SINK_REGION_OFFS(num_regions) \
	(sizeof(pfm_sink_hdr_t) + (num_regions) * sizeof(pfm_sink_rgn_t))

/* Flags of the argument: overwrite the oldest records, hand nothing out. */
#define PFM_SINK_OVERWRITE	0x1
#define PFM_SINK_ALL		PFM_SINK_OVERWRITE

/**
 * typedef pfm_sink_arg_t - how the buffer is laid out
 * @buf_size:    size of the buffer in bytes, headers included
 * @num_regions: number of regions, at most PFM_SINK_MAX_REGIONS; 0 is 1, with
 *               PFM_SINK_OVERWRITE at least 2
 * @flags:       PFM_SINK_* flags; all other bits must be 0
 *
 * The argument of a format with a sink begins with it.
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

/* What tools are told of it; see PFM_FMT_ARG(). */
#define PFM_SINK_ARG_LAYOUT {						\
	PFM_ARG(pfm_sink_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, 1, "regions"),		\
	PFM_ARG(pfm_sink_arg_t, flags, 0, "flags") }

/*
 * Why samples are lost, hdr_lost. The context has counted those that found no
 * room, too; of the others the header alone knows.
 */
#define PFM_SINK_LOST_FULL	0	/* all regions are handed out */
#define PFM_SINK_LOST_TABLE	1	/* no place in a table */
#define PFM_SINK_LOST_REGS	2	/* what is to be recorded was gone */
#define PFM_SINK_LOST_OTHER	3	/* the format's own reason */
#define PFM_SINK_NUM_LOST	4

/**
 * typedef pfm_sink_hdr_t - first bytes of the buffer
 * @hdr_magic:       PFM_SINK_MAGIC
 * @hdr_version:     PFM_SINK_VERSION
 * @hdr_fmt_version: version of the records, the format's own, major.minor
 * @hdr_buf_size:    size in bytes that was asked for
 * @hdr_region_offs: offset in bytes of region 0
 * @hdr_region_size: size in bytes of each region, a multiple of 8
 * @hdr_max_record:  largest possible record in bytes; a region is full when
 *                   less than this is left
 * @hdr_num_regions: number of regions
 * @hdr_flags:       flags of the argument
 * @hdr_cur_region:  region that records go into
 * @hdr_reserved:    0
 * @hdr_fills:       regions that became full; without PFM_SINK_OVERWRITE each
 *                   of them was handed out, in the order of their numbers
 * @hdr_freed:       regions that PFM_RESTART freed again
 * @hdr_past:        samples that were recorded and have no record of their own
 *                   here: those of regions that were freed, and those merged
 *                   into a record that was there
 * @hdr_overwritten: records that were overwritten
 * @hdr_lost:        samples that were not recorded, by PFM_SINK_LOST_*
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
	__u32	hdr_reserved;
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
PFM_ASSERT_FIELD(pfm_sink_hdr_t, hdr_reserved, 60, 4);
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
 * typedef pfm_sink_rgn_t - what the buffer says about a region
 * @rgn_seq:      number of this filling, increasing over all regions; 0 if the
 *                region holds nothing
 * @rgn_count:    records in the region
 * @rgn_used:     bytes that they take
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

#endif /* PERFMON_SINK_H */
