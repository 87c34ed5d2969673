/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_sharing_smpl.h - the records of an example format that finds cache
 *			    lines that several threads of a process write
 */
#ifndef PERFMON_SHARING_SMPL_H
#define PERFMON_SHARING_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_SHARING_SMPL_UUID_STR \
	"0e114e24-a63c-4dbd-b080-59754600e340"
#define PFM_SHARING_SMPL_UUID PFM_UUID(PFM_SHARING_SMPL_UUID_STR)

#define PFM_SHARING_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_sharing_record_t - a record
 * @line:       address of the cache line
 * @tgid:       process, because other processes have other data at the same
 *              address
 * @event:      eventid of the event that overflowed
 * @count:      number of sampled writes
 * @min_tid:    smallest thread ID among the writers
 * @max_tid:    largest thread ID among the writers; if it differs from
 *              @min_tid, several threads wrote
 * @min_offset: smallest offset in the line that was written
 * @max_offset: largest offset in the line that was written
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	line;
	__u32	tgid;
	__u32	event;
	__u64	count;
	__u32	min_tid;
	__u32	max_tid;
	__u32	min_offset;
	__u32	max_offset;
} pfm_sharing_record_t;

#pragma GCC diagnostic pop

#endif /* PERFMON_SHARING_SMPL_H */
