/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_newfmt_smpl.h - what a sampling format counts
 *
 * Copyright YEAR AUTHOR
 *
 * Argument: a pfm_sink_arg_t, num_regions at most 1, flags 0. The buffer
 * is that of perfmon_hist.h; its size is how many records there can be.
 */
#ifndef PERFMON_NEWFMT_SMPL_H
#define PERFMON_NEWFMT_SMPL_H

#include <perfmon/perfmon_hist.h>

#define PFM_NEWFMT_SMPL_UUID_STR \
	"00000000-0000-0000-0000-000000000000"
#define PFM_NEWFMT_SMPL_UUID \
	PFM_UUID(PFM_NEWFMT_SMPL_UUID_STR)

/* Of the records, major.minor: who knows another major one cannot read them. */
#define PFM_NEWFMT_SMPL_VERSION	((1U << 16) | 0U)

/**
 * typedef pfm_newfmt_record_t - its pfm_hist_record_t
 * @event: eventid of what overflowed, the lower half of the first key
 * @tgid:  process, the upper half
 * @ip:    instruction pointer, the second key
 * @count: samples that had all these
 */
typedef struct {
	__u32	event;
	__u32	tgid;
	__u64	ip;
	__u64	count;
} pfm_newfmt_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_newfmt_record_t) ==
		  sizeof(pfm_hist_record_t));
PFM_ASSERT_FIELD(pfm_newfmt_record_t, event, 0, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tgid, 4, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, count, 16, 8);

#endif /* PERFMON_NEWFMT_SMPL_H */
