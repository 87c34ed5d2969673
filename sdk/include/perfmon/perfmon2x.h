/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: User interface of perfmon 2.3 to 2.x, provided by libpfm2x
 *
 * This header is for programs written against the 2.x headers;
 * docs/perfmon2x.md lists what works and what differs. If PERFMON_2_2 is
 * defined, this header declares the interface of 2.2, which libpfm22 provides:
 * see perfmon22.h. All fields have fixed sizes, so that 32- and 64-bit programs
 * share the layouts.
 *
 * This header and perfmon.h define different types and functions under the same
 * names, so a program should include only one of them. Code that needs both
 * must include perfmon.h first; this header then defines only structures with
 * tags, and neither the typedefs nor the functions.
 */
#ifndef PERFMON_PERFMON2X_H
#define PERFMON_PERFMON2X_H

#include <linux/types.h>
#include <stddef.h>

#ifdef __cplusplus
#define PFM2X_STATIC_ASSERT(cond) static_assert(cond, #cond)
#else
#define PFM2X_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#endif

/* Assert the offset and the size of one member of a structure. */
#define PFM2X_ASSERT_FIELD(type, field, offset, size)			\
	PFM2X_STATIC_ASSERT(offsetof(type, field) == (offset) &&	\
			    sizeof(((type *)0)->field) == (size))

/* Number of 64-bit words in a bit vector of PMCs or PMDs. */
#define PFM2X_BITVECTOR		5

/**
 * struct pfm2x_ctx - argument of pfm_create_context()
 * @ctx_flags: PFM_FL_* flags
 * @reserved1: must be 0
 * @reserved2: must be 0
 */
struct pfm2x_ctx {
	__u32	ctx_flags;
	__u32	reserved1;
	__u64	reserved2[7];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_ctx) == 64);
PFM2X_ASSERT_FIELD(struct pfm2x_ctx, ctx_flags, 0, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_ctx, reserved1, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_ctx, reserved2, 8, 56);

/**
 * struct pfm22_ctx - argument of pfm_create_context() of 2.2
 * @ctx_smpl_buf_id:   UUID of the sampling format, all zero for none
 * @ctx_flags:         PFM_FL_* flags
 * @ctx_fd:            out: descriptor of the context
 * @ctx_smpl_buf_size: out: size of the buffer's mapping in bytes
 * @reserved:          must be 0
 */
struct pfm22_ctx {
	unsigned char	ctx_smpl_buf_id[16];
	__u32		ctx_flags;
	__s32		ctx_fd;
	__u64		ctx_smpl_buf_size;
	__u64		reserved[12];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm22_ctx) == 128);
PFM2X_ASSERT_FIELD(struct pfm22_ctx, ctx_smpl_buf_id, 0, 16);
PFM2X_ASSERT_FIELD(struct pfm22_ctx, ctx_flags, 16, 4);
PFM2X_ASSERT_FIELD(struct pfm22_ctx, ctx_fd, 20, 4);
PFM2X_ASSERT_FIELD(struct pfm22_ctx, ctx_smpl_buf_size, 24, 8);
PFM2X_ASSERT_FIELD(struct pfm22_ctx, reserved, 32, 96);

/**
 * struct pfm2x_pmc - element of pfm_write_pmcs()
 * @reg_num:   index of the PMC
 * @reg_set:   event set of the PMC
 * @reg_flags: in: 0; out: PFM_REG_RETFL_*
 * @reg_value: value to load
 * @reserved:  must be 0
 */
struct pfm2x_pmc {
	__u16	reg_num;
	__u16	reg_set;
	__u32	reg_flags;
	__u64	reg_value;
	__u64	reserved[4];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_pmc) == 48);
PFM2X_ASSERT_FIELD(struct pfm2x_pmc, reg_num, 0, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_pmc, reg_set, 2, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_pmc, reg_flags, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_pmc, reg_value, 8, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmc, reserved, 16, 32);

/**
 * struct pfm2x_pmd - element of pfm_write_pmds() and pfm_read_pmds()
 * @reg_num:             index of the PMD
 * @reg_set:             event set of the PMD
 * @reg_flags:           in: PFM_REGFL_*; out: with PFM_REG_RETFL_* added
 * @reg_value:           value to load, or value read
 * @reg_long_reset:      value to reload at pfm_restart() after a notification
 * @reg_short_reset:     value to reload after an overflow without notification
 * @reg_last_reset_val:  out, pfm_read_pmds() only: value that was loaded last
 * @reg_ovfl_switch_cnt: number of overflows before a switch to the next event
 *                       set
 * @reg_reset_pmds:      PMDs to reset when this one overflows
 * @reg_smpl_pmds:       PMDs to record when this one overflows
 * @reg_smpl_eventid:    passed to the format uninterpreted
 * @reg_random_mask:     mask of the random value that is added on each reset
 * @reg_random_seed:     seed of the random series
 * @reserved:            must be 0
 */
