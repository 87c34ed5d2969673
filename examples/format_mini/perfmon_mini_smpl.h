/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_mini_smpl.h - the records of an example format whose buffer is a sink
 *			 (perfmon_sink.h). A record has an instruction pointer,
 *			 a thread ID and values of PMDs.
 */
#ifndef PERFMON_MINI_SMPL_H
#define PERFMON_MINI_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_MINI_SMPL_UUID_STR "31a25ba0-2564-439a-9d56-4965f97e6f23"
#define PFM_MINI_SMPL_UUID	PFM_UUID(PFM_MINI_SMPL_UUID_STR)

#define PFM_MINI_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_mini_record_t - a record; values of PMDs follow
 * @ip:       instruction pointer
 * @tid:      thread
 * @num_pmds: number of 64-bit values that follow
 */
typedef struct {
	__u64	ip;
	__u32	tid;
	__u32	num_pmds;
} pfm_mini_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_mini_record_t) == 16);
PFM_ASSERT_FIELD(pfm_mini_record_t, ip, 0, 8);
PFM_ASSERT_FIELD(pfm_mini_record_t, tid, 8, 4);
PFM_ASSERT_FIELD(pfm_mini_record_t, num_pmds, 12, 4);

#endif /* PERFMON_MINI_SMPL_H */
