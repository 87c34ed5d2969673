/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_intervals_smpl.h - the argument and the records of an example format
 *			      that measures the time between samples of a thread
 */
#ifndef PERFMON_INTERVALS_SMPL_H
#define PERFMON_INTERVALS_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_INTERVALS_SMPL_UUID_STR \
	"9ababbda-1513-4616-8a9c-cf115c83fa0f"
#define PFM_INTERVALS_SMPL_UUID PFM_UUID(PFM_INTERVALS_SMPL_UUID_STR)

#define PFM_INTERVALS_SMPL_VERSION ((1U << 16) | 0U)	/* major.minor */

/**
 * struct pfm_intervals_smpl_arg_t - argument of the format
 * @sink: the buffer
 * @min:  shortest interval that is recorded, in ns
 * @pmd:  PMD whose increase between samples is recorded
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u64		min;
	__u64		pmd;
} pfm_intervals_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_intervals_smpl_arg_t) == 32);
PFM_ASSERT_FIELD(pfm_intervals_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_intervals_smpl_arg_t, min, 16, 8);
PFM_ASSERT_FIELD(pfm_intervals_smpl_arg_t, pmd, 24, 8);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_INTERVALS_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_intervals_smpl_arg_t, sink.buf_size, 65536, "bytes"), \
	PFM_ARG(pfm_intervals_smpl_arg_t, sink.num_regions, 1, "regions"), \
	PFM_ARG(pfm_intervals_smpl_arg_t, sink.flags, 0, "flags"),	\
	PFM_ARG_LIVE(pfm_intervals_smpl_arg_t, min, 0, "ns"),		\
	PFM_ARG(pfm_intervals_smpl_arg_t, pmd, 1, "pmd") }

/**
 * struct pfm_intervals_record_t - a record
 * @tstamp:   time in ns
 * @ip:       instruction pointer
 * @interval: time in ns since the thread's previous sample on this CPU
 * @counted:  increase of the PMD since that sample; 0 if samples do not include
 *            the PMD
 * @tid:      thread
 * @tgid:     its process
 */
typedef struct {
	__u64	tstamp;
	__u64	ip;
	__u64	interval;
	__u64	counted;
	__u32	tid;
	__u32	tgid;
} pfm_intervals_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_intervals_record_t) == 40);
PFM_ASSERT_FIELD(pfm_intervals_record_t, tstamp, 0, 8);
PFM_ASSERT_FIELD(pfm_intervals_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_intervals_record_t, interval, 16, 8);
PFM_ASSERT_FIELD(pfm_intervals_record_t, counted, 24, 8);
PFM_ASSERT_FIELD(pfm_intervals_record_t, tid, 32, 4);
PFM_ASSERT_FIELD(pfm_intervals_record_t, tgid, 36, 4);

#endif /* PERFMON_INTERVALS_SMPL_H */