struct pfm2x_pmd {
	__u16	reg_num;
	__u16	reg_set;
	__u32	reg_flags;
	__u64	reg_value;
	__u64	reg_long_reset;
	__u64	reg_short_reset;
	__u64	reg_last_reset_val;
	__u64	reg_ovfl_switch_cnt;
	__u64	reg_reset_pmds[PFM2X_BITVECTOR];
	__u64	reg_smpl_pmds[PFM2X_BITVECTOR];
	__u64	reg_smpl_eventid;
	__u64	reg_random_mask;
	__u32	reg_random_seed;
	__u32	reserved[7];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_pmd) == 176);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_num, 0, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_set, 2, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_flags, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_value, 8, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_long_reset, 16, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_short_reset, 24, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_last_reset_val, 32, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_ovfl_switch_cnt, 40, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_reset_pmds, 48, 40);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_smpl_pmds, 88, 40);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_smpl_eventid, 128, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_random_mask, 136, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reg_random_seed, 144, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_pmd, reserved, 148, 28);

/**
 * struct pfm2x_start - optional argument of pfm_start()
 * @start_set: event set to activate first
 * @reserved1: must be 0
 * @reserved2: must be 0
 * @reserved3: must be 0
 */
struct pfm2x_start {
	__u16	start_set;
	__u16	reserved1;
	__u32	reserved2;
	__u64	reserved3[3];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_start) == 32);
PFM2X_ASSERT_FIELD(struct pfm2x_start, start_set, 0, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_start, reserved1, 2, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_start, reserved2, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_start, reserved3, 8, 24);

/**
 * struct pfm2x_load - argument of pfm_load_context()
 * @load_pid:  thread to attach to, or the CPU if the context is system-wide
 * @load_set:  event set to start with
 * @reserved1: must be 0
 * @reserved2: must be 0
 */
struct pfm2x_load {
	__u32	load_pid;
	__u16	load_set;
	__u16	reserved1;
	__u64	reserved2[3];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_load) == 32);
PFM2X_ASSERT_FIELD(struct pfm2x_load, load_pid, 0, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_load, load_set, 4, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_load, reserved1, 6, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_load, reserved2, 8, 24);

/**
 * struct pfm2x_setdesc - element of pfm_create_evtsets() and
 * pfm_delete_evtsets()
 * @set_id:      event set
 * @reserved1:   must be 0
 * @set_flags:   PFM_SETFL_* flags
 * @set_timeout: ns until the switch to the next set
 * @reserved:    must be 0
 */
struct pfm2x_setdesc {
	__u16	set_id;
	__u16	reserved1;
	__u32	set_flags;
	__u64	set_timeout;
	__u64	reserved[6];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_setdesc) == 64);
PFM2X_ASSERT_FIELD(struct pfm2x_setdesc, set_id, 0, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_setdesc, reserved1, 2, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_setdesc, set_flags, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_setdesc, set_timeout, 8, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_setdesc, reserved, 16, 48);

/**
 * struct pfm2x_setinfo - element of pfm_getinfo_evtsets()
 * @set_id:           event set
 * @reserved1:        must be 0
 * @set_flags:        out: PFM_SETFL_* flags
 * @set_ovfl_pmds:    out: PMDs whose overflow caused the last switch away from
 *                    this set
 * @set_runs:         out: number of times the set became active
 * @set_timeout:      out: ns until the switch to the next set
 * @set_act_duration: out: time the set was active, in ns
 * @set_avail_pmcs:   out: PMCs that can be used
 * @set_avail_pmds:   out: PMDs that can be used
 * @reserved:         must be 0
 */
struct pfm2x_setinfo {
	__u16	set_id;
	__u16	reserved1;
	__u32	set_flags;
	__u64	set_ovfl_pmds[PFM2X_BITVECTOR];
	__u64	set_runs;
	__u64	set_timeout;
	__u64	set_act_duration;
	__u64	set_avail_pmcs[PFM2X_BITVECTOR];
	__u64	set_avail_pmds[PFM2X_BITVECTOR];
	__u64	reserved[6];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_setinfo) == 200);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_id, 0, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, reserved1, 2, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_flags, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_ovfl_pmds, 8, 40);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_runs, 48, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_timeout, 56, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_act_duration, 64, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_avail_pmcs, 72, 40);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, set_avail_pmds, 112, 40);
