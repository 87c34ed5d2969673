/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_threshold_smpl.h - the argument and the records of an example format
 *			      that skips samples after a small increase of a PMD
 */
#ifndef PERFMON_THRESHOLD_SMPL_H
#define PERFMON_THRESHOLD_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_THRESHOLD_SMPL_UUID_STR \
	"0d1acb0d-1225-4ec7-94b8-64409eabb118"
#define PFM_THRESHOLD_SMPL_UUID PFM_UUID(PFM_THRESHOLD_SMPL_UUID_STR)

#define PFM_THRESHOLD_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_threshold_smpl_arg_t - argument of the format
 * @sink: the buffer
 * @min:  smallest difference that is recorded; 0 records all samples
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u64		min;
} pfm_threshold_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_threshold_smpl_arg_t) == 24);
PFM_ASSERT_FIELD(pfm_threshold_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_threshold_smpl_arg_t, min, 16, 8);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_THRESHOLD_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_threshold_smpl_arg_t, sink.buf_size, 65536, "bytes"), \
	PFM_ARG(pfm_threshold_smpl_arg_t, sink.num_regions, 1, "regions"), \
	PFM_ARG(pfm_threshold_smpl_arg_t, sink.flags, 0, "flags"),	\
	PFM_ARG_LIVE(pfm_threshold_smpl_arg_t, min, 0, "counts") }

/**
 * struct pfm_threshold_record_t - a record
 * @ip:         instruction pointer
 * @difference: increase of the first PMD that samples include, since the
 *              previous overflow of @ovfl_pmd, even if the sample of that
 *              overflow was skipped
 * @tid:        thread
 * @ovfl_pmd:   PMD that overflowed
 */
typedef struct {
	__u64	ip;
	__u64	difference;
	__u32	tid;
	__u32	ovfl_pmd;
} pfm_threshold_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_threshold_record_t) == 24);
PFM_ASSERT_FIELD(pfm_threshold_record_t, ip, 0, 8);
PFM_ASSERT_FIELD(pfm_threshold_record_t, difference, 8, 8);
PFM_ASSERT_FIELD(pfm_threshold_record_t, tid, 16, 4);
PFM_ASSERT_FIELD(pfm_threshold_record_t, ovfl_pmd, 20, 4);

#endif /* PERFMON_THRESHOLD_SMPL_H */
