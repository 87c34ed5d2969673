/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: User interface of perfmon: structures, commands, library calls
 *
 * Names and semantics follow the perfmon2 interface specification, version 0.6;
 * section numbers below refer to it. Where the specification uses types whose
 * size differs between 32- and 64-bit programs, this header uses the fixed-size
 * types of Eranian 2006, 4.1: Stephane Eranian, "Perfmon2: a flexible
 * performance monitoring interface for Linux", 2006 Linux Symposium. Both kinds
 * of program then share one layout with the kernel and need no conversion.
 *
 * The kernel and user space include this same file.
 */
#ifndef PERFMON_PERFMON_H
#define PERFMON_PERFMON_H

#include <linux/ioctl.h>
#include <linux/time_types.h>
#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#define PFM_STATIC_ASSERT(cond) static_assert(cond)
#else
#include <stddef.h>
#ifdef __cplusplus
#define PFM_STATIC_ASSERT(cond) static_assert(cond, #cond)
#else
#define PFM_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#endif
#endif

/* Assert the offset and the size of one member of a shared structure. */
#define PFM_ASSERT_FIELD(type, field, offset, size)			\
	PFM_STATIC_ASSERT(offsetof(type, field) == (offset) &&		\
			  sizeof(((type *)0)->field) == (size))

/* Version of this interface, as in cf_version (3.1.17). */
#define PFM_VERSION_MAJOR(v)	(((v) >> 16) & 0xffff)
#define PFM_VERSION_MINOR(v)	((v) & 0xffff)
#define PFM_VERSION		((0U << 16) | 6U)

/* Register name spaces: 256 hardware and 64 virtual registers of each kind. */
#define PFM_MAX_HW_REGS		256
#define PFM_MAX_PMCS		320
#define PFM_MAX_PMDS		320
#define PFM_MAX_PMC_BITVECTOR	((PFM_MAX_PMCS + 64 - 1) / 64)
#define PFM_MAX_PMD_BITVECTOR	((PFM_MAX_PMDS + 64 - 1) / 64)

/* Commands of perfmonctl() (table 3.1). */
#define PFM_WRITE_PMCS		0x01
#define PFM_WRITE_PMDS		0x02
#define PFM_READ_PMDS		0x03
#define PFM_STOP		0x04
#define PFM_START		0x05
#define PFM_CREATE_CONTEXT	0x08
#define PFM_RESTART		0x0a
#define PFM_LOAD_CONTEXT	0x10
#define PFM_UNLOAD_CONTEXT	0x11
#define PFM_GETINFO_PMCS	0x12
#define PFM_GETINFO_PMDS	0x13
#define PFM_CREATE_EVTSETS	0x14
#define PFM_DELETE_EVTSETS	0x15
#define PFM_GETINFO_EVTSETS	0x16
#define PFM_SET_CONFIG		0x18
#define PFM_GET_CONFIG		0x19

/* Extension: this command is not in the specification. */
#define PFM_SET_FMT_ARG		0x1a

/* Other names of the same commands in the specification. */
#define PFM_WRITE_PMD		PFM_WRITE_PMDS
#define PFM_CONTEXT_CREATE	PFM_CREATE_CONTEXT
#define PFM_CONTEXT_UNLOAD	PFM_UNLOAD_CONTEXT
#define PFM_UNLOAD		PFM_UNLOAD_CONTEXT
#define PFM_GET_PMCS_INFO	PFM_GETINFO_PMCS
#define PFM_GET_PMDS_INFO	PFM_GETINFO_PMDS

/* Context flags, pfarg_ctx_t.ctx_flags (3.1.1). */
#define PFM_FL_NOTIFY_BLOCK	0x01
#define PFM_FL_SYSTEM_WIDE	0x02
#define PFM_FL_MAP_SETS		0x10	/* event sets can be mapped */
#define PFM_FL_INHERIT		0x20	/* descendants are monitored, too */
#define PFM_FL_OVFL_NO_MSG	0x80
#define PFM_FL_ALL						\
	(PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |		\
	 PFM_FL_MAP_SETS | PFM_FL_INHERIT | PFM_FL_OVFL_NO_MSG)
#define PFM_FL_OVFL_BLOCK	PFM_FL_NOTIFY_BLOCK
#define PFM_OVFL_NO_MSG		PFM_FL_OVFL_NO_MSG

/* Register flags on input, reg_flags (3.1.2). */
#define PFM_REGFL_OVFL_NOTIFY	0x1
#define PFM_REGFL_RANDOM	0x2
/*
 * Notification, randomisation, the two bit vectors and the event ID are set
 * with PFM_WRITE_PMCS in perfmon v0.6, and with PFM_WRITE_PMDS in perfmon 2.x.
 * With these two flags the kernel supports both: an element of PFM_WRITE_PMCS
 * with PFM_REGFL_VALUE_ONLY leaves these settings alone, and an element of
 * PFM_WRITE_PMDS with PFM_REGFL_SMPL sets them.
 */
#define PFM_REGFL_VALUE_ONLY	0x100
#define PFM_REGFL_SMPL		0x200
/*
 * Extension: a PMD that samples also takes a sample when the monitored thread
 * exits, as if the PMD had overflowed. No effect in system-wide contexts.
 */
#define PFM_REGFL_AT_EXIT	0x400

/* Register flags on return, reg_flags (3.1.2, 3.1.3, 3.1.13). */
#define PFM_REG_RETFL_NOTAVAIL	(1U << 31)	/* no such register */
#define PFM_REG_RETFL_EINVAL	(1U << 30)	/* bad value */
#define PFM_REG_RETFL_NOSET	(1U << 29)	/* no such event set */
#define PFM_REG_RETFL_MASK \
	(PFM_REG_RETFL_NOTAVAIL | PFM_REG_RETFL_EINVAL | PFM_REG_RETFL_NOSET)
#define PFM_REG_HAS_ERROR(flags) ((flags) & PFM_REG_RETFL_MASK)