PFM2X_ASSERT_FIELD(struct pfm2x_setinfo, reserved, 152, 48);

/**
 * struct pfm2x_ovfl_msg - overflow message, as read() returns it
 * @msg_type:       PFM_MSG_OVFL
 * @msg_ovfl_pid:   process that was running
 * @msg_active_set: event set that was active
 * @msg_ovfl_cpu:   CPU on which the overflow happened
 * @msg_ovfl_tid:   thread that was running
 * @msg_ovfl_ip:    instruction pointer at the overflow
 * @msg_ovfl_pmds:  PMDs that overflowed
 */
struct pfm2x_ovfl_msg {
	__u32	msg_type;
	__u32	msg_ovfl_pid;
	__u16	msg_active_set;
	__u16	msg_ovfl_cpu;
	__u32	msg_ovfl_tid;
	__u64	msg_ovfl_ip;
	__u64	msg_ovfl_pmds[PFM2X_BITVECTOR];
};

PFM2X_STATIC_ASSERT(sizeof(struct pfm2x_ovfl_msg) == 64);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_type, 0, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_ovfl_pid, 4, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_active_set, 8, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_ovfl_cpu, 10, 2);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_ovfl_tid, 12, 4);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_ovfl_ip, 16, 8);
PFM2X_ASSERT_FIELD(struct pfm2x_ovfl_msg, msg_ovfl_pmds, 24, 40);

/**
 * union pfm2x_msg - any message
 * @type:          PFM_MSG_*; selects the member
 * @pfm_ovfl_msg:  the message if @type is PFM_MSG_OVFL; a message of type
 *                 PFM_MSG_END has only @type
 */
union pfm2x_msg {
	__u32			type;
	struct pfm2x_ovfl_msg	pfm_ovfl_msg;
};

PFM2X_STATIC_ASSERT(sizeof(union pfm2x_msg) == 64);

/* Event sets, set_flags. */
#define PFM_SETFL_OVFL_SWITCH	0x1
#define PFM_SETFL_TIME_SWITCH	0x2

#ifndef PERFMON_PERFMON_H

#define PFM_MAX_PMCS		320
#define PFM_MAX_PMDS		320
#define PFM_PMC_BV		PFM2X_BITVECTOR
#define PFM_PMD_BV		PFM2X_BITVECTOR

/* Flags of a context, ctx_flags. */
#define PFM_FL_NOTIFY_BLOCK	0x01
#define PFM_FL_SYSTEM_WIDE	0x02
#define PFM_FL_OVFL_NO_MSG	0x80

/* Flags of a PMD, reg_flags. */
#define PFM_REGFL_OVFL_NOTIFY	0x1
#define PFM_REGFL_RANDOM	0x2

/* Error flags, which a call sets in reg_flags of the element that failed. */
#define PFM_REG_RETFL_NOTAVAIL	(1U << 31)
#define PFM_REG_RETFL_EINVAL	(1U << 30)
#define PFM_REG_HAS_ERROR(flags) \
	((flags) & (PFM_REG_RETFL_NOTAVAIL | PFM_REG_RETFL_EINVAL))

#define PFM_MSG_OVFL		1
#define PFM_MSG_END		2

#ifdef PERFMON_2_2
typedef unsigned char		pfm_uuid_t[16];
typedef struct pfm22_ctx	pfarg_ctx_t;
#else
typedef struct pfm2x_ctx	pfarg_ctx_t;
#endif
typedef struct pfm2x_pmc	pfarg_pmc_t;
typedef struct pfm2x_pmd	pfarg_pmd_t;
typedef struct pfm2x_start	pfarg_start_t;
typedef struct pfm2x_load	pfarg_load_t;
typedef struct pfm2x_setdesc	pfarg_setdesc_t;
typedef struct pfm2x_setinfo	pfarg_setinfo_t;
typedef struct pfm2x_ovfl_msg	pfarg_ovfl_msg_t;
typedef union pfm2x_msg		pfarg_msg_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: libpfm2x and libpfm22
 *
 * libpfm2x and libpfm22 have the functions of table 1 of Eranian 2006. Each
 * function sends the command that perfmon.h documents under the same name, and
 * blocks and fails in the same way. docs/perfmon2x.md lists the differences.
 *
 * Return: 0 unless a function's comment says otherwise; -1 with errno set on
 * error. errno is EBADF if the descriptor does not belong to a context.
 *
 * Context: any number of threads at the same time, because the libraries keep
 * no state. For a system-wide context the caller must be bound to the monitored
 * CPU. A bad address other than NULL may crash the program instead of returning
 * EFAULT.
 *
 * Vectors: elements are processed in order until one fails. The flags of that
 * element give the reason. A vector can have any number of elements.
 */

