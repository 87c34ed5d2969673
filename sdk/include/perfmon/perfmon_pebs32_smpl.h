/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the 32-bit PEBS format (Eranian 2006, 5.4)
 *
 * UUID and layout are the same as in perfmon 2.x for the 32-bit Pentium 4 and
 * Xeon. On every architecture the layout has the natural alignment of i386:
 * 64-bit fields are aligned to 4 bytes. Offsets in bytes::
 *
 *	0		pfm_pebs32_smpl_hdr_t
 *	sizeof(hdr) +	the first record, aligned to 256 bytes; records follow
 *	hdr_start_offs	each other without gaps
 *
 * The CPU's debug-store area holds addresses. In this buffer they are offsets
 * in bytes from the first byte of the buffer, so that no kernel address leaks;
 * a reader needs only differences. The number of records is (pebs_index -
 * pebs_buf_base) / hdr_entry_size. Records are written before pebs_index: a
 * reader that loads pebs_index with acquire ordering finds complete records
 * before it.
 */
#ifndef PERFMON_PEBS32_SMPL_H
#define PERFMON_PEBS32_SMPL_H

#include <perfmon/perfmon.h>

#define PFM_PEBS32_SMPL_NAME	"pebs32"
/* The contents of a sample, in one line for users. */
#define PFM_PEBS32_SMPL_SUMMARY \
	"a 32-bit PEBS record: registers"
#define PFM_PEBS32_SMPL_UUID_STR "0d8591e7-493f-49ae-8cfc-e8b933e4eb8b"
#define PFM_PEBS32_SMPL_UUID	PFM_UUID(PFM_PEBS32_SMPL_UUID_STR)

#define PFM_PEBS32_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/*
 * Flag of the argument: on a CPU without precise events, take samples with the
 * registers of the interrupt that reported the overflow. Without this flag,
 * creating a context fails on such a CPU.
 */
#define PFM_PEBS32_SMPL_IMPRECISE	0x1
#define PFM_PEBS32_SMPL_ALL		PFM_PEBS32_SMPL_IMPRECISE

/* A 64-bit number with the alignment that it has on i386 */
typedef __u64 __attribute__((aligned(4))) pfm_pebs32_u64;

/* Alignment in bytes of the first record in the buffer. */
#define PFM_PEBS32_SMPL_ALIGN	256

/**
 * struct pfm_pebs32_smpl_arg_t - argument of the format
 * @buf_size:   size of the buffer in bytes, header included
 * @intr_thres: number of records that reach the threshold: from 1 to the
 *              number that fits
 * @flags:      PFM_PEBS32_SMPL_* flags; all other bits must be 0
 * @cnt_reset:  value to load into the counter after each record
 * @reserved1:  must be 0
 * @reserved2:  must be 0
 */
typedef struct {
	__u32	buf_size;
	__u32	intr_thres;
	__u32	flags;
	pfm_pebs32_u64 cnt_reset;
	__u32	reserved1;
	pfm_pebs32_u64 reserved2[2];
} pfm_pebs32_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs32_smpl_arg_t) == 40);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, buf_size, 0, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, intr_thres, 4, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, flags, 8, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, cnt_reset, 12, 8);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, reserved1, 20, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_arg_t, reserved2, 24, 16);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_PEBS32_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_pebs32_smpl_arg_t, buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_pebs32_smpl_arg_t, intr_thres, 256, "records"),	\
	PFM_ARG(pfm_pebs32_smpl_arg_t, flags, 0, "flags"),		\
	PFM_ARG(pfm_pebs32_smpl_arg_t, cnt_reset, 0, "events") }

/**
 * struct pfm_pebs32_ds_area_t - the CPU's debug-store area
 * @bts_buf_base:    0, branch traces are not used
 * @bts_index:       0
 * @bts_abs_max:     0
 * @bts_intr_thres:  0
 * @pebs_buf_base:   offset in bytes of the first record
 * @pebs_index:      offset of the next record
 * @pebs_abs_max:    offset of the end of the last record that fits
 * @pebs_intr_thres: offset at which the threshold is reached
 * @pebs_cnt_reset:  value to load into the counter after each record
 */
