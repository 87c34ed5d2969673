/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the cgroup_counts format: counts of control groups
 *
 * At each sample, the format adds the events since the previous sample to the
 * counts of the groups that contain the thread. A system-wide context that
 * samples each context switch counts each event for the thread that was
 * running. The buffer is a table (perfmon_sink.h); num_regions is at most 1,
 * and flags is 0.
 */
#ifndef PERFMON_CGROUP_COUNTS_SMPL_H
#define PERFMON_CGROUP_COUNTS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_CGROUP_COUNTS_SMPL_NAME	"cgroup_counts"
/* The contents of a sample, in one line for users. */
#define PFM_CGROUP_COUNTS_SMPL_SUMMARY \
	"the counts of each control group, kept in the kernel"
#define PFM_CGROUP_COUNTS_SMPL_UUID_STR "f970f848-ac78-4b5c-a2ff-e716da8de985"
#define PFM_CGROUP_COUNTS_SMPL_UUID \
	PFM_UUID(PFM_CGROUP_COUNTS_SMPL_UUID_STR)

#define PFM_CGROUP_COUNTS_SMPL_VERSION ((1U << 16) | 0U) /* major.minor */

/* Number of groups at most, and of PMDs whose events are counted. */
#define PFM_CGROUP_COUNTS_GROUPS	63
#define PFM_CGROUP_COUNTS_PMDS		32

/**
 * struct pfm_cgroup_counts_smpl_arg_t - argument of the format
 * @sink:       layout of the buffer
 * @num_groups: number of groups; 0 to count each group separately, without its
 *              descendants
 * @groups:     descriptors of the groups' directories (cgroup v2)
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u32		num_groups;
	__s32		groups[PFM_CGROUP_COUNTS_GROUPS];
} pfm_cgroup_counts_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_cgroup_counts_smpl_arg_t) == 272);
PFM_ASSERT_FIELD(pfm_cgroup_counts_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_cgroup_counts_smpl_arg_t, num_groups, 16, 4);
PFM_ASSERT_FIELD(pfm_cgroup_counts_smpl_arg_t, groups, 20, 252);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_CGROUP_COUNTS_SMPL_ARG_LAYOUT {				\
	PFM_ARG(pfm_cgroup_counts_smpl_arg_t, sink.buf_size, 65536, "bytes"), \
	PFM_ARG(pfm_cgroup_counts_smpl_arg_t, sink.num_regions, 1, "regions"), \
	PFM_ARG(pfm_cgroup_counts_smpl_arg_t, sink.flags, 0, "flags") }

/**
 * struct pfm_cgroup_counts_record_t - a record; @group is the key
 * @group:   index of the group in the argument; with num_groups 0: inode number
 *           of the group's directory
 * @samples: number of samples
 * @counts:  number of events of each recorded PMD, indexed by PMD
 */
typedef struct {
	__u64	group;
	__u64	samples;
	__u64	counts[PFM_CGROUP_COUNTS_PMDS];
} pfm_cgroup_counts_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_cgroup_counts_record_t) == 272);
PFM_ASSERT_FIELD(pfm_cgroup_counts_record_t, group, 0, 8);
PFM_ASSERT_FIELD(pfm_cgroup_counts_record_t, samples, 8, 8);
PFM_ASSERT_FIELD(pfm_cgroup_counts_record_t, counts, 16, 256);

#endif /* PERFMON_CGROUP_COUNTS_SMPL_H */
