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

/*
 * The device with the samples of all contexts. Only one program can open it.
 */
#define PFM_NEWFMT_DEVICE	"/dev/pfm_newfmt"
/*
 * Number of records in each CPU's ring, a power of two. While the ring is full,
 * samples are lost.
 */
#define PFM_NEWFMT_RECORDS	4096

/* Version of the records: major.minor. A new major version is incompatible. */
#define PFM_NEWFMT_SMPL_VERSION	((1U << 16) | 0U)

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_newfmt_record_t - a sample
 * RECORD_ABOUT
 */
typedef struct {
	RECORD_MEMBERS
} pfm_newfmt_record_t;

#pragma GCC diagnostic pop

#endif /* PERFMON_NEWFMT_SMPL_H */
