/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the n-way format (6.3.1; Eranian 2006, 5.4)
 *
 * The buffer is split into N regions of equal size, N from 2 to 64. Samples, in
 * the default format's layout, fill one region after the other, in circular
 * order. A full region is handed out: the tool is notified, monitoring stays
 * active, and samples go into the next region. PFM_RESTART frees the oldest
 * region that is handed out. N = 2 is double buffering. Offsets in bytes::
 *
 *	0		pfm_nway_smpl_hdr_t
 *	128		pfm_nway_smpl_rgn_t of region 0, 1, ... N - 1
 *	hdr_region_offs	region 0, then region 1, ... each hdr_region_size bytes
 *
 * A tool can read the buffer without a lock while the kernel writes to it.
 * docs/formats/nway.md, "Reading the buffer while it is being written", lists
 * all loads and stores in order. In short, copy the first rgn_count samples of
 * a region, and discard the copy if rgn_seq has changed in the meantime. A
 * region whose rgn_state is PFM_NWAY_RGN_READY does not change until a
 * PFM_RESTART frees it.
 */
#ifndef PERFMON_NWAY_SMPL_H
#define PERFMON_NWAY_SMPL_H

#include <perfmon/perfmon_default_smpl.h>

#define PFM_NWAY_SMPL_NAME	"nway"
/* The contents of a sample, in one line for users. */
#define PFM_NWAY_SMPL_SUMMARY \
	"like default, in several regions: one is filled, others are read"
#define PFM_NWAY_SMPL_UUID_STR "70fa5e60-0e12-4a8b-8a49-beac1a9d51ce"
#define PFM_NWAY_SMPL_UUID	PFM_UUID(PFM_NWAY_SMPL_UUID_STR)

#define PFM_NWAY_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/* Offset in bytes of region 0. */
#define PFM_NWAY_REGION_OFFS(num_regions) \
	(sizeof(pfm_nway_smpl_hdr_t) + \
	 (num_regions) * sizeof(pfm_nway_smpl_rgn_t))

#define PFM_NWAY_MIN_REGIONS	2
#define PFM_NWAY_MAX_REGIONS	64

/*
 * Flag of the argument, DOUBLE_FMT_MASK_WHEN_FULL in 6.3.1: when no region is
 * free, mask until PFM_RESTART. Without this flag, samples in the current
 * region are then overwritten.
 */
#define PFM_NWAY_SMPL_MASK_WHEN_FULL	0x1
#define PFM_NWAY_SMPL_ALL		PFM_NWAY_SMPL_MASK_WHEN_FULL

/**
 * struct pfm_nway_smpl_arg_t - argument of the format
 * @buf_size:    size of the buffer in bytes, headers included
 * @buf_flags:   PFM_NWAY_SMPL_* flags; all other bits must be 0
 * @num_regions: number of regions, PFM_NWAY_MIN_REGIONS to PFM_NWAY_MAX_REGIONS
 * @reserved:    must be 0
 */
typedef struct {
	__u64	buf_size;
	__u32	buf_flags;
	__u32	num_regions;
	__u64	reserved[6];
} pfm_nway_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_nway_smpl_arg_t) == 64);
PFM_ASSERT_FIELD(pfm_nway_smpl_arg_t, buf_size, 0, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_arg_t, buf_flags, 8, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_arg_t, num_regions, 12, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_arg_t, reserved, 16, 48);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_NWAY_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_nway_smpl_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_nway_smpl_arg_t, buf_flags, 0, "flags"),		\
	PFM_ARG(pfm_nway_smpl_arg_t, num_regions, 4, "regions") }

/**
 * struct pfm_nway_smpl_hdr_t - first bytes of the buffer
 * @hdr_buf_size:    requested size in bytes
 * @hdr_region_offs: offset in bytes of region 0
 * @hdr_region_size: size in bytes of each region, a multiple of 8
 * @hdr_min_region_space: size in bytes of the largest possible sample; a region
 *                   is full when less than this is left
 * @hdr_num_regions: number of regions, N
 * @hdr_version:     PFM_NWAY_SMPL_VERSION
 * @hdr_buf_flags:   buf_flags of the argument
 * @hdr_cur_region:  region into which samples go
 * @hdr_handed_out:  number of regions handed out since the context was created
 * @hdr_freed:       number of regions freed since the context was created
 * @hdr_overwritten: samples that were overwritten before their region was
 *                   handed out
 * @hdr_dropped:     overflows dropped because all regions were handed out, with
 *                   PFM_NWAY_SMPL_MASK_WHEN_FULL
 * @hdr_reserved:    0
 */
typedef struct {
	__u64	hdr_buf_size;
	__u64	hdr_region_offs;
	__u64	hdr_region_size;
	__u64	hdr_min_region_space;
	__u32	hdr_num_regions;
	__u32	hdr_version;
	__u32	hdr_buf_flags;
	__u32	hdr_cur_region;
	__u64	hdr_handed_out;
	__u64	hdr_freed;
	__u64	hdr_overwritten;
	__u64	hdr_dropped;
	__u64	hdr_reserved[6];
} pfm_nway_smpl_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_nway_smpl_hdr_t) == 128);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_buf_size, 0, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_region_offs, 8, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_region_size, 16, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_min_region_space, 24, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_num_regions, 32, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_version, 36, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_buf_flags, 40, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_cur_region, 44, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_handed_out, 48, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_freed, 56, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_overwritten, 64, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_dropped, 72, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_hdr_t, hdr_reserved, 80, 48);

/* States of a region, rgn_state. */
#define PFM_NWAY_RGN_FREE	0	/* never filled, or freed by restart */
#define PFM_NWAY_RGN_FILLING	1	/* samples go into it */
#define PFM_NWAY_RGN_READY	2	/* handed out: full and stable */

/**
 * struct pfm_nway_smpl_rgn_t - header of a region
 * @rgn_seq:         number of the region's current fill, in one sequence from 1
 *                   for all regions; 0 if the region was never filled
 * @rgn_state:       PFM_NWAY_RGN_*
 * @rgn_reserved1:   0
 * @rgn_count:       number of samples in the region
 * @rgn_size:        size in bytes of these samples
 * @rgn_overwritten: this region's part of hdr_overwritten
 * @rgn_dropped:     part of hdr_dropped: overflows dropped after this region
 *                   became full
 * @rgn_reserved2:   0
 */
typedef struct {
	__u64	rgn_seq;
	__u32	rgn_state;
	__u32	rgn_reserved1;
	__u64	rgn_count;
	__u64	rgn_size;
	__u64	rgn_overwritten;
	__u64	rgn_dropped;
	__u64	rgn_reserved2[2];
} pfm_nway_smpl_rgn_t;

PFM_STATIC_ASSERT(sizeof(pfm_nway_smpl_rgn_t) == 64);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_seq, 0, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_state, 8, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_reserved1, 12, 4);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_count, 16, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_size, 24, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_overwritten, 32, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_dropped, 40, 8);
PFM_ASSERT_FIELD(pfm_nway_smpl_rgn_t, rgn_reserved2, 48, 16);

/* A sample is a pfm_default_smpl_entry_t, followed by PMD values (3.6.4). */

#endif /* PERFMON_NWAY_SMPL_H */