/* Event set flags on input, set_flags (3.1.10). */
#define PFM_SETFL_OVFL_SWITCH	0x1	/* switch on overflow */
#define PFM_SETFL_TIME_SWITCH	0x2	/* switch on timeout */
#define PFM_SETFL_EXPL_NEXT	0x4	/* switch to set_id_next */
#define PFM_SETFL_EXCL_IDLE	0x8	/* system-wide: not when idle */
#define PFM_SETFL_ALL							\
	(PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH |		\
	 PFM_SETFL_EXPL_NEXT | PFM_SETFL_EXCL_IDLE)

/* Event set flags on return, set_flags (3.1.10 - 3.1.12). */
#define PFM_SET_RETFL_EINVAL	(1U << 30)	/* bad value */
#define PFM_SET_RETFL_NOSET	(1U << 29)	/* no such event set */
#define PFM_SET_RETFL_MASK	(PFM_SET_RETFL_EINVAL | PFM_SET_RETFL_NOSET)
#define PFM_SET_HAS_ERROR(flags) ((flags) & PFM_SET_RETFL_MASK)

/* Types of the actual register, reg_type (3.1.13). */
#define PFM_REG_TYPE_PMC	1
#define PFM_REG_TYPE_MSR	2
#define PFM_REG_TYPE_SPR	3
#define PFM_REG_TYPE_IBR	4
#define PFM_REG_TYPE_DBR	5
#define PFM_REG_TYPE_PMD	6
#define PFM_REG_TYPE_PERF	7	/* a perf_events event */
#define PFM_REG_TYPE_VIRTUAL	8	/* virtual; reg_index is reg_num */
#define PFM_REG_IDX_NONE	(~0ULL)

/*
 * UUID of a sampling format (3.5.2). The 16 bytes are in the order of the
 * UUID's text form.
 */
typedef unsigned char pfm_uuid_t[16];

/*
 * Get the value of the hexadecimal digit @c, or of the byte whose two digits
 * begin at index @i of the string @s.
 */
#define PFM_UUID_DIGIT(c) \
	((unsigned int)((c) <= '9' ? (c) - '0' : (c) - 'a' + 10))
#define PFM_UUID_BYTE(s, i) \
	((unsigned char)(PFM_UUID_DIGIT((s)[i]) * 16 + \
			 PFM_UUID_DIGIT((s)[(i) + 1])))

/**
 * PFM_UUID() - initialise a pfm_uuid_t from a UUID's text form
 * @s: string literal in lower case, as uuidgen prints it
 *
 * A UUID is thus written only once, as text. pfm_format_module() checks the
 * text at build time.
 */
#define PFM_UUID(s) {							\
	PFM_UUID_BYTE(s, 0), PFM_UUID_BYTE(s, 2),			\
	PFM_UUID_BYTE(s, 4), PFM_UUID_BYTE(s, 6),			\
	PFM_UUID_BYTE(s, 9), PFM_UUID_BYTE(s, 11),			\
	PFM_UUID_BYTE(s, 14), PFM_UUID_BYTE(s, 16),			\
	PFM_UUID_BYTE(s, 19), PFM_UUID_BYTE(s, 21),			\
	PFM_UUID_BYTE(s, 24), PFM_UUID_BYTE(s, 26),			\
	PFM_UUID_BYTE(s, 28), PFM_UUID_BYTE(s, 30),			\
	PFM_UUID_BYTE(s, 32), PFM_UUID_BYTE(s, 34) }

/**
 * struct pfarg_ctx_t - argument of PFM_CREATE_CONTEXT (3.1.1)
 * @ctx_smpl_buf_id:   UUID of the sampling format; all zero for no format
 * @ctx_flags:         PFM_FL_* flags; all other bits must be 0
 * @ctx_fd:            out: file descriptor of the context
 * @ctx_smpl_buf_size: out: size of the buffer's mapping in bytes; 0 if the
 *                     format has no buffer
 * @reserved:          must be 0
 *
 * For perfmonctl(), the format's argument must follow this structure
 * immediately in memory (3.5.3).
 */
typedef struct {
	pfm_uuid_t	ctx_smpl_buf_id;
	__u32		ctx_flags;
	__s32		ctx_fd;
	__u64		ctx_smpl_buf_size;
	__u64		reserved[12];
} pfarg_ctx_t;

PFM_STATIC_ASSERT(sizeof(pfarg_ctx_t) == 128);
PFM_ASSERT_FIELD(pfarg_ctx_t, ctx_smpl_buf_id, 0, 16);
PFM_ASSERT_FIELD(pfarg_ctx_t, ctx_flags, 16, 4);
PFM_ASSERT_FIELD(pfarg_ctx_t, ctx_fd, 20, 4);
PFM_ASSERT_FIELD(pfarg_ctx_t, ctx_smpl_buf_size, 24, 8);
PFM_ASSERT_FIELD(pfarg_ctx_t, reserved, 32, 96);
#define ctx_smpl_uuid		ctx_smpl_buf_id
#define ct_smpl_buf_size	ctx_smpl_buf_size

/**
 * struct pfarg_pmc_t - element of PFM_WRITE_PMCS (3.1.2)
 * @reg_num:          index of the PMC
 * @reg_set:          event set of the PMC
 * @reg_flags:        in: PFM_REGFL_*; out: PFM_REG_RETFL_*
 * @reg_value:        value to load; see docs/interface.md for the encoding
 * @reg_reset_pmds:   PMDs to reset when the controlled counter overflows
 * @reg_smpl_pmds:    PMDs to record when the controlled counter overflows
 * @reg_smpl_eventid: passed to the sampling format uninterpreted
 * @reserved:         must be 0
 */
typedef struct {
	__u16	reg_num;
	__u16	reg_set;
	__u32	reg_flags;
	__u64	reg_value;
	__u64	reg_reset_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64	reg_smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64	reg_smpl_eventid;
	__u64	reserved[4];
} pfarg_pmc_t;

PFM_STATIC_ASSERT(sizeof(pfarg_pmc_t) == 136);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_num, 0, 2);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_set, 2, 2);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_value, 8, 8);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_reset_pmds, 16, 40);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_smpl_pmds, 56, 40);
PFM_ASSERT_FIELD(pfarg_pmc_t, reg_smpl_eventid, 96, 8);
PFM_ASSERT_FIELD(pfarg_pmc_t, reserved, 104, 32);

