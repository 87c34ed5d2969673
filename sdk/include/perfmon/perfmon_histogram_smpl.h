/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the histogram format
 *
 * The format counts samples by process, event and address.
 *
 * The argument is a pfm_sink_arg_t, with num_regions at most 1 and flags 0. The
 * buffer is a table (perfmon_sink.h); its size limits the number of records.
 */
#ifndef PERFMON_HISTOGRAM_SMPL_H
#define PERFMON_HISTOGRAM_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_HISTOGRAM_SMPL_NAME	"histogram"
/* The contents of a sample, in one line for users. */
#define PFM_HISTOGRAM_SMPL_SUMMARY \
	"a count per process, event and address, kept in the kernel"
#define PFM_HISTOGRAM_SMPL_UUID_STR "7e053c7a-52c0-4536-84e9-10d7885f57c9"
#define PFM_HISTOGRAM_SMPL_UUID	PFM_UUID(PFM_HISTOGRAM_SMPL_UUID_STR)

#define PFM_HISTOGRAM_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_histogram_record_t - a record: the key and its count
 * @ovfl_pmd: PMD that overflowed
 * @set:      event set that was active
 * @tgid:     process
 * @ip:       instruction pointer
 * @count:    number of samples with this key
 */
typedef struct {
	__u16	ovfl_pmd;
	__u16	set;
	__u32	tgid;
	__u64	ip;
	__u64	count;
} pfm_histogram_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_histogram_record_t) == 24);
PFM_ASSERT_FIELD(pfm_histogram_record_t, ovfl_pmd, 0, 2);
PFM_ASSERT_FIELD(pfm_histogram_record_t, set, 2, 2);
PFM_ASSERT_FIELD(pfm_histogram_record_t, tgid, 4, 4);
PFM_ASSERT_FIELD(pfm_histogram_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_histogram_record_t, count, 16, 8);

#endif /* PERFMON_HISTOGRAM_SMPL_H */
