/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the flight format: the samples before a trigger
 *
 * The buffer is a sink (perfmon_sink.h) that overwrites its oldest records.
 * After a trigger the format freezes the buffer: monitoring is masked until
 * PFM_RESTART, which empties the buffer. A trigger is an overflow of a PMD
 * whose PMC has PFM_REGFL_OVFL_NOTIFY. If the argument has conditions, such an
 * overflow is a trigger only if its sample meets at least one of them.
 */
#ifndef PERFMON_FLIGHT_SMPL_H
#define PERFMON_FLIGHT_SMPL_H

#include <perfmon/perfmon_sink.h>

#define PFM_FLIGHT_SMPL_NAME	"flight"
/* The contents of a sample, in one line for users. */
#define PFM_FLIGHT_SMPL_SUMMARY \
	"the last samples before a trigger: thread, address, time, PMDs"
#define PFM_FLIGHT_SMPL_UUID_STR "b9d0cd6e-d66e-486b-aa83-880009473ebf"
#define PFM_FLIGHT_SMPL_UUID	PFM_UUID(PFM_FLIGHT_SMPL_UUID_STR)

#define PFM_FLIGHT_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/* Stands for "no PMD" in a pfm_flight_smpl_arg_t. */
#define PFM_FLIGHT_SMPL_NO_PMD	0xffff

/**
 * struct pfm_flight_smpl_arg_t - the buffer and the triggers
 * @sink:   the buffer; its flags must include PFM_SINK_OVERWRITE
 * @above:  condition: the sample's value is greater than this; 0 for no
 *          condition
 * @within: condition: the sample misses a deadline, because the last overflow
 *          of @marker is more than this number of ns before the sample; 0 for
 *          no condition
 * @after:  number of samples from a trigger to the freeze. The last of them
 *          freezes the buffer. But if that sample is of a PMD whose PMC lacks
 *          PFM_REGFL_OVFL_NOTIFY, the freeze waits for the next sample of a PMD
 *          whose PMC has this flag
 * @pmd:    PMD whose value is used as the sample's value; 0 is used if the
 *          sample does not record the PMD
 * @minus:  PMD whose value is subtracted from that of @pmd. The result is 0 if
 *          it would be negative, or if the sample does not record this PMD.
 *          PFM_FLIGHT_SMPL_NO_PMD to subtract nothing
 * @marker: PMD whose overflows are markers. Before the first marker, and from a
 *          freeze to the next marker, no sample meets the condition @within
 * @keep:   record only samples whose value is among the @keep largest since the
 *          last freeze; at most 64; 0 to record all samples. Samples that are
 *          not recorded can still be triggers, and @after counts them, too
 */
typedef struct {
	pfm_sink_arg_t	sink;
	__u64		above;
	__u64		within;
	__u16		after;
	__u16		pmd;
	__u16		minus;
	__u16		marker;
	__u64		keep;
} pfm_flight_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_flight_smpl_arg_t) == 48);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, sink, 0, 16);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, above, 16, 8);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, within, 24, 8);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, after, 32, 2);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, pmd, 34, 2);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, minus, 36, 2);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, marker, 38, 2);
PFM_ASSERT_FIELD(pfm_flight_smpl_arg_t, keep, 40, 8);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_FLIGHT_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_flight_smpl_arg_t, sink.buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_flight_smpl_arg_t, sink.num_regions, 16, "regions"), \
	PFM_ARG(pfm_flight_smpl_arg_t, sink.flags, PFM_SINK_OVERWRITE,	\
		"flags"),						\
	PFM_ARG_LIVE(pfm_flight_smpl_arg_t, above, 0, "counts"),	\
	PFM_ARG_LIVE(pfm_flight_smpl_arg_t, within, 0, "ns"),		\
	PFM_ARG_LIVE(pfm_flight_smpl_arg_t, after, 0, "samples"),	\
	PFM_ARG(pfm_flight_smpl_arg_t, pmd, PFM_FLIGHT_SMPL_NO_PMD, "pmd"), \
	PFM_ARG(pfm_flight_smpl_arg_t, minus, PFM_FLIGHT_SMPL_NO_PMD,	\
		"pmd"),							\
	PFM_ARG(pfm_flight_smpl_arg_t, marker, PFM_FLIGHT_SMPL_NO_PMD,	\
		"pmd"),							\
	PFM_ARG(pfm_flight_smpl_arg_t, keep, 0, "samples") }

/**
 * struct pfm_flight_record_t - a record; PMD values follow
 * @tstamp:   time in ns, on the clock that all formats use
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
