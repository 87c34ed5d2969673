/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_newfmt_smpl.h - the counts of a sampling format
 *
 * Copyright YEAR AUTHOR
 *
 * The buffer is a table, described in perfmon_sink.h; its size limits the
 * number of records. In the argument, num_regions is at most 1, and flags is 0.
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

/* Refuse padding, so that the layout is the same on all machines. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/**
 * struct pfm_newfmt_arg_t - argument of the format
 * ARG_ABOUT
 */
typedef struct {
	ARG_MEMBERS
} pfm_newfmt_arg_t;

/**
 * struct pfm_newfmt_record_t - a record: key, count, values
 * RECORD_ABOUT
 */
typedef struct {
	RECORD_MEMBERS
} pfm_newfmt_record_t;

#pragma GCC diagnostic pop

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_NEWFMT_ARG_LAYOUT { \
	ARG_LAYOUT }

#endif /* PERFMON_NEWFMT_SMPL_H */