/**
 * struct pfarg_pmd_t - element of PFM_WRITE_PMDS and PFM_READ_PMDS (3.1.3)
 * @reg_num:            index of the PMD
 * @reg_set:            event set of the PMD
 * @reg_flags:          in: 0, or PFM_REGFL_SMPL with any of
 *                      PFM_REGFL_OVFL_NOTIFY, PFM_REGFL_RANDOM and
 *                      PFM_REGFL_AT_EXIT; out: PFM_REG_RETFL_*
 * @reg_value:          value to load, or value read; counters have 64 bits
 * @reg_long_reset:     value to reload at PFM_RESTART, if the overflow masked
 *                      monitoring
 * @reg_short_reset:    value to reload after an overflow that did not mask
 *                      monitoring
 * @reg_last_reset_val: out, read: value that was loaded last
 * @reg_ovflsw_thres:   number of overflows before a switch to the next event
 *                      set
 * @reg_reset_pmds:     as in pfarg_pmc_t; must be 0 without PFM_REGFL_SMPL
 * @reg_smpl_pmds:      as in pfarg_pmc_t; must be 0 without PFM_REGFL_SMPL
 * @reg_smpl_eventid:   as in pfarg_pmc_t; must be 0 without PFM_REGFL_SMPL
 * @reg_random_mask:    mask of the random value that is added on each reset
 * @reg_random_seed:    seed of the random series; 0 means 1
 * @reserved:           must be 0
 */
typedef struct {
	__u16	reg_num;
	__u16	reg_set;
	__u32	reg_flags;
	__u64	reg_value;
	__u64	reg_long_reset;
	__u64	reg_short_reset;
	__u64	reg_last_reset_val;
	__u64	reg_ovflsw_thres;
	__u64	reg_reset_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64	reg_smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64	reg_smpl_eventid;
	__u64	reg_random_mask;
	__u32	reg_random_seed;
	__u32	reserved[7];
} pfarg_pmd_t;

PFM_STATIC_ASSERT(sizeof(pfarg_pmd_t) == 176);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_num, 0, 2);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_set, 2, 2);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_value, 8, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_long_reset, 16, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_short_reset, 24, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_last_reset_val, 32, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_ovflsw_thres, 40, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_reset_pmds, 48, 40);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_smpl_pmds, 88, 40);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_smpl_eventid, 128, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_random_mask, 136, 8);
PFM_ASSERT_FIELD(pfarg_pmd_t, reg_random_seed, 144, 4);
PFM_ASSERT_FIELD(pfarg_pmd_t, reserved, 148, 28);
#define reg_last_reset		reg_last_reset_val
#define reg_smpl_pmd		reg_smpl_pmds

/* pfarg_start_t.start_flags, an extension */
#define PFM_STARTFL_EXEC	0x1	/* start at the thread's next exec */

/**
 * struct pfarg_start_t - optional argument of PFM_START (3.1.5)
 * @start_set: event set to activate first
 * @start_flags: PFM_STARTFL_*; the specification calls it reserved1
 * @reserved2: must be 0
 * @reserved3: must be 0
 */
typedef struct {
	__u16	start_set;
	__u16	start_flags;
	__u32	reserved2;
	__u64	reserved3[3];
} pfarg_start_t;

PFM_STATIC_ASSERT(sizeof(pfarg_start_t) == 32);
PFM_ASSERT_FIELD(pfarg_start_t, start_set, 0, 2);
PFM_ASSERT_FIELD(pfarg_start_t, start_flags, 2, 2);
PFM_ASSERT_FIELD(pfarg_start_t, reserved2, 4, 4);
PFM_ASSERT_FIELD(pfarg_start_t, reserved3, 8, 24);

/**
 * struct pfarg_load_t - argument of PFM_LOAD_CONTEXT (3.1.7)
 * @load_pid:    thread to attach to (gettid()); the calling thread for a
 *               system-wide context
 * @load_set:    event set to load first
 * @load_flags:  PFM_LOADFL_*
 * @load_cgroup: with PFM_LOADFL_CGROUP: descriptor of a directory of cgroup v2;
 *               otherwise 0
 * @reserved1:   must be 0
 * @reserved2:   must be 0
 */
typedef struct {
	__u32	load_pid;
	__u16	load_set;
	__u16	load_flags;
	__u32	load_cgroup;
	__u32	reserved1;
	__u64	reserved2[2];
} pfarg_load_t;

/* Extension: load_flags of a system-wide context. */
#define PFM_LOADFL_CGROUP	0x1	/* measure tasks of @load_cgroup only */

PFM_STATIC_ASSERT(sizeof(pfarg_load_t) == 32);
PFM_ASSERT_FIELD(pfarg_load_t, load_pid, 0, 4);
PFM_ASSERT_FIELD(pfarg_load_t, load_set, 4, 2);
PFM_ASSERT_FIELD(pfarg_load_t, load_flags, 6, 2);
PFM_ASSERT_FIELD(pfarg_load_t, load_cgroup, 8, 4);
PFM_ASSERT_FIELD(pfarg_load_t, reserved1, 12, 4);
PFM_ASSERT_FIELD(pfarg_load_t, reserved2, 16, 16);

/**
 * struct pfarg_setdesc_t - element of PFM_CREATE_EVTSETS and
 *			     PFM_DELETE_EVTSETS (3.1.10, 3.1.11)
 * @set_id:      number of the event set
 * @set_id_next: with PFM_SETFL_EXPL_NEXT: number of the set to switch to
 * @set_flags:   in: PFM_SETFL_*, 0 to delete; out: PFM_SET_RETFL_*
 * @set_timeout: with PFM_SETFL_TIME_SWITCH: time until the next switch; out:
 *               effective timeout, a multiple of the timer tick
 * @set_mmap_offset: out, create: see pfm_set_page_t; 0 without PFM_FL_MAP_SETS
 * @reserved:    must be 0
 *
 * PFM_DELETE_EVTSETS reads only @set_id, @set_flags and @reserved.
 */
typedef struct {
	__u16	set_id;
	__u16	set_id_next;
	__u32	set_flags;
	struct __kernel_timespec set_timeout;
	__u64	set_mmap_offset;
	__u64	reserved[4];
} pfarg_setdesc_t;

