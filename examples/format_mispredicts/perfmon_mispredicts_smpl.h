/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_mispredicts_smpl.h - the records of an example format that counts
 *				mispredicted branches
 */
#ifndef PERFMON_MISPREDICTS_SMPL_H
#define PERFMON_MISPREDICTS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_MISPREDICTS_SMPL_UUID_STR \
	"e24d53e7-ebac-4f5b-9033-928582fba7bc"
#define PFM_MISPREDICTS_SMPL_UUID PFM_UUID(PFM_MISPREDICTS_SMPL_UUID_STR)

#define PFM_MISPREDICTS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_mispredicts_record_t - a record
 * @branch_to:   target of the branch
 * @branch_from: address of the branch
 * @tgid:        process
 * @event:       eventid of the event that overflowed
 * @count:       number of samples
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	branch_to;
	__u64	branch_from;
	__u32	tgid;
	__u32	event;
	__u64	count;
} pfm_mispredicts_record_t;

#pragma GCC diagnostic pop

#endif /* PERFMON_MISPREDICTS_SMPL_H */