#ifdef PERFMON_2_2
/*
 * pfm_create_context() - create a context; the UUID selects the format
 * @ctx:          flags and format; out: ctx_fd and ctx_smpl_buf_size
 * @fmt_arg:      the format's argument, or NULL
 * @fmt_arg_size: its size in bytes, or 0
 *
 * Return: 0, with the descriptor in ctx_fd, which the caller must close; -1.
 */
int pfm_create_context(pfarg_ctx_t *ctx, void *fmt_arg, size_t fmt_arg_size);
#else
/**
 * pfm_create_context() - create a context; the name selects the format
 * @ctx:          flags
 * @fmt_name:     name of the format, or NULL for none
 * @fmt_arg:      the format's argument, or NULL
 * @fmt_arg_size: its size in bytes, or 0
 *
 * Return: the descriptor, which the caller must close; -1 with EINVAL if the
 * library does not know the format and its module is not loaded.
 */
int pfm_create_context(pfarg_ctx_t *ctx, char *fmt_name, void *fmt_arg,
		       size_t fmt_arg_size);
#endif

/**
 * pfm_write_pmcs() - program PMCs
 * @fd:   the context
 * @pmcs: vector of PMCs; reg_flags must be 0
 * @n:    number of elements
 *
 * Return: 0; -1.
 */
int pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n);

/**
 * pfm_write_pmds() - write values and overflow settings of PMDs
 * @fd:   the context
 * @pmds: vector of PMDs; for a period of p events, write the value -p
 * @n:    number of elements
 *
 * Return: 0; -1.
 */
int pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_read_pmds() - read values of PMDs
 * @fd:   the context
 * @pmds: vector; in: reg_num and reg_set, which select a PMD; out: reg_value,
 *        reg_last_reset_val, and error flags in reg_flags; the other fields are
 *        unchanged
 * @n:    number of elements
 *
 * Return: 0; -1.
 */
int pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_load_context() - attach a context to a thread or a CPU
 * @fd:   the context
 * @load: thread or CPU to attach to, and event set to start with
 *
 * Return: 0; -1, with EINVAL if the context is system-wide and load_pid is not
 * the CPU on which the caller runs.
 */
int pfm_load_context(int fd, pfarg_load_t *load);

/**
 * pfm_start() - start monitoring
 * @fd:    the context
 * @start: event set to activate first, or NULL for the active one
 *
 * Return: 0; -1.
 */
int pfm_start(int fd, pfarg_start_t *start);

/**
 * pfm_stop() - stop monitoring
 * @fd: the context
 *
 * Return: 0; -1.
 */
int pfm_stop(int fd);

/**
 * pfm_restart() - resume after a notification
 * @fd: the context
 *
 * Return: 0; -1.
 */
int pfm_restart(int fd);

/**
 * pfm_unload_context() - stop monitoring and detach
 * @fd: the context
 *
 * Return: 0; -1.
 */
int pfm_unload_context(int fd);

/**
 * pfm_create_evtsets() - create or modify event sets
 * @fd:   the context
 * @sets: vector of sets; out: set_timeout, the timeout that takes effect, which
 *        can be longer than requested
 * @n:    number of elements
 *
 * Return: 0; -1.
 */
int pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int n);

/**
 * pfm_delete_evtsets() - delete event sets
 * @fd:   the context
 * @sets: vector; set_id selects a set. set_flags is ignored, so it may still
 *        have the flags with which the set was created
 * @n:    number of elements
 *
 * Return: 0; -1.
 */
int pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int n);

/**
 * pfm_getinfo_evtsets() - get run counts and active times of event sets
 * @fd:   the context
 * @sets: vector; in: set_id, which selects a set; out: the other fields
 * @n:    number of elements
 *
 * Return: 0; -1, with ENODEV if no PMU description is registered.
 */
int pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *sets, int n);

#ifdef __cplusplus
}
#endif
#endif /* !PERFMON_PERFMON_H */

#endif /* PERFMON_PERFMON2X_H */