PFM_STATIC_ASSERT(sizeof(pfarg_setdesc_t) == 64);
PFM_ASSERT_FIELD(pfarg_setdesc_t, set_id, 0, 2);
PFM_ASSERT_FIELD(pfarg_setdesc_t, set_id_next, 2, 2);
PFM_ASSERT_FIELD(pfarg_setdesc_t, set_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_setdesc_t, set_timeout, 8, 16);
PFM_ASSERT_FIELD(pfarg_setdesc_t, set_mmap_offset, 24, 8);
PFM_ASSERT_FIELD(pfarg_setdesc_t, reserved, 32, 32);

/**
 * struct pfarg_setinfo_t - element of PFM_GETINFO_EVTSETS (3.1.12)
 * @set_id:           number of the event set
 * @set_id_next:      out: as passed at creation
 * @set_flags:        in: 0; out: as passed at creation, or PFM_SET_RETFL_*
 * @set_switch_pmds:  out: PMDs whose overflow caused the last switch away from
 *                    this set
 * @set_runs:         out: number of times the set became active
 * @set_timeout:      out: time that is left of the effective timeout
 * @set_act_duration: out: time the set was active while monitoring was active;
 *                    in a per-thread context, only time in which the thread ran
 * @set_mmap_offset:  out: see pfm_set_page_t; 0 without PFM_FL_MAP_SETS
 * @set_unmeasured:   out: time for which the set was active before the PMU had
 *                    been programmed for it. No PMD counted in this time, and
 *                    no set's @set_act_duration includes it
 * @reserved:         must be 0
 */
typedef struct {
	__u16	set_id;
	__u16	set_id_next;
	__u32	set_flags;
	__u64	set_switch_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64	set_runs;
	struct __kernel_timespec set_timeout;
	struct __kernel_timespec set_act_duration;
	__u64	set_mmap_offset;
	struct __kernel_timespec set_unmeasured;
	__u64	reserved[2];
} pfarg_setinfo_t;

PFM_STATIC_ASSERT(sizeof(pfarg_setinfo_t) == 128);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_id, 0, 2);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_id_next, 2, 2);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_switch_pmds, 8, 40);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_runs, 48, 8);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_timeout, 56, 16);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_act_duration, 72, 16);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_mmap_offset, 88, 8);
PFM_ASSERT_FIELD(pfarg_setinfo_t, set_unmeasured, 96, 16);
PFM_ASSERT_FIELD(pfarg_setinfo_t, reserved, 112, 16);
#define set_active_duration	set_act_duration

/* State of a PMD in a mapped event set, map_state. */
#define PFM_MAP_NONE	0	/* no such PMD */
#define PFM_MAP_VALUE	1	/* value: map_value */
#define PFM_MAP_CLOCK	2	/* CLOCK_MONOTONIC in ns, minus map_value */
#define PFM_MAP_LIVE	3	/* value: read it with PFM_READ_PMDS */
/*
 * For this state and larger ones, the value is the count of
 * map_counter[map_state - PFM_MAP_COUNTER], minus map_value.
 */
#define PFM_MAP_COUNTER	16

/*
 * arm64: immediate operand of a MOVZ <Wd>. A program puts such a MOVZ after
 * each instruction that reads a counter. If the read traps, the kernel then
 * skips both instructions and does not send SIGILL.
 */
#define PFM_MAP_COUNTER_MARK 0x5046

/* Maximum number of a set's counters that can be read without the kernel. */
#define PFM_MAP_COUNTERS 32

/* map_flags */
#define PFM_MAPFL_ACTIVE	0x1	/* attached, and this set is active */

/**
 * struct pfm_map_counter_t - a running counter that user space can read
 * @cnt_seq:   odd during an update; changes with every update of the other
 *             fields
 * @cnt_index: number of the actual counter, plus one; 0 if the value can only
 *             be read with PFM_READ_PMDS
 * @cnt_bits:  width of the actual counter in bits
 * @cnt_start: value of the actual counter at the last update
 * @cnt_count: the PMD's 64-bit count at the last update
 *
 * On arm64, counter 31 is PMCCNTR_EL0; counters below it are PMEVCNTRn_EL0.
 */
typedef struct {
	__u32	cnt_seq;
	__u16	cnt_index;
	__u16	cnt_bits;
	__u64	cnt_start;
	__u64	cnt_count;
} pfm_map_counter_t;

PFM_STATIC_ASSERT(sizeof(pfm_map_counter_t) == 24);
PFM_ASSERT_FIELD(pfm_map_counter_t, cnt_seq, 0, 4);
PFM_ASSERT_FIELD(pfm_map_counter_t, cnt_index, 4, 2);
PFM_ASSERT_FIELD(pfm_map_counter_t, cnt_bits, 6, 2);
PFM_ASSERT_FIELD(pfm_map_counter_t, cnt_start, 8, 8);
PFM_ASSERT_FIELD(pfm_map_counter_t, cnt_count, 16, 8);

/**
 * struct pfm_set_page_t - mapped PMDs of an event set (Eranian 2006, 8)
 * @map_seq:      odd during an update; changes with every update
 * @map_flags:    PFM_MAPFL_*
 * @map_set:      number of the event set
 * @map_num_pmds: number of PMDs
 * @map_tid:      thread that may read counters in user space (gettid()), or 0;
 *                @map_counter is valid for this thread only
 * @map_pid_ns:   PID namespace of @map_tid: inode number of /proc/self/ns/pid
 * @reserved:     0
 * @map_state:    state of each PMD, by index: PFM_MAP_*
 * @map_value:    64-bit number for each PMD, by index; @map_state tells how to
 *                get the PMD's value from it
 * @map_counter:  running counters that can be read without the kernel
 *
 * There is one page for each set of a context with PFM_FL_MAP_SETS. Map it
 * shared and read-only at the set's set_mmap_offset. Read @map_seq before and
 * after a PMD's state and value: they are valid if @map_seq was even and did
 * not change. pfm_read_mapped() does this.
 */
typedef struct {
	__u32	map_seq;
	__u32	map_flags;
	__u16	map_set;
	__u16	map_num_pmds;
	__u32	map_tid;
	__u32	map_pid_ns;
	__u32	reserved[11];
	__u8	map_state[PFM_MAX_PMDS];
	__u64	map_value[PFM_MAX_PMDS];
	pfm_map_counter_t map_counter[PFM_MAP_COUNTERS];
} pfm_set_page_t;

