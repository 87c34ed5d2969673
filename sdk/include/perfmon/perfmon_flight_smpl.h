/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the flight format: the samples before an event
 *
 * The buffer is a sink (perfmon_sink.h) that overwrites its oldest records.
 * When a PMD whose PMC has PFM_REGFL_OVFL_NOTIFY overflows, the recorder
 * freezes: monitoring is masked until PFM_RESTART, which empties the buffer.
 */
#ifndef PERFMON_FLIGHT_SMPL_H
#define PERFMON_FLIGHT_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_FLIGHT_SMPL_NAME	"flight"
/* Describes a sample in one line. */
#define PFM_FLIGHT_SMPL_SUMMARY \
	"the last samples before an event: thread, address, time, PMDs"
#define PFM_FLIGHT_SMPL_UUID_STR "b9d0cd6e-d66e-486b-aa83-880009473ebf"
#define PFM_FLIGHT_SMPL_UUID	PFM_UUID(PFM_FLIGHT_SMPL_UUID_STR)

#define PFM_FLIGHT_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/* Fields of the argument, a pfm_sink_arg_t; see PFM_FMT_ARG(). */
#define PFM_FLIGHT_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_sink_arg_t, buf_size, 65536, "bytes"),		\
	PFM_ARG(pfm_sink_arg_t, num_regions, 16, "regions"),		\
	PFM_ARG(pfm_sink_arg_t, flags, PFM_SINK_OVERWRITE, "flags") }

/**
 * struct pfm_flight_record_t - a record; PMD values follow
 * @tstamp:   time in ns, on the clock of all samples
 * @ip:       instruction pointer
 * @tid:      thread
 * @tgid:     its process
 * @ovfl_pmd: PMD that overflowed
 * @cpu:      CPU
 * @set:      event set that was active
 * @num_pmds: number of 64-bit PMD values that follow
 */
typedef struct {
	__u64	tstamp;
	__u64	ip;
	__u32	tid;
	__u32	tgid;
	__u16	ovfl_pmd;
	__u16	cpu;
	__u16	set;
	__u16	num_pmds;
} pfm_flight_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_flight_record_t) == 32);
PFM_ASSERT_FIELD(pfm_flight_record_t, tstamp, 0, 8);
PFM_ASSERT_FIELD(pfm_flight_record_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_flight_record_t, tid, 16, 4);
PFM_ASSERT_FIELD(pfm_flight_record_t, tgid, 20, 4);
PFM_ASSERT_FIELD(pfm_flight_record_t, ovfl_pmd, 24, 2);
PFM_ASSERT_FIELD(pfm_flight_record_t, cpu, 26, 2);
PFM_ASSERT_FIELD(pfm_flight_record_t, set, 28, 2);
PFM_ASSERT_FIELD(pfm_flight_record_t, num_pmds, 30, 2);

#endif /* PERFMON_FLIGHT_SMPL_H */
