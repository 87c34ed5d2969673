/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_count_smpl.h - the buffer of an example format that counts overflows
 *			  by event
 */
#ifndef PERFMON_COUNT_SMPL_H
#define PERFMON_COUNT_SMPL_H

#include <perfmon/perfmon.h>

#define PFM_COUNT_SMPL_UUID_STR "ab3b0f7e-5f0c-4d6f-9d4a-5b9d8e0c4a11"
#define PFM_COUNT_SMPL_UUID	PFM_UUID(PFM_COUNT_SMPL_UUID_STR)

#define PFM_COUNT_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */
#define PFM_COUNT_MAX_EVENTS	256

/* Argument of the format: eventids 0 to num_events - 1 have a count each. */
typedef struct {
	__u32	num_events;
	__u32	reserved;		/* must be 0 */
} pfm_count_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_count_smpl_arg_t) == 8);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_COUNT_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_count_smpl_arg_t, num_events, 16, "events") }

/* Header of the buffer. A 64-bit count for each event follows it. */
typedef struct {
	__u32	hdr_version;
	__u32	hdr_num_events;
	__u64	hdr_others;		/* overflows of all other events */
} pfm_count_smpl_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_count_smpl_hdr_t) == 16);

#endif /* PERFMON_COUNT_SMPL_H */
