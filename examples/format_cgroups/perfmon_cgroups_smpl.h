/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_cgroups_smpl.h - the records of an example format that counts
 *			    samples by control group
 */
#ifndef PERFMON_CGROUPS_SMPL_H
#define PERFMON_CGROUPS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_CGROUPS_SMPL_UUID_STR \
	"949a3d34-f184-4226-9614-223a92bbb268"
#define PFM_CGROUPS_SMPL_UUID PFM_UUID(PFM_CGROUPS_SMPL_UUID_STR)

#define PFM_CGROUPS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_cgroups_record_t - a record
 * @cgroup_id: inode number of the directory in /sys/fs/cgroup; 0 if unknown
 * @event:     eventid of the event that overflowed
 * @count:     number of samples
 *
 * The members before @count are the key: the table has one record for each
 * combination of their values.
 */
typedef struct {
	__u64	cgroup_id;
	__u64	event;
	__u64	count;
} pfm_cgroups_record_t;

#pragma GCC diagnostic pop

#endif /* PERFMON_CGROUPS_SMPL_H */