PFM_STATIC_ASSERT(sizeof(pfm_set_page_t) == 3712);
PFM_ASSERT_FIELD(pfm_set_page_t, map_seq, 0, 4);
PFM_ASSERT_FIELD(pfm_set_page_t, map_flags, 4, 4);
PFM_ASSERT_FIELD(pfm_set_page_t, map_set, 8, 2);
PFM_ASSERT_FIELD(pfm_set_page_t, map_num_pmds, 10, 2);
PFM_ASSERT_FIELD(pfm_set_page_t, map_tid, 12, 4);
PFM_ASSERT_FIELD(pfm_set_page_t, map_pid_ns, 16, 4);
PFM_ASSERT_FIELD(pfm_set_page_t, reserved, 20, 44);
PFM_ASSERT_FIELD(pfm_set_page_t, map_state, 64, 320);
PFM_ASSERT_FIELD(pfm_set_page_t, map_value, 384, 2560);
PFM_ASSERT_FIELD(pfm_set_page_t, map_counter, 2944, 768);

/**
 * struct pfarg_pmcinfo_t - element of PFM_GETINFO_PMCS (3.1.13)
 * @reg_num:       index of the PMC
 * @reg_type:      out: PFM_REG_TYPE_*
 * @reg_flags:     in: 0; out: PFM_REG_RETFL_*
 * @reg_def_value: out: default value; a PMC with this value measures nothing
 * @reg_rsvd_mask: out: bits that keep their default value
 * @reg_index:     out: index or address of the actual register, or
 *                 PFM_REG_IDX_NONE
 * @reserved:      must be 0
 */
typedef struct {
	__u16	reg_num;
	__u16	reg_type;
	__u32	reg_flags;
	__u64	reg_def_value;
	__u64	reg_rsvd_mask;
	__u64	reg_index;
	__u64	reserved[4];
} pfarg_pmcinfo_t;

PFM_STATIC_ASSERT(sizeof(pfarg_pmcinfo_t) == 64);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_num, 0, 2);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_type, 2, 2);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_def_value, 8, 8);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_rsvd_mask, 16, 8);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reg_index, 24, 8);
PFM_ASSERT_FIELD(pfarg_pmcinfo_t, reserved, 32, 32);
#define reg_dfl_value		reg_def_value

/**
 * typedef pfarg_pmdinfo_t - element of PFM_GETINFO_PMDS (3.1.14)
 *
 * It has the fields of pfarg_pmcinfo_t, for a PMD.
 */
typedef pfarg_pmcinfo_t pfarg_pmdinfo_t;

/* cf_sys_gid, cf_thread_gid: no restriction to a group. */
#define PFM_GROUP_ANY		(~0U)

/**
 * struct pfarg_config_t - argument of PFM_SET_CONFIG and PFM_GET_CONFIG
 * (3.1.16)
 * @cf_version:           out: see PFM_VERSION_MAJOR(), PFM_VERSION_MINOR()
 * @cf_flags:             in: must be 0, no flags are defined; out: 0
 * @cf_impl_pmcs:         out: implemented PMCs
 * @cf_impl_pmds:         out: implemented PMDs
 * @cf_sys_gid:           group that may create system-wide contexts, or
 *                        PFM_GROUP_ANY
 * @cf_thread_gid:        group that may create per-thread contexts, or
 *                        PFM_GROUP_ANY
 * @cf_arg_size_max:      maximum size in bytes of a vector argument or of a
 *                        format's argument; at least a page
 * @cf_smpl_buf_size_max: maximum size in bytes of all sampling buffers
 *                        together; at least a page
 * @cf_counter_width:     out: width of the hardware counters in bits
 * @reserved1:            must be 0
 * @reserved2:            must be 0
 * @reserved3:            must be 0
 *
 * PFM_SET_CONFIG ignores the fields that are only "out", so that a program can
 * pass back what PFM_GET_CONFIG returned. PFM_GET_CONFIG ignores all input.
 */
typedef struct {
	__u32	cf_version;
	__u32	cf_flags;
	__u64	cf_impl_pmcs[PFM_MAX_PMC_BITVECTOR];
	__u64	cf_impl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u32	cf_sys_gid;
	__u32	cf_thread_gid;
	__u64	cf_arg_size_max;
	__u64	cf_smpl_buf_size_max;
	__u16	cf_counter_width;
	__u16	reserved1;
	__u32	reserved2;
	__u64	reserved3;
} pfarg_config_t;

PFM_STATIC_ASSERT(sizeof(pfarg_config_t) == 128);
PFM_ASSERT_FIELD(pfarg_config_t, cf_version, 0, 4);
PFM_ASSERT_FIELD(pfarg_config_t, cf_flags, 4, 4);
PFM_ASSERT_FIELD(pfarg_config_t, cf_impl_pmcs, 8, 40);
PFM_ASSERT_FIELD(pfarg_config_t, cf_impl_pmds, 48, 40);
PFM_ASSERT_FIELD(pfarg_config_t, cf_sys_gid, 88, 4);
PFM_ASSERT_FIELD(pfarg_config_t, cf_thread_gid, 92, 4);
PFM_ASSERT_FIELD(pfarg_config_t, cf_arg_size_max, 96, 8);
PFM_ASSERT_FIELD(pfarg_config_t, cf_smpl_buf_size_max, 104, 8);
PFM_ASSERT_FIELD(pfarg_config_t, cf_counter_width, 112, 2);
PFM_ASSERT_FIELD(pfarg_config_t, reserved1, 114, 2);
PFM_ASSERT_FIELD(pfarg_config_t, reserved2, 116, 4);
PFM_ASSERT_FIELD(pfarg_config_t, reserved3, 120, 8);
#define cf_sys_group		cf_sys_gid
#define cf_thread_group		cf_thread_gid

/* Messages, pfm_msg_t.msg_type (3.3.2). */
#define PFM_MSG_OVFL		1
#define PFM_MSG_END		2
#define PFM_OVFL_MSG		PFM_MSG_OVFL
#define PFM_END_MSG		PFM_MSG_END

