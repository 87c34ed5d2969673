/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Buffer of the 64-bit PEBS format (Eranian 2006, 5.4)
 *
 * UUID and layout are the same as in perfmon 2.x for the 64-bit (EM64T) Pentium
 * 4 and Xeon; the argument can select the longer records of later CPUs. Offsets
 * in bytes::
 *
 *	0		pfm_pebs64_smpl_hdr_t
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
#ifndef PERFMON_PEBS64_SMPL_H
#define PERFMON_PEBS64_SMPL_H

#include <perfmon/perfmon.h>

#define PFM_PEBS64_SMPL_NAME	"pebs64"
/* The contents of a sample, in one line for users. */
#define PFM_PEBS64_SMPL_SUMMARY \
	"a PEBS record: registers, data address, source, latency"
#define PFM_PEBS64_SMPL_UUID_STR "36be9794-1fbf-41df-b463-1062eb729bad"
#define PFM_PEBS64_SMPL_UUID	PFM_UUID(PFM_PEBS64_SMPL_UUID_STR)

#define PFM_PEBS64_SMPL_VERSION	((1U << 16) | 0U)	/* major.minor */

/*
 * Flag of the argument: on a CPU without precise events, take samples with the
 * registers of the interrupt that reported the overflow. Without this flag,
 * creating a context fails on such a CPU.
 */
#define PFM_PEBS64_SMPL_IMPRECISE	0x1

/* Layout of a record, in bits 4 and 5 of the argument's flags. */
#define PFM_PEBS64_SMPL_RECORD_SHIFT	4
#define PFM_PEBS64_SMPL_RECORD_MASK	0x30
#define PFM_PEBS64_SMPL_BASE		0x00	/* 144 bytes, EM64T */
#define PFM_PEBS64_SMPL_NEHALEM		0x10	/* 176 bytes */
#define PFM_PEBS64_SMPL_HASWELL		0x20	/* 192 bytes */
#define PFM_PEBS64_SMPL_SKYLAKE		0x30	/* 200 bytes */
#define PFM_PEBS64_SMPL_ALL \
	(PFM_PEBS64_SMPL_IMPRECISE | PFM_PEBS64_SMPL_RECORD_MASK)

/* Alignment in bytes of the first record in the buffer. */
#define PFM_PEBS64_SMPL_ALIGN	256

/**
 * struct pfm_pebs64_smpl_arg_t - argument of the format
 * @buf_size:   size of the buffer in bytes, header included
 * @intr_thres: number of records that reach the threshold: from 1 to the
 *              number that fits
 * @flags:      PFM_PEBS64_SMPL_* flags; all other bits must be 0
 * @pad1:       ignored
 * @cnt_reset:  value to load into the counter after each record
 * @reserved1:  must be 0
 * @pad2:       ignored
 * @reserved2:  must be 0
 */
typedef struct {
	__u64	buf_size;
	__u64	intr_thres;
	__u32	flags;
	__u32	pad1;
	__u64	cnt_reset;
	__u32	reserved1;
	__u32	pad2;
	__u64	reserved2[2];
} pfm_pebs64_smpl_arg_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_smpl_arg_t) == 56);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, buf_size, 0, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, intr_thres, 8, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, flags, 16, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, pad1, 20, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, cnt_reset, 24, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, reserved1, 32, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, pad2, 36, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_arg_t, reserved2, 40, 16);

/* Fields of the argument, as tools see them; see PFM_FMT_ARG(). */
#define PFM_PEBS64_SMPL_ARG_LAYOUT {					\
	PFM_ARG(pfm_pebs64_smpl_arg_t, buf_size, 65536, "bytes"),	\
	PFM_ARG(pfm_pebs64_smpl_arg_t, intr_thres, 256, "records"),	\
	PFM_ARG(pfm_pebs64_smpl_arg_t, flags, 0, "flags"),		\
	PFM_ARG(pfm_pebs64_smpl_arg_t, cnt_reset, 0, "events") }

/**
 * struct pfm_pebs64_ds_area_t - the CPU's debug-store area
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
	__u64	bts_buf_base;
	__u64	bts_index;
	__u64	bts_abs_max;
	__u64	bts_intr_thres;
	__u64	pebs_buf_base;
	__u64	pebs_index;
	__u64	pebs_abs_max;
	__u64	pebs_intr_thres;
	__u64	pebs_cnt_reset;
} pfm_pebs64_ds_area_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_ds_area_t) == 72);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, bts_buf_base, 0, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, bts_index, 8, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, bts_abs_max, 16, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, bts_intr_thres, 24, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, pebs_buf_base, 32, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, pebs_index, 40, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, pebs_abs_max, 48, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, pebs_intr_thres, 56, 8);
PFM_ASSERT_FIELD(pfm_pebs64_ds_area_t, pebs_cnt_reset, 64, 8);

/*
 * hdr_flags: some records have the registers of an interrupt, not of the event.
 */
#define PFM_PEBS64_HDR_IMPRECISE	0x1

