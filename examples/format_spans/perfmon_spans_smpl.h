/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_spans_smpl.h - the records of an example format that measures the
 *			  time from one event of a thread to the next
 */
#ifndef PERFMON_SPANS_SMPL_H
#define PERFMON_SPANS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_SPANS_SMPL_UUID_STR \
	"79906c52-77d4-4446-88a6-f065347460db"
#define PFM_SPANS_SMPL_UUID PFM_UUID(PFM_SPANS_SMPL_UUID_STR)

#define PFM_SPANS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_spans_record_t - a record
 * @tgid:     process
 * @tid:      thread
 * @from:     PMD that overflowed at the thread's previous sample
 * @ovfl_pmd: PMD that overflowed
 * @count:    number of samples
 * @sum:      sum of the times since the thread's previous sample, in ns
 * @max:      longest of these times, in ns
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u32	tgid;
	__u32	tid;
	__u32	from;
	__u32	ovfl_pmd;
	__u64	count;
	__u64	sum;
	__u64	max;
} pfm_spans_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_spans_record_t) == 40);
PFM_ASSERT_FIELD(pfm_spans_record_t, tgid, 0, 4);
PFM_ASSERT_FIELD(pfm_spans_record_t, tid, 4, 4);
PFM_ASSERT_FIELD(pfm_spans_record_t, from, 8, 4);
PFM_ASSERT_FIELD(pfm_spans_record_t, ovfl_pmd, 12, 4);
PFM_ASSERT_FIELD(pfm_spans_record_t, count, 16, 8);
PFM_ASSERT_FIELD(pfm_spans_record_t, sum, 24, 8);
PFM_ASSERT_FIELD(pfm_spans_record_t, max, 32, 8);

#endif /* PERFMON_SPANS_SMPL_H */