/**
 * struct pfm_ovfl_msg_t - overflow notification message (3.4.3)
 * @msg_type:       PFM_MSG_OVFL
 * @msg_ovfl_pid:   process that was running (thread group id)
 * @msg_active_set: event set that was active
 * @msg_ovfl_cpu:   CPU on which the overflow happened
 * @msg_ovfl_tid:   thread that was running
 * @msg_ovfl_ip:    instruction pointer at the overflow
 * @msg_ovfl_pmds:  PMDs that overflowed
 */
typedef struct {
	__u32	msg_type;
	__u32	msg_ovfl_pid;
	__u16	msg_active_set;
	__u16	msg_ovfl_cpu;
	__u32	msg_ovfl_tid;
	__u64	msg_ovfl_ip;
	__u64	msg_ovfl_pmds[PFM_MAX_PMD_BITVECTOR];
} pfm_ovfl_msg_t;

PFM_STATIC_ASSERT(sizeof(pfm_ovfl_msg_t) == 64);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_type, 0, 4);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_ovfl_pid, 4, 4);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_active_set, 8, 2);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_ovfl_cpu, 10, 2);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_ovfl_tid, 12, 4);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_ovfl_ip, 16, 8);
PFM_ASSERT_FIELD(pfm_ovfl_msg_t, msg_ovfl_pmds, 24, 40);

/**
 * union pfm_msg_t - any message (3.3.2)
 * @msg_type: PFM_MSG_*; selects the member
 * @ovfl:     overflow notification; PFM_MSG_END has no body
 */
typedef union {
	__u32		msg_type;
	pfm_ovfl_msg_t	ovfl;
} pfm_msg_t;

typedef pfm_msg_t pfmon_msg_t;

PFM_STATIC_ASSERT(sizeof(pfm_msg_t) == 64);

/**
 * struct pfm_ioc - argument of all ioctls on /dev/perfmon and on a context
 * @arg:          address of the command's argument or vector; 0 for none
 * @fmt_arg:      PFM_CREATE_CONTEXT: address of the format's argument
 * @fmt_arg_size: PFM_CREATE_CONTEXT: size of the format's argument in bytes, or
 *                PFM_FMT_ARG_IMPLICIT for the size that the format declares
 * @narg:         number of elements at @arg; PFM_SET_FMT_ARG: size of the
 *                argument in bytes
 * @reserved:     must be 0
 *
 * Programs call perfmonctl() and never see this structure. PFM_CREATE_CONTEXT,
 * PFM_GETINFO_PMCS, PFM_GETINFO_PMDS, PFM_SET_CONFIG and PFM_GET_CONFIG go to a
 * descriptor of /dev/perfmon, all others to the descriptor of the context.
 */
struct pfm_ioc {
	__u64	arg;
	__u64	fmt_arg;
	__u64	fmt_arg_size;
	__u32	narg;
	__u32	reserved;
};

PFM_STATIC_ASSERT(sizeof(struct pfm_ioc) == 32);
PFM_ASSERT_FIELD(struct pfm_ioc, arg, 0, 8);
PFM_ASSERT_FIELD(struct pfm_ioc, fmt_arg, 8, 8);
PFM_ASSERT_FIELD(struct pfm_ioc, fmt_arg_size, 16, 8);
PFM_ASSERT_FIELD(struct pfm_ioc, narg, 24, 4);
PFM_ASSERT_FIELD(struct pfm_ioc, reserved, 28, 4);

#define PFM_FMT_ARG_IMPLICIT	(~0ULL)
#define PFM_IOC_MAGIC		0xbd
#define PFM_IOC(cmd)		_IOWR(PFM_IOC_MAGIC, cmd, struct pfm_ioc)
#define PFM_DEVICE		"/dev/perfmon"
#define PFM_SYSFS		"/sys/kernel/perfmon"

/*
 * Value of a PMC on the perf_events PMU: an event in the encoding of
 * "Performance Counters for Linux" (docs/sources.md), with modifiers in the
 * upper bits of its 56-bit event ID.
 *
 *   63    62 .. 56   55 .. 48    47 .. 0
 *   raw   type       modifiers   id
 */
#define PFM_PERF_RAW		(1ULL << 63)
#define PFM_PERF_TYPE_SHIFT	56
#define PFM_PERF_TYPE_MASK	(0x7fULL << PFM_PERF_TYPE_SHIFT)
#define PFM_PERF_ID_MASK	((1ULL << 48) - 1)
#define PFM_PERF_EXCL_USER	(1ULL << 48)
#define PFM_PERF_EXCL_KERNEL	(1ULL << 49)
#define PFM_PERF_EXCL_IDLE	(1ULL << 50)
#define PFM_PERF_PRECISE_SHIFT	52
#define PFM_PERF_PRECISE_MASK	(3ULL << PFM_PERF_PRECISE_SHIFT)
#define PFM_PERF_NONE		PFM_PERF_TYPE_MASK	/* measures nothing */
#define PFM_PERF_EVENT(type, id) \
	((((__u64)(type) << PFM_PERF_TYPE_SHIFT) & PFM_PERF_TYPE_MASK) | \
	 ((id) & PFM_PERF_ID_MASK))

/*
 * Virtual PMD of the perf_events PMU: the state of the running thread, as a
 * letter of ps(1). At a context switch it gives the reason: R if the thread was
 * preempted or has yielded, S or D if it waits, T or t if it stops.
 */
#define PFM_PMD_STATE		255

/* Virtual PMDs that both the perf_events PMU and the simulated PMU have. */
#define PFM_PMD_ELAPSED		256	/* ns since load or last reset */
#define PFM_PMD_TID		257	/* ID of the running thread */
#define PFM_PMD_RESIDENT	258	/* resident pages of its process */
#define PFM_PMD_PERF_CLOCK	259	/* perf's clock on this CPU, in ns */

/*
 * Virtual PMDs of the perf_events PMU with data of a sample. They have a value
 * only in the samples of a counter that lists them in reg_smpl_pmds. The value
 * is 0 if the PMU has not recorded the data, or if the core deferred the
 * overflow, for example because a command was using the context.
 */
