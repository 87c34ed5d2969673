/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the default format (3.6)
 *
 * UUID and layout are the same as in perfmon 2.2, on all architectures. The two
 * flags that shorten the entry header come from the specification. Raw time
 * stamps are an addition, and use reserved fields of the buffer's header.
 */
#ifndef PERFMON_DEFAULT_SMPL_H
#define PERFMON_DEFAULT_SMPL_H

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_time.h>

#define PFM_DFL_SMPL_NAME	"default"
/* The contents of a sample, in one line for users. */
#define PFM_DFL_SMPL_SUMMARY \
	"thread, address, time and PMDs; or address and PMDs; or only PMDs"
#define PFM_DFL_SMPL_UUID_STR "d139b29e-62e8-40e4-b402-73078792e937"
#define PFM_DFL_SMPL_UUID	PFM_UUID(PFM_DFL_SMPL_UUID_STR)

#define PFM_DFL_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/* Flags of the argument, buf_flags (3.6.2): at most one of them may be set. */
#define PFM_DFL_SMPL_NO_HDR	0x1	/* entries have no header */
#define PFM_DFL_SMPL_IIP_HDR	0x2	/* entry headers have only the ip */
#define PFM_DFL_SMPL_RAW_TIME	0x4	/* raw time stamps (perfmon_time.h) */
#define PFM_DFL_SMPL_SHORT	(PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR)
#define PFM_DFL_SMPL_ALL	(PFM_DFL_SMPL_SHORT | PFM_DFL_SMPL_RAW_TIME)

/**
 * struct pfm_default_smpl_arg_t - argument of the format (3.6.2)
 * @buf_size:  size of the buffer in bytes, header included
 * @buf_flags: PFM_DFL_SMPL_* flags; all other bits must be 0
 * @reserved1: must be 0
 * @reserved2: must be 0
 */
typedef struct {
	__u64	buf_size;
	__u32	buf_flags;
	__u32	reserved1;
	__u64	reserved2[6];
} pfm_default_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_default_smpl_arg_t) == 64);
PFM_ASSERT_FIELD(pfm_default_smpl_arg_t, buf_size, 0, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_arg_t, buf_flags, 8, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_arg_t, reserved1, 12, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_arg_t, reserved2, 16, 48);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_DFL_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_default_smpl_arg_t, buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_default_smpl_arg_t, buf_flags, 0, "flags") }

/**
 * struct pfm_default_smpl_hdr_t - first bytes of the buffer (3.6.3)
 * @hdr_count:         entries since the buffer was last reset
 * @hdr_cur_offs:      offset in bytes of the first byte after the last entry
 * @hdr_overflows:     number of times the buffer became full; never reset
 * @hdr_buf_size:      requested size in bytes
 * @hdr_min_buf_space: size in bytes of the largest possible entry; the buffer
 *                     is full when less than this is left
 * @hdr_version:       PFM_DFL_SMPL_VERSION
 * @hdr_buf_flags:     buf_flags of the argument
 * @hdr_time_zero:     with PFM_DFL_SMPL_RAW_TIME, conversion of @tstamp of the
 *                     entries to ns: see pfm_time_conv_t; else 0
 * @hdr_time_mult:     likewise
 * @hdr_time_shift:    likewise
 * @hdr_reserved:      0
 *
 * The kernel writes the entry first, then @hdr_cur_offs, then @hdr_count. A
 * reader that loads @hdr_count with acquire ordering therefore finds that many
 * complete entries.
 */
typedef struct {
	__u64	hdr_count;
	__u64	hdr_cur_offs;
	__u64	hdr_overflows;
	__u64	hdr_buf_size;
	__u64	hdr_min_buf_space;
	__u32	hdr_version;
	__u32	hdr_buf_flags;
	__u64	hdr_time_zero;
	__u32	hdr_time_mult;
	__u32	hdr_time_shift;
	__u64	hdr_reserved[8];
} pfm_default_smpl_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_default_smpl_hdr_t) == 128);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_count, 0, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_cur_offs, 8, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_overflows, 16, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_buf_size, 24, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_min_buf_space, 32, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_version, 40, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_buf_flags, 44, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_time_zero, 48, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_time_mult, 56, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_time_shift, 60, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_hdr_t, hdr_reserved, 64, 64);

/**
 * struct pfm_default_smpl_entry_t - header of an entry (3.6.4)
 * @pid:            thread that was running (the specification's tid)
 * @ovfl_pmd:       PMD whose overflow recorded the entry
 * @reserved:       0
 * @last_reset_val: value that was last loaded into that PMD
 * @ip:             instruction pointer at the overflow
 * @tstamp:         time of the overflow in ns, or a raw time stamp with
 *                  PFM_DFL_SMPL_RAW_TIME; the same for all PMDs that overflowed
 *                  at once
 * @cpu:            CPU of the overflow
 * @set:            event set that was active
 * @tgid:           process that was running (the specification's pid)
 *
 * After the header come the values of the PMDs in the reg_smpl_pmds of the PMC
 * that controls @ovfl_pmd, 8 bytes each, in order of PMD index. With
 * PFM_DFL_SMPL_IIP_HDR the header is only @ip. With PFM_DFL_SMPL_NO_HDR an
 * entry has only the values.
 */
typedef struct {
	__u32	pid;
	__u16	ovfl_pmd;
	__u16	reserved;
	__u64	last_reset_val;
	__u64	ip;
	__u64	tstamp;
	__u16	cpu;
	__u16	set;
	__u32	tgid;
} pfm_default_smpl_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_default_smpl_entry_t) == 40);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, pid, 0, 4);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, ovfl_pmd, 4, 2);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, reserved, 6, 2);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, last_reset_val, 8, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, ip, 16, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, tstamp, 24, 8);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, cpu, 32, 2);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, set, 34, 2);
PFM_ASSERT_FIELD(pfm_default_smpl_entry_t, tgid, 36, 4);

#endif /* PERFMON_DEFAULT_SMPL_H */
