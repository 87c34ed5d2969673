/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_newfmt_smpl.h - the counts of a sampling format
 *
 * Copyright YEAR AUTHOR
 *
 * Argument: a pfm_sink_arg_t, num_regions at most 1, flags 0. The buffer is a
 * table, described in perfmon_sink.h; its size limits the number of records.
 */
#ifndef PERFMON_NEWFMT_SMPL_H
#define PERFMON_NEWFMT_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_NEWFMT_SMPL_UUID_STR \
	"00000000-0000-0000-0000-000000000000"
#define PFM_NEWFMT_SMPL_UUID \
	PFM_UUID(PFM_NEWFMT_SMPL_UUID_STR)

/* Version of the records: major.minor. A new major version is incompatible. */
#define PFM_NEWFMT_SMPL_VERSION	((1U << 16) | 0U)

/**
 * struct pfm_newfmt_record_t - a record: the key and its count
 * @event: eventid of the event that overflowed
 * @tgid:  process
 * @ip:    instruction pointer
 * @count: number of samples with this key
 */
typedef struct {
	__u32	event;
	__u32	tgid;
	__u64	ip;
	__u64	count;
} pfm_newfmt_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_newfmt_record_t) == 24);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, event, 0, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tgid, 4, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, count, 16, 8);

#endif /* PERFMON_NEWFMT_SMPL_H */
