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

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

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

#pragma GCC diagnostic pop

#endif /* PERFMON_NEWFMT_SMPL_H */
