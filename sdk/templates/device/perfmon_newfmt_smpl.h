/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_newfmt_smpl.h - the records of a sampling format
 *
 * Copyright YEAR AUTHOR
 *
 * There is no argument and no buffer: programs read complete records from the
 * device. Records of one CPU are in order.
 */
#ifndef PERFMON_NEWFMT_SMPL_H
#define PERFMON_NEWFMT_SMPL_H

#include <perfmon/perfmon.h>

#define PFM_NEWFMT_SMPL_UUID_STR \
	"00000000-0000-0000-0000-000000000000"
#define PFM_NEWFMT_SMPL_UUID \
	PFM_UUID(PFM_NEWFMT_SMPL_UUID_STR)

/* Its reader gets the samples of all contexts; a second open fails: EBUSY. */
#define PFM_NEWFMT_DEVICE	"/dev/pfm_newfmt"
/* Records that each CPU has room for, a power of two; others are lost. */
#define PFM_NEWFMT_RECORDS	4096

/* Version of the records: major.minor. A new major version is incompatible. */
#define PFM_NEWFMT_SMPL_VERSION	((1U << 16) | 0U)

/**
 * struct pfm_newfmt_record_t - a sample
 * @ip:      instruction pointer
 * @tstamp:  time in ns
 * @event:   eventid of the event that overflowed
 * @tid:     thread
 * @tgid:    its process
 * @cpu:     CPU
 * @version: PFM_NEWFMT_SMPL_VERSION
 */
typedef struct {
	__u64	ip;
	__u64	tstamp;
	__u64	event;
	__u32	tid;
	__u32	tgid;
	__u32	cpu;
	__u32	version;
} pfm_newfmt_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_newfmt_record_t) == 40);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, ip, 0, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tstamp, 8, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, event, 16, 8);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tid, 24, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, tgid, 28, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, cpu, 32, 4);
PFM_ASSERT_FIELD(pfm_newfmt_record_t, version, 36, 4);

#endif /* PERFMON_NEWFMT_SMPL_H */
