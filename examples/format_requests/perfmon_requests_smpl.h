/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_requests_smpl.h - the argument and the records of an example format
 *			     that sums the values of a PMD for each request
 */
#ifndef PERFMON_REQUESTS_SMPL_H
#define PERFMON_REQUESTS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_REQUESTS_SMPL_UUID_STR \
	"1d10eef8-1fbc-4564-9e06-fad520385487"
#define PFM_REQUESTS_SMPL_UUID PFM_UUID(PFM_REQUESTS_SMPL_UUID_STR)

#define PFM_REQUESTS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_requests_smpl_arg_t - argument of the format
 * @sink: the buffer, which has one region
 * @id:   PMD whose value identifies the request
 * @pmd:  PMD whose values are summed
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u32		id;
	__u32		pmd;
} pfm_requests_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_requests_smpl_arg_t) == 24);
PFM_ASSERT_FIELD(pfm_requests_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_requests_smpl_arg_t, id, 16, 4);
PFM_ASSERT_FIELD(pfm_requests_smpl_arg_t, pmd, 20, 4);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_REQUESTS_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_requests_smpl_arg_t, sink.buf_size, 65536, "bytes"), \
	PFM_ARG(pfm_requests_smpl_arg_t, sink.num_regions, 1, "regions"), \
	PFM_ARG(pfm_requests_smpl_arg_t, sink.flags, 0, "flags"),	\
	PFM_ARG(pfm_requests_smpl_arg_t, id, PFM_PMD_TID, "pmd"),	\
	PFM_ARG(pfm_requests_smpl_arg_t, pmd, 1, "pmd") }

/**
 * struct pfm_requests_record_t - a record
 * @request:  value of the PMD that the argument's @id selects; 0 if the sample
 *            does not include this PMD
 * @tid:      thread
 * @ovfl_pmd: PMD that overflowed
 * @count:    number of samples
 * @sum:      sum of the values of the PMD that the argument's @pmd selects
 * @min:      smallest of these values
 * @max:      largest of these values
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	request;
	__u32	tid;
	__u32	ovfl_pmd;
	__u64	count;
	__u64	sum;
	__u64	min;
	__u64	max;
} pfm_requests_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_requests_record_t) == 48);
PFM_ASSERT_FIELD(pfm_requests_record_t, request, 0, 8);
PFM_ASSERT_FIELD(pfm_requests_record_t, tid, 8, 4);
PFM_ASSERT_FIELD(pfm_requests_record_t, ovfl_pmd, 12, 4);
PFM_ASSERT_FIELD(pfm_requests_record_t, count, 16, 8);
PFM_ASSERT_FIELD(pfm_requests_record_t, sum, 24, 8);
PFM_ASSERT_FIELD(pfm_requests_record_t, min, 32, 8);
PFM_ASSERT_FIELD(pfm_requests_record_t, max, 40, 8);

#endif /* PERFMON_REQUESTS_SMPL_H */