typedef struct {
	__u32	bts_buf_base;
	__u32	bts_index;
	__u32	bts_abs_max;
	__u32	bts_intr_thres;
	__u32	pebs_buf_base;
	__u32	pebs_index;
	__u32	pebs_abs_max;
	__u32	pebs_intr_thres;
	pfm_pebs32_u64 pebs_cnt_reset;
} pfm_pebs32_ds_area_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs32_ds_area_t) == 40);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, bts_buf_base, 0, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, bts_index, 4, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, bts_abs_max, 8, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, bts_intr_thres, 12, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, pebs_buf_base, 16, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, pebs_index, 20, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, pebs_abs_max, 24, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, pebs_intr_thres, 28, 4);
PFM_ASSERT_FIELD(pfm_pebs32_ds_area_t, pebs_cnt_reset, 32, 8);

/*
 * hdr_flags: some records have the registers of an interrupt, not of the event.
 */
#define PFM_PEBS32_HDR_IMPRECISE	0x1

/**
 * struct pfm_pebs32_smpl_hdr_t - first bytes of the buffer
 * @hdr_overflows:  number of times the threshold was reached; never reset
 * @hdr_buf_size:   requested size in bytes
 * @hdr_start_offs: bytes from the end of this header to the first record
 * @hdr_version:    PFM_PEBS32_SMPL_VERSION
 * @hdr_flags:      PFM_PEBS32_HDR_* flags
 * @hdr_entry_size: size of a record in bytes
 * @hdr_dropped:    records dropped because a register did not fit into 32 bits
 * @hdr_lost:       records not written, because the area was full up to
 *                  pebs_abs_max or the registers were not available
 * @hdr_ds:         the debug-store area
 *
 * In perfmon 2.x, @hdr_flags to @hdr_lost were 24 reserved bytes.
 */
typedef struct {
	pfm_pebs32_u64 hdr_overflows;
	__u32	hdr_buf_size;
	__u32	hdr_start_offs;
	__u32	hdr_version;
	__u32	hdr_flags;
	__u32	hdr_entry_size;
	pfm_pebs32_u64 hdr_dropped;
	pfm_pebs32_u64 hdr_lost;
	pfm_pebs32_ds_area_t hdr_ds;
} pfm_pebs32_smpl_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs32_smpl_hdr_t) == 84);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_overflows, 0, 8);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_buf_size, 8, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_start_offs, 12, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_version, 16, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_flags, 20, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_entry_size, 24, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_dropped, 28, 8);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_lost, 36, 8);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_hdr_t, hdr_ds, 44, 40);

/**
 * struct pfm_pebs32_smpl_entry_t - a record: the registers at the event
 * @eflags:     flags register
 * @ip:         instruction pointer
 * @eax:        register
 * @ebx:        register
 * @ecx:        register
 * @edx:        register
 * @esi:        register
 * @edi:        register
 * @ebp:        register
 * @esp:        register
 */
typedef struct {
	__u32	eflags;
	__u32	ip;
	__u32	eax;
	__u32	ebx;
	__u32	ecx;
	__u32	edx;
	__u32	esi;
	__u32	edi;
	__u32	ebp;
	__u32	esp;
} pfm_pebs32_smpl_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs32_smpl_entry_t) == 40);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, eflags, 0, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, ip, 4, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, eax, 8, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, ebx, 12, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, ecx, 16, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, edx, 20, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, esi, 24, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, edi, 28, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, ebp, 32, 4);
PFM_ASSERT_FIELD(pfm_pebs32_smpl_entry_t, esp, 36, 4);

#endif /* PERFMON_PEBS32_SMPL_H */