#define PFM_PMD_ADDRESS		260	/* data address */
#define PFM_PMD_LATENCY		261	/* latency or other weight, in cycles */
#define PFM_PMD_WEIGHT2		262	/* second part of perf's weight */
#define PFM_PMD_WEIGHT3		263	/* third part */
#define PFM_PMD_SOURCE		264	/* union perf_mem_data_src */
#define PFM_PMD_PHYSICAL	265	/* physical address of the data */
#define PFM_PMD_TRANSACTION	266	/* PERF_TXN_* */

/*
 * Virtual PMDs with the newest branches before a sample. Like PFM_PMD_ADDRESS,
 * they have a value only in samples. Branch 0 is the newest one.
 */
#define PFM_BRANCHES		8
#define PFM_PMD_BRANCH_FROM(n)	(272 + (n))	/* address of the branch */
#define PFM_PMD_BRANCH_TO(n)	(280 + (n))	/* address of its target */
#define PFM_PMD_BRANCH_FLAGS(n)	(288 + (n))	/* bits of perf_branch_entry */

/**
 * pfm_bv_set() - add a register to a bit vector of PMCs or PMDs
 * @bv:  the vector, such as reg_smpl_pmds; its size is not checked
 * @bit: number of the register
 */
static inline void pfm_bv_set(__u64 *bv, unsigned int bit)
{
	bv[bit / 64] |= 1ULL << (bit % 64);
}

/**
 * pfm_bv_isset() - test whether a register is in a bit vector
 * @bv:  the vector, such as msg_ovfl_pmds; its size is not checked
 * @bit: number of the register
 *
 * Return: 1 or 0.
 */
static inline int pfm_bv_isset(const __u64 *bv, unsigned int bit)
{
	return (bv[bit / 64] >> (bit % 64)) & 1;
}

#ifndef __KERNEL__
#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: libperfmon
 *
 * libperfmon has a function for each command. perfmonctl(2) and libperfmon(3)
 * describe the functions in detail.
 *
 * Return: 0 unless a function says otherwise; -1 with errno set on an error.
 * Each function below lists its usual errors; perfmonctl(2) lists all of them.
 * Every command can fail with EFAULT for a bad address. A command on a context
 * fails with EBADF if the descriptor is not a context. Commands that do not
 * take a context, such as PFM_CREATE_CONTEXT, fail with ENOSYS if the module is
 * not loaded, and with EPERM if the caller may not open /dev/perfmon.
 *
 * Blocking: commands sleep for locks and for other CPUs. They do not wait until
 * an overflow happens, nor for the monitored thread, except for its execve(2)
 * where a function says so. Use read(2) or poll(2) to wait for messages.
 *
 * Context: any number of threads at the same time, because the library keeps no
 * state. All functions except pfm_map_set() and pfm_unmap_set() may be called
 * from a signal handler, which must preserve errno. Commands that touch the PMU
 * of a system-wide context must be called on the monitored CPU. They fail with
 * EBUSY on other CPUs, and with ENODEV once the monitored CPU is offline.
 *
 * Vectors: elements are processed in order, up to the first that fails. The
 * reg_flags or set_flags of that element give the reason. A command fails with
 * EFAULT if its vector has more than cf_arg_size_max bytes, and with EINVAL if
 * the vector is empty.
 */

/**
 * perfmonctl() - send any command, as in the specification (3.1)
 * @fd:   the context; ignored by commands that do not take one
 * @cmd:  PFM_CREATE_CONTEXT and so on
 * @arg:  the command's argument, or the first element of its vector; a format's
 *        argument follows pfarg_ctx_t immediately
 * @narg: number of elements at @arg
 *
 * Return: 0, even for PFM_CREATE_CONTEXT; -1: EINVAL for an unknown command, or
 * the errors that the functions below list for each command.
 */
int perfmonctl(int fd, int cmd, void *arg, int narg);

/**
 * pfm_create_context() - create a context (3.1.1)
 * @ctx:          flags and format; out: ctx_fd and ctx_smpl_buf_size
 * @fmt_arg:      the format's argument, or NULL
 * @fmt_arg_size: its size in bytes, or 0
 *
 * Waits for the format's module to load if the format is not registered.
 *
 * Return: the descriptor, which the caller must close; -1: EINVAL for invalid
 * flags, format or argument; E2BIG for an argument that is too large; ENOMEM,
 * also if the buffer exceeds a limit; EPERM; ENODEV if no PMU description (a
 * module such as pfm_pmu_perf) is loaded; EOPNOTSUPP if this PMU cannot write
 * the format's records.
 */
int pfm_create_context(pfarg_ctx_t *ctx, void *fmt_arg, size_t fmt_arg_size);

/**
 * pfm_write_pmcs() - program PMCs (3.1.2)
 * @fd:   the context, attached or not
 * @pmcs: vector of PMCs
 * @n:    number of elements
 *
 * Waits for a pending execve(2) of the attached thread.
 *
 * Return: 0; -1: EINVAL for an invalid register, set, value or flag; EBUSY on a
 * CPU other than the monitored one; EPERM if the caller may no longer monitor
 * the thread; ESRCH if the thread is exiting; ENOMEM.
 */
int pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n);

/**
 * pfm_write_pmds() - write values and reset values of PMDs (3.1.3)
 * @fd:   the context, attached or not
 * @pmds: vector of PMDs; a period of p events is the value -p
 * @n:    number of elements
 *
 * Waits for a pending execve(2) of the attached thread.
 *
 * Return: as pfm_write_pmcs().
 */
int pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_read_pmds() - read values of PMDs (3.1.4)
 * @fd:   the context; if it is not attached, the last values are returned
 * @pmds: vector of PMDs, by reg_num and reg_set; out: reg_value in events, or
 *        in the unit of a virtual PMD, and reg_last_reset_val
 * @n:    number of elements
 *
 * Return: 0; -1: EINVAL for an invalid register or set; EBUSY on a CPU other
 * than the monitored one.
 */
int pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_load_context() - attach a context to a thread or a CPU (3.1.7)
 * @fd:   the context, not attached
 * @load: thread to attach to, and event set to start with
 *
 * Does not start monitoring. A system-wide context is attached to the CPU of
 * the caller. Discards unread messages. Waits for a pending execve(2) of the
 * thread.
 *
 * Return: 0; -1: EBUSY if the context is already attached, if the thread or CPU
 * has another context, or if contexts of the other kind (per-thread or
 * system-wide) are attached; EINVAL for an invalid set, for a blocking context
 * if the thread belongs to the calling process, or for a system-wide context if
 * load_pid is not the caller; ESRCH if the thread does not exist; EPERM;
 * ENODEV; ENOMEM.
 */
