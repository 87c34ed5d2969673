/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_lines_smpl.h - the argument and the records of an example format that
 *			  sums latencies by cache line
 */
#ifndef PERFMON_LINES_SMPL_H
#define PERFMON_LINES_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_LINES_SMPL_UUID_STR \
	"5f368392-1b0e-4bfe-b54d-516bb305a490"
#define PFM_LINES_SMPL_UUID PFM_UUID(PFM_LINES_SMPL_UUID_STR)

#define PFM_LINES_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_lines_smpl_arg_t - argument of the format
 * @sink: the buffer, which has one region
 * @min:  smallest latency that is recorded, in cycles
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u64		min;
} pfm_lines_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_lines_smpl_arg_t) == 24);
PFM_ASSERT_FIELD(pfm_lines_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_lines_smpl_arg_t, min, 16, 8);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_LINES_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_lines_smpl_arg_t, sink.buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_lines_smpl_arg_t, sink.num_regions, 1, "regions"),	\
	PFM_ARG(pfm_lines_smpl_arg_t, sink.flags, 0, "flags"),		\
	PFM_ARG_LIVE(pfm_lines_smpl_arg_t, min, 0, "cycles") }

/**
 * struct pfm_lines_record_t - a record
 * @line:     address of the cache line; 0 for accesses without an address
 * @tid:      thread
 * @ovfl_pmd: PMD that overflowed
 * @count:    number of accesses
 * @sum:      sum of their latencies
 * @max:      largest latency
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	line;
	__u32	tid;
	__u32	ovfl_pmd;
	__u64	count;
	__u64	sum;
	__u64	max;
} pfm_lines_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_lines_record_t) == 40);
PFM_ASSERT_FIELD(pfm_lines_record_t, line, 0, 8);
PFM_ASSERT_FIELD(pfm_lines_record_t, tid, 8, 4);
PFM_ASSERT_FIELD(pfm_lines_record_t, ovfl_pmd, 12, 4);
PFM_ASSERT_FIELD(pfm_lines_record_t, count, 16, 8);
PFM_ASSERT_FIELD(pfm_lines_record_t, sum, 24, 8);
PFM_ASSERT_FIELD(pfm_lines_record_t, max, 32, 8);

#endif /* PERFMON_LINES_SMPL_H */
