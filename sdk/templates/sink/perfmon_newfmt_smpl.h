/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_newfmt_smpl.h - the records of a sampling format
 *
 * Copyright YEAR AUTHOR
 *
 * Argument: a pfm_sink_arg_t. The buffer is a sink (perfmon_sink.h).
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

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_NEWFMT_ARG_LAYOUT { \
	PFM_ARG(pfm_sink_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, NUM_REGIONS, "regions"),	\
	PFM_ARG(pfm_sink_arg_t, flags, 0, "flags") }

/**
 * struct pfm_newfmt_record_t - a sample; values of PMDs follow
 * @ip:       instruction pointer
 * @tstamp:   time in ns
 * @event:    eventid of the event that overflowed
 * @tid:      thread
 * @tgid:     its process
 * @cpu:      CPU
 * @num_pmds: number of 64-bit values that follow
 */
typedef struct {
	__u64	ip;
	__u64	tstamp;
	__u64	event;
	__u32	tid;
	__u32	tgid;
	__u32	cpu;
	__u32	num_pmds;
} pfm_newfmt_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_newfmt_record_t) == 40);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, ip, 0, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tstamp, 8, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, event, 16, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tid, 24, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tgid, 28, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, cpu, 32, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, num_pmds, 36, 4);

#endif /* PERFMON_NEWFMT_SMPL_H */