int pfm_load_context(int fd, pfarg_load_t *load);

/**
 * pfm_start() - start monitoring (3.1.5)
 * @fd:    the context, attached
 * @start: event set to activate first, or NULL for the active one
 *
 * Does nothing if monitoring has already started.
 *
 * Return: 0; -1: EBUSY if the context is not attached or a hardware counter is
 * not available; EINVAL for an invalid set.
 */
int pfm_start(int fd, pfarg_start_t *start);

/**
 * pfm_stop() - stop monitoring (3.1.6)
 * @fd: the context, attached
 *
 * Waits until no overflow of the context is being handled.
 *
 * Return: 0; -1: EBUSY if the context is not attached.
 */
int pfm_stop(int fd);

/**
 * pfm_restart() - resume after a notification (3.1.9)
 * @fd: the context, attached
 *
 * Resets the overflowed PMDs, lets the format make room in its buffer, resumes
 * monitoring and wakes a blocked thread. Extra calls are harmless, except that
 * some formats empty the buffer on each call.
 *
 * Return: 0; -1: EBUSY if the context is not attached; an error of the format.
 */
int pfm_restart(int fd);

/**
 * pfm_unload_context() - stop monitoring and detach (3.1.8)
 * @fd: the context, attached
 *
 * PMD values and unread messages are kept. If the monitored CPU is offline, the
 * call works on any other CPU.
 *
 * Return: 0; -1: EBUSY if the context is not attached.
 */
int pfm_unload_context(int fd);

/**
 * pfm_create_evtsets() - create or modify event sets (3.1.10)
 * @fd:   the context, not attached
 * @sets: vector of sets; out: set_timeout, rounded up
 * @n:    number of elements
 *
 * Return: 0; -1: EBUSY if the context is attached; EINVAL for invalid flags or
 * timeout; ENOMEM.
 */
int pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int n);

/**
 * pfm_delete_evtsets() - delete event sets (3.1.11)
 * @fd:   the context, not attached
 * @sets: vector of sets, by set_id
 * @n:    number of elements
 *
 * Return: 0; -1: EBUSY if the context is attached; EINVAL for set0 or a set
 * that does not exist.
 */
int pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int n);

/**
 * pfm_getinfo_evtsets() - get run counts and active times of event sets
 * (3.1.12)
 * @fd:   the context, attached or not
 * @info: vector of sets, by set_id; out: the other fields
 * @n:    number of elements
 *
 * Return: 0; -1: EINVAL for an invalid set.
 */
int pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *info, int n);

/**
 * pfm_getinfo_pmcs() - describe PMCs (3.1.13)
 * @pmcs: vector of PMCs, by reg_num; out: the other fields
 * @n:    number of elements
 *
 * Return: 0; -1: EINVAL for an invalid register; ENODEV without a PMU
 * description.
 */
int pfm_getinfo_pmcs(pfarg_pmcinfo_t *pmcs, int n);

/**
 * pfm_getinfo_pmds() - describe PMDs (3.1.14)
 * @pmds: vector of PMDs, by reg_num; out: the other fields
 * @n:    number of elements
 *
 * Return: as pfm_getinfo_pmcs().
 */
int pfm_getinfo_pmds(pfarg_pmdinfo_t *pmds, int n);

/**
 * pfm_set_config() - set the limits and groups of perfmon (3.1.16)
 * @cfg: new values; fields that are only "out" are ignored
 *
 * Return: 0; -1: EPERM without CAP_SYS_ADMIN; EINVAL for a limit below a page.
 */
int pfm_set_config(pfarg_config_t *cfg);

/**
 * pfm_get_config() - get perfmon's limits, groups and version (3.1.17)
 * @cfg: out
 *
 * Return: 0; -1.
 */
int pfm_get_config(pfarg_config_t *cfg);

/**
 * pfm_set_fmt_arg() - change fields of the format's argument
 * @fd:      the context, attached or not
 * @fmt_arg: the new argument. It may differ only in fields that the format lets
 *           change; /sys/kernel/perfmon/formats/<uuid>/arg_layout marks them
 *           with "live"
 * @size:    size of @fmt_arg in bytes
 *
 * All fields change at once. Later samples use the new argument.
 *
 * Return: 0; -1: EOPNOTSUPP if another field differs, or if the format lets no
 * field change; EINVAL if the format rejects a value, for a context without a
 * format, or if @size is too small; E2BIG if @size is too large; ENOMEM. After
 * an error no field has changed.
 */
int pfm_set_fmt_arg(int fd, const void *fmt_arg, size_t size);

/* A mapped event set. */
struct pfm_set_map;

/**
 * pfm_map_set() - map an event set of a context with PFM_FL_MAP_SETS
 * (Eranian 2006, 8)
 * @fd:  the context; keep it open until pfm_unmap_set()
 * @set: number of the set
 *
 * Return: the mapping, for pfm_unmap_set(); NULL with errno set: EINVAL for an
 * invalid set or a context without PFM_FL_MAP_SETS; EBUSY if the process has
 * already mapped the set; ENOMEM.
 */
struct pfm_set_map *pfm_map_set(int fd, unsigned int set);

/**
 * pfm_read_mapped() - read a PMD, without a system call where possible
 * @map:   from pfm_map_set()
 * @pmd:   number of the PMD
 * @value: out: as reg_value of pfm_read_pmds()
 *
 * A running counter needs a system call, unless the calling thread may read it
 * directly.
 *
 * Return: 0; -1: EINVAL for an invalid PMD; an error of pfm_read_pmds().
 */
int pfm_read_mapped(const struct pfm_set_map *map, unsigned int pmd,
		    __u64 *value);

/**
 * pfm_unmap_set() - unmap an event set
 * @map: from pfm_map_set(), or NULL
 */
void pfm_unmap_set(struct pfm_set_map *map);

#ifdef __cplusplus
}
#endif
#endif /* !__KERNEL__ */

#endif /* PERFMON_PERFMON_H */
