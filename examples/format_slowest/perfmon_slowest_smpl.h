/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_slowest_smpl.h - the argument and the records of an example format
 *			    that keeps the slowest accesses
 */
#ifndef PERFMON_SLOWEST_SMPL_H
#define PERFMON_SLOWEST_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_SLOWEST_SMPL_UUID_STR \
	"c8ca3eb0-4f80-4474-9a61-98ebb9b14fd8"
#define PFM_SLOWEST_SMPL_UUID PFM_UUID(PFM_SLOWEST_SMPL_UUID_STR)

#define PFM_SLOWEST_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/* Largest number of callers in a record. */
#define PFM_SLOWEST_DEPTH	16

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_slowest_smpl_arg_t - argument of the format
 * @sink: the buffer
 * @keep: number of accesses to keep, clamped to 1 to 64
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u64		keep;
} pfm_slowest_smpl_arg_t;

/**
 * struct pfm_slowest_record_t - an access that was among the slowest so far
 * @tstamp:      time in ns
 * @ip:          instruction pointer
 * @addr:        data address
 * @latency:     latency in cycles
 * @tid:         thread
 * @tgid:        its process
 * @ovfl_pmd:    PMD that overflowed
 * @num_callers: number of 64-bit addresses that follow: the callers in user
 *               space
 */
typedef struct {
	__u64	tstamp;
	__u64	ip;
	__u64	addr;
	__u64	latency;
	__u32	tid;
	__u32	tgid;
	__u32	ovfl_pmd;
	__u32	num_callers;
} pfm_slowest_record_t;

#pragma GCC diagnostic pop

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_SLOWEST_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_slowest_smpl_arg_t, sink.buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_slowest_smpl_arg_t, sink.num_regions, 1, "regions"), \
	PFM_ARG(pfm_slowest_smpl_arg_t, sink.flags, 0, "flags"),	\
	PFM_ARG(pfm_slowest_smpl_arg_t, keep, 16, "accesses") }

#endif /* PERFMON_SLOWEST_SMPL_H */