/**
 * struct pfm_pebs64_smpl_hdr_t - first bytes of the buffer
 * @hdr_overflows:  number of times the threshold was reached; never reset
 * @hdr_buf_size:   requested size in bytes
 * @hdr_start_offs: bytes from the end of this header to the first record
 * @hdr_version:    PFM_PEBS64_SMPL_VERSION
 * @hdr_pad:        0
 * @hdr_flags:      PFM_PEBS64_HDR_* flags
 * @hdr_entry_size: size of a record in bytes
 * @hdr_dropped:    always 0, because a register always fits into 64 bits
 * @hdr_lost:       records not written, because the area was full up to
 *                  pebs_abs_max or the registers were not available
 * @hdr_ds:         the debug-store area
 *
 * In perfmon 2.x, @hdr_flags to @hdr_lost were 24 reserved bytes.
 */
typedef struct {
	__u64	hdr_overflows;
	__u64	hdr_buf_size;
	__u64	hdr_start_offs;
	__u32	hdr_version;
	__u32	hdr_pad;
	__u32	hdr_flags;
	__u32	hdr_entry_size;
	__u64	hdr_dropped;
	__u64	hdr_lost;
	pfm_pebs64_ds_area_t hdr_ds;
} pfm_pebs64_smpl_hdr_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_smpl_hdr_t) == 128);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_overflows, 0, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_buf_size, 8, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_start_offs, 16, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_version, 24, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_pad, 28, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_flags, 32, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_entry_size, 36, 4);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_dropped, 40, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_lost, 48, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_hdr_t, hdr_ds, 56, 72);

/**
 * struct pfm_pebs64_smpl_entry_t - a record: the registers at the event
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
 * @r8:         register
 * @r9:         register
 * @r10:        register
 * @r11:        register
 * @r12:        register
 * @r13:        register
 * @r14:        register
 * @r15:        register
 */
typedef struct {
	__u64	eflags;
	__u64	ip;
	__u64	eax;
	__u64	ebx;
	__u64	ecx;
	__u64	edx;
	__u64	esi;
	__u64	edi;
	__u64	ebp;
	__u64	esp;
	__u64	r8;
	__u64	r9;
	__u64	r10;
	__u64	r11;
	__u64	r12;
	__u64	r13;
	__u64	r14;
	__u64	r15;
} pfm_pebs64_smpl_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_smpl_entry_t) == 144);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, eflags, 0, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, ip, 8, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, eax, 16, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, ebx, 24, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, ecx, 32, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, edx, 40, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, esi, 48, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, edi, 56, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, ebp, 64, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, esp, 72, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r8, 80, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r9, 88, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r10, 96, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r11, 104, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r12, 112, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r13, 120, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r14, 128, 8);
PFM_ASSERT_FIELD(pfm_pebs64_smpl_entry_t, r15, 136, 8);

/**
 * struct pfm_pebs64_nhm_entry_t - a record of Nehalem
 * @base:       the fields of an EM64T record
 * @status:     counters that overflowed, one bit each
 * @dla:        data linear address
 * @dse:        data source encoding
 * @lat:        latency in cycles
 */
typedef struct {
	pfm_pebs64_smpl_entry_t base;
	__u64	status;
	__u64	dla;
	__u64	dse;
	__u64	lat;
} pfm_pebs64_nhm_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_nhm_entry_t) == 176);
PFM_ASSERT_FIELD(pfm_pebs64_nhm_entry_t, base, 0, 144);
PFM_ASSERT_FIELD(pfm_pebs64_nhm_entry_t, status, 144, 8);
PFM_ASSERT_FIELD(pfm_pebs64_nhm_entry_t, dla, 152, 8);
PFM_ASSERT_FIELD(pfm_pebs64_nhm_entry_t, dse, 160, 8);
PFM_ASSERT_FIELD(pfm_pebs64_nhm_entry_t, lat, 168, 8);

/**
 * struct pfm_pebs64_hsw_entry_t - a record of Haswell
 * @base:       the fields of a Nehalem record
 * @real_ip:    instruction pointer of the event itself
 * @tsx_tuning: transactional memory information
 */
typedef struct {
	pfm_pebs64_nhm_entry_t base;
	__u64	real_ip;
	__u64	tsx_tuning;
} pfm_pebs64_hsw_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_hsw_entry_t) == 192);
PFM_ASSERT_FIELD(pfm_pebs64_hsw_entry_t, base, 0, 176);
PFM_ASSERT_FIELD(pfm_pebs64_hsw_entry_t, real_ip, 176, 8);
PFM_ASSERT_FIELD(pfm_pebs64_hsw_entry_t, tsx_tuning, 184, 8);

/**
 * struct pfm_pebs64_skl_entry_t - a record of Skylake
 * @base:       the fields of a Haswell record
 * @tsc:        time stamp counter
 */
typedef struct {
	pfm_pebs64_hsw_entry_t base;
	__u64	tsc;
} pfm_pebs64_skl_entry_t;

PFM_STATIC_ASSERT(sizeof(pfm_pebs64_skl_entry_t) == 200);
PFM_ASSERT_FIELD(pfm_pebs64_skl_entry_t, base, 0, 192);
PFM_ASSERT_FIELD(pfm_pebs64_skl_entry_t, tsc, 192, 8);

#endif /* PERFMON_PEBS64_SMPL_H */
