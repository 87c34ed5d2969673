/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_plain_smpl.h - two out-of-tree formats, as an author might write them
 */
#ifndef PERFMON_PLAIN_SMPL_H
#define PERFMON_PLAIN_SMPL_H

#include <perfmon/perfmon.h>

/* 6a1e1a5c-6df5-4a4e-a3ac-2ab2ce5d6f01: a format with only a handler */
#define PFM_PLAIN_SMPL_UUID {						\
	0x6a, 0x1e, 0x1a, 0x5c, 0x6d, 0xf5, 0x4a, 0x4e,			\
	0xa3, 0xac, 0x2a, 0xb2, 0xce, 0x5d, 0x6f, 0x01 }
#define PFM_PLAIN_SMPL_UUID_STR "6a1e1a5c-6df5-4a4e-a3ac-2ab2ce5d6f01"

/* 6a1e1a5c-6df5-4a4e-a3ac-2ab2ce5d6f02: a format with optional call-backs */
#define PFM_AREA_SMPL_UUID {						\
	0x6a, 0x1e, 0x1a, 0x5c, 0x6d, 0xf5, 0x4a, 0x4e,			\
	0xa3, 0xac, 0x2a, 0xb2, 0xce, 0x5d, 0x6f, 0x02 }
#define PFM_AREA_SMPL_UUID_STR "6a1e1a5c-6df5-4a4e-a3ac-2ab2ce5d6f02"

/*
 * The argument of the format "area": the sizes of the buffer and the private
 * area, the return value of fmt_init, and whether the handler writes out of
 * bounds.
 */
typedef struct {
	__u64	buf_size;
	__u64	area_size;
	__s32	error;
	__u32	beyond;			/* 1: write past buffer, 2: past area */
} pfm_area_smpl_arg_t;

/* The number of calls of fmt_exit. */
extern int pfm_area_exits;

#endif /* PERFMON_PLAIN_SMPL_H */
