/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Interface between sampling formats and the core
 *
 * A format is one pfm_buffer_fmt_t registered under its UUID (specification
 * 3.5.7-3.5.15). The core calls the format back; the format never accesses the
 * hardware.
 */
#ifndef PERFMON_PERFMON_FMT_H
#define PERFMON_PERFMON_FMT_H

#include <linux/container_of.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_time.h>

struct attribute_group;
struct pt_regs;

/**
 * union pfm_ovfl_ctrl_t - actions of the core after a call-back (3.5.14)
 * @notify_user:     append an overflow message; only if the controlling PMC
 *                   has PFM_REGFL_OVFL_NOTIFY; ignored after fmt_restart
 * @reset_ovfl_pmds: reset the overflowed PMD and its reset_pmds, with short
 *                   values after fmt_handler, with long ones after fmt_restart
 * @block_thread:    block the monitored thread; only for a context with
 *                   PFM_FL_NOTIFY_BLOCK that is not self-monitoring; ignored
 *                   after fmt_restart
 * @mask_monitoring: mask monitoring until the next PFM_RESTART. If several PMDs
 *                   overflow at once and the handler sets this bit for one of
 *                   them, none of them is reset before PFM_RESTART. With
 *                   PFM_FL_INHERIT this bit does not mask monitoring: the
 *                   overflowed PMD is reset, and overflows for this buffer are
 *                   lost until PFM_RESTART
 * @reserved:        must stay 0; a handler that sets it is considered broken
 * @val:             all bits at once
 *
 * All bits are 0 on entry to the call-back.
 */
typedef union {
	struct {
		unsigned int notify_user:1;
		unsigned int reset_ovfl_pmds:1;
		unsigned int block_thread:1;
		unsigned int mask_monitoring:1;
		unsigned int reserved:28;
	};
	u32 val;
} pfm_ovfl_ctrl_t;

#define PFM_OVFL_CTRL_NOTIFY	0x1
#define PFM_OVFL_CTRL_RESET	0x2
#define PFM_OVFL_CTRL_BLOCK	0x4
#define PFM_OVFL_CTRL_MASK	0x8
#define PFM_OVFL_CTRL_ALL	0xf
/* Notify, block if the context asks for it, and mask until PFM_RESTART. */
#define PFM_OVFL_CTRL_HOLD \
	(PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK | PFM_OVFL_CTRL_MASK)

/**
 * struct pfm_ovfl_arg_t - description of one PMD's overflow (3.5.14)
 * @ovfl_pmd:         PMD that overflowed
 * @reserved1:        0; the format must not change it, because samples copy it
 *                    into a field that must be 0
 * @ovfl_cpu:         CPU
 * @active_set:       event set that was active
 * @pmd_last_reset:   value that was last loaded into the PMD
 * @pmd_value:        current value of the PMD: 0 or slightly more
 * @ovfl_ctrl:        out: actions on return
 * @reserved2:        0
 * @pmd_eventid:      reg_smpl_eventid of the controlling PMC
 * @smpl_pmds:        PMDs to record (reg_smpl_pmds)
 * @ovfl_notify:      1 if the controlling PMC has PFM_REGFL_OVFL_NOTIFY
 * @num_smpl_pmds:    number of values in @smpl_pmds_values
 * @smpl_pmds_values: values of the PMDs in @smpl_pmds, in order of PMD index.
 *                    The memory of the structure ends after the first
 *                    @num_smpl_pmds values, so do not copy it as a whole
 *
 * Owned by the core, valid only during the call. The fields that samples copy
 * are in the order of the default format's entries.
 */
typedef struct {
	u16		ovfl_pmd;
	u16		reserved1;
	u16		ovfl_cpu;
	u16		active_set;
	u64		pmd_last_reset;
	u64		pmd_value;
	pfm_ovfl_ctrl_t	ovfl_ctrl;
	u32		reserved2;
	u64		pmd_eventid;
	u64		smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	u16		ovfl_notify;
	u16		num_smpl_pmds;
	u64		smpl_pmds_values[PFM_MAX_PMDS];
} pfm_ovfl_arg_t;

#define smpl_pmd_values		smpl_pmds_values

/**
 * struct pfm_ovfl_state - state that a format keeps for a context
 * @words: for the format's use. The core zeroes them when the context is
 *         attached, and whenever the handler may have missed overflows: because
 *         monitoring was stopped or masked, or because, with PFM_FL_INHERIT, a
 *         CPU's buffer was not available
 *
 * With PFM_FL_INHERIT each thread has a context of its own, but its samples go
 * into the buffer of the CPU on which it runs. So this is the only state that
 * the format finds again after the thread has migrated. It may contain
 * addresses in the buffers, because the buffers exist as long as a thread is
 * attached. A system-wide context has one state, for all threads on its CPU.
 */
struct pfm_ovfl_state {
	u64	words[4];
};

/**
 * struct pfm_ovfl_data - thread and instruction of an overflow
 * @ip:   instruction pointer; never a kernel address if the event excludes the
 *        kernel
 * @regs: interrupted registers; NULL if the overflow was deferred, because
 *        another overflow, or a command such as PFM_SET_FMT_ARG, owned the
 *        context
 * @tid:  thread that was running, in the PID namespace of the process that
 *        attached the context; 0 if the thread is outside of this namespace
 * @tgid: process of this thread, in the same namespace
 * @state: state that the format keeps for the context
 *
 * Passed to fmt_handler as data.
 */
struct pfm_ovfl_data {
	struct pt_regs	*regs;

	struct_group(ids,
		u32	tid;
		u32	tgid;
	);

	u64		ip;
	struct pfm_ovfl_state	*state;
};

/**
 * typedef fmt_validate_t - check the format's argument (optional, 3.5.10)
 * @ctx_flags: PFM_FL_* of the context
 * @num_pmds:  number of PMDs that the PMU implements
 * @arg:       kernel copy of the format's argument, fmt_arg_size bytes; NULL if
 *             fmt_arg_size is 0
 *
 * Context: process, may sleep. Called before any allocation, and before each
 * call of fmt_set_arg. In the latter case, overflows may happen while
 * fmt_validate runs.
 * Return: 0, or a negative errno for PFM_CREATE_CONTEXT or PFM_SET_FMT_ARG.
 */
typedef int (*fmt_validate_t)(u32 ctx_flags, u16 num_pmds, void *arg);

/**
 * typedef fmt_getsize_t - get the size of the buffer (optional, 3.5.11)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @size:      out: size in bytes; 0 for no buffer
 *
 * Without this call-back the core allocates no buffer.
 * Context: process, may sleep.
 * Return: 0, or a negative errno for PFM_CREATE_CONTEXT.
 */
typedef int (*fmt_getsize_t)(u32 ctx_flags, void *arg, size_t *size);

/**
 * typedef fmt_getpriv_t - get the size of an extra private area (optional)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @size:      out: size in bytes; 0 for none
 *
 * The area is for data that do not fit into the PFM_FMT_PRIV_SIZE bytes in
 * front of the buffer. pfm_fmt_area() returns it. It is charged to the same
 * user and limits as the buffer. A format without a buffer cannot have such an
 * area: creating a context fails with EINVAL. Called after fmt_getsize, before
 * any allocation.
 * Context: process, may sleep.
 * Return: 0, or a negative errno for PFM_CREATE_CONTEXT.
 */
typedef int (*fmt_getpriv_t)(u32 ctx_flags, void *arg, size_t *size);

/**
 * typedef fmt_init_t - initialise the buffer (optional, 3.5.12)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @buf:       first byte of the buffer, zeroed and page aligned; NULL if the
 *             format has no buffer. The PFM_FMT_PRIV_SIZE bytes in front of the
 *             buffer and the area requested by fmt_getpriv are private to the
 *             format and never mapped (perfmon_fmt_sdk.h)
 *
 * A context with PFM_FL_INHERIT has several buffers, one for each CPU: the
 * call-backs with @buf are called for each of them.
 * Context: process, may sleep.
 * Return: 0, or a negative errno for PFM_CREATE_CONTEXT; fmt_exit is not called
 * in that case.
 */
typedef int (*fmt_init_t)(u32 ctx_flags, void *arg, void *buf);

/**
 * typedef fmt_handler_t - record one overflow (required, 3.5.14)
 * @buf:    first byte of the buffer, or NULL
 * @arg:    the overflow; the handler sets @arg->ovfl_ctrl
 * @tstamp: time in ns, or a raw time stamp if fmt_init called pfm_raw_time();
 *          the same for all PMDs that overflowed at once; increases on each CPU
 * @data:   thread and instruction, valid only during the call
 *
 * Called once per overflowed PMD, in order of PMD index.
 *
 * Context: any, NMI included. docs/handler_rules.md lists what a handler may do
 * and which memory it may touch.
 * Locking: never concurrent with itself, fmt_restart, fmt_set_arg or fmt_exit
 * for one @buf.
 * Return: 0, or an error, such as -ENOBUFS if the buffer is full. After an
 * error the core masks monitoring until PFM_RESTART. If several PMDs overflowed
 * at once, the core does not call the handler for the remaining ones. It counts
 * this overflow and the remaining ones as lost.
 */
typedef int (*fmt_handler_t)(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			     struct pfm_ovfl_data *data);

/**
 * typedef fmt_restart_t - handle PFM_RESTART (optional, 3.5.15)
 * @buf:       first byte of the buffer, or NULL
 * @is_active: 0 if monitoring is masked, else 1
 * @ctrl:      out: only reset_ovfl_pmds and mask_monitoring have an effect
 *
 * Without this call-back, PFM_RESTART resets and resumes a masked context and
 * does nothing to an active one. With PFM_FL_INHERIT, @is_active is 0 if the
 * handler has asked to mask, and of @ctrl only mask_monitoring has an effect.
 * Context: process, or, with PFM_FL_INHERIT, a hard interrupt on any CPU; must
 * not sleep, because overflows are deferred during the call.
 * Locking: never concurrent with fmt_handler or itself for one @buf.
 * Return: 0, or a negative errno for PFM_RESTART, which then changes nothing.
 */
typedef int (*fmt_restart_t)(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl);

/**
 * typedef fmt_exit_t - clean up when a context is destroyed (optional, 3.5.13)
 * @buf: first byte of the buffer, or NULL
 *
 * Context: process, may sleep. No handler is running or will run.
 * Return: 0; an error is logged and otherwise ignored.
 */
typedef int (*fmt_exit_t)(void *buf);

/**
 * typedef fmt_set_arg_t - apply changed fields of the argument (optional)
 * @buf: first byte of the buffer, or NULL
 * @arg: the new argument, validated. It differs from the last one only in
 *       fields that PFM_ARG_LIVE() declares
 *
 * Required if the format declares such fields. In this case fmt_validate must
 * not change the argument.
 * Context: as fmt_restart_t.
 * Locking: never concurrent with fmt_handler, fmt_restart or itself for one
 * @buf.
 */
typedef void (*fmt_set_arg_t)(void *buf, const void *arg);

/* fmt_flags: the format does not support event sets other than set0. */
#define PFM_FMTFL_NOSET		0x1
/*
 * fmt_flags: the core writes the samples, as a CPU with PEBS would, and the
 * private area begins with a struct pfm_ds (perfmon_ds.h).
 */
#define PFM_FMTFL_DS		0x2
#define PFM_FMTFL_ALL		(PFM_FMTFL_NOSET | PFM_FMTFL_DS)

/*
 * Limits of a format's argument and message queue. Creating a context also
 * fails if the argument is larger than the administrator's limit,
 * cf_arg_size_max (perfmon.h).
 */
#define PFM_FMT_MAX_ARG_SIZE	65536
#define PFM_FMT_MAX_MSGQ_DEPTH	1024

/*
 * Limits of an argument whose layout is published in sysfs. The layout's text
 * must also fit into a page.
 */
#define PFM_ARG_MAX_FIELDS	32
#define PFM_ARG_MAX_WORD	31

/**
 * struct pfm_arg_field - a field of a format's argument, as tools see it
 * @name:   name; that of a nested member begins with the names of the
 *          structures that contain it, each with a dot. The last part, which
 *          users write (see pfm_arg_name()), is a word of at most
 *          PFM_ARG_MAX_WORD letters, digits and underscores
 * @unit:   unit, also a word. For "bytes" tools accept suffixes as in 64k
 * @offset: offset in bytes from the start of the argument
 * @size:   1, 2, 4 or 8 bytes; unsigned, in native byte order
 * @dfl:    default value
 * @live:   the field may change while the format is used
 */
struct pfm_arg_field {
	const char	*name;
	const char	*unit;
	u32		offset;
	u32		size;
	u64		dfl;
	bool		live;
};

/**
 * pfm_arg_name() - get the name of a field as users write it
 * @f: the field
 *
 * Context: any.
 * Return: the name without those of the structures that contain the member;
 * NULL for the entry that ends a layout.
 */
static inline const char *pfm_arg_name(const struct pfm_arg_field *f)
{
	const char *dot = f->name ? strrchr(f->name, '.') : NULL;

	return dot ? dot + 1 : f->name;
}

/**
 * PFM_ARG() - define a struct pfm_arg_field
 * @type:   type of the argument
 * @member: member of @type, such as max_depth or sink.buf_size. The name of the
 *          field is the last part, such as buf_size
 * @_dfl:   default value
 * @_unit:  unit, a string literal
 */
#define PFM_ARG(type, member, _dfl, _unit)				\
	PFM_ARG_FIELD(type, member, _dfl, _unit, false)

/**
 * PFM_ARG_LIVE() - define a field that PFM_SET_FMT_ARG may change
 * @type:   as for PFM_ARG()
 * @member: as for PFM_ARG()
 * @_dfl:   as for PFM_ARG()
 * @_unit:  as for PFM_ARG()
 *
 * The field may change while the context is attached. The size of the buffer
 * must not depend on the field. The format needs a fmt_set_arg.
 */
#define PFM_ARG_LIVE(type, member, _dfl, _unit)				\
	PFM_ARG_FIELD(type, member, _dfl, _unit, true)

/* For PFM_ARG() and PFM_ARG_LIVE() only. */
#define PFM_ARG_FIELD(type, member, _dfl, _unit, _live)			\
	{								\
		.name = #member,					\
		.unit = (_unit),					\
		.offset = offsetof(type, member),			\
		/* An array or a structure does not compile here. */	\
		.size = sizeof((typeof_member(type, member))0),		\
		.dfl = (_dfl),						\
		.live = (_live),					\
	}

/**
 * PFM_FMT_ARG() - set fmt_arg_size and fmt_arg_layout of a format
 * @type: type of the argument
 * @...:  in braces, PFM_ARG() of each field that a user may set; other fields,
 *        such as reserved ones, are passed as 0
 */
#define PFM_FMT_ARG(type, ...)						\
	.fmt_arg_size = sizeof(type),					\
	/* The fixed size leaves space for the unnamed last entry. */	\
	.fmt_arg_layout = (const struct pfm_arg_field			\
			   [PFM_ARG_MAX_FIELDS + 1]) __VA_ARGS__

/**
 * struct pfm_buffer_fmt_t - a sampling buffer format (3.5.7)
 * @fmt_name:       name, for users (required)
 * @fmt_uuid:       UUID (required, not all zero)
 * @fmt_arg_size:   size in bytes of the argument, 0 for none; at most
 *                  PFM_FMT_MAX_ARG_SIZE
 * @fmt_msgq_depth: number of messages that the queue must hold; 0 means 1; at
 *                  most PFM_FMT_MAX_MSGQ_DEPTH
 * @fmt_flags:      PFM_FMTFL_* flags; all other bits must be 0
 * @fmt_validate:   optional
 * @fmt_getsize:    optional
 * @fmt_init:       optional
 * @fmt_handler:    required
 * @fmt_restart:    optional
 * @fmt_exit:       optional
 * @fmt_groups:     optional: additional files for the format's sysfs directory,
 *                  NULL-terminated
 * @fmt_getpriv:    optional
 * @fmt_arg_layout: optional: fields of the argument, ending with an entry
 *                  without a name; lets tools set fields by name
 *                  (PFM_FMT_ARG())
 * @fmt_set_arg:    required if a field of the argument may change, otherwise
 *                  optional
 */
typedef struct {
	const char	*fmt_name;
	pfm_uuid_t	fmt_uuid;
	size_t		fmt_arg_size;
	size_t		fmt_msgq_depth;
	u32		fmt_flags;
	fmt_validate_t	fmt_validate;
	fmt_getsize_t	fmt_getsize;
	fmt_init_t	fmt_init;
	fmt_handler_t	fmt_handler;
	fmt_restart_t	fmt_restart;
	fmt_exit_t	fmt_exit;
	const struct attribute_group **fmt_groups;
	fmt_getpriv_t	fmt_getpriv;
	const struct pfm_arg_field *fmt_arg_layout;
	fmt_set_arg_t	fmt_set_arg;
} pfm_buffer_fmt_t;

typedef pfm_buffer_fmt_t pfm_smpl_fmt_t;

/*
 * Version of everything in the SDK's headers that is compiled into a format:
 * layouts, call-backs, inline functions and their constants. It changes when
 * formats that were built before would no longer work.
 */
#define PFM_FMT_INTERFACE	4

/**
 * pfm_register_buffer_fmt() - register a format (3.5.8)
 * @fmt: the format; must stay valid and unchanged until unregistered
 *
 * A context that uses the format holds a reference to the calling module.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if a required field is missing, a field is out of range,
 * or the module was built for another PFM_FMT_INTERFACE; -EBUSY if the UUID is
 * already registered; -ENOMEM. The kernel log gives the reason.
 */
#define pfm_register_buffer_fmt(fmt)					\
	__pfm_register_buffer_fmt(fmt, THIS_MODULE, PFM_FMT_INTERFACE)

/* For pfm_register_buffer_fmt() only. */
int __pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt,
			      struct module *owner, unsigned int interface);

/**
 * pfm_unregister_buffer_fmt() - unregister a format (3.5.9)
 * @uuid: its UUID
 *
 * A module's exit function can call this unconditionally, because contexts that
 * use the format hold a reference to its module.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if no such format is registered; -EBUSY if a context uses
 * it (impossible in the module's own exit function).
 */
int pfm_unregister_buffer_fmt(const pfm_uuid_t uuid);

/**
 * pfm_fmt_get() - look up a format and take a reference, as a context does
 * @uuid: its UUID
 *
 * This is for modules that test formats. Requests the format's module if the
 * format is not registered.
 *
 * Context: process, may sleep.
 * Return: the format, which is valid until pfm_fmt_put(); NULL if not found.
 */
const pfm_buffer_fmt_t *pfm_fmt_get(const pfm_uuid_t uuid);

/**
 * pfm_fmt_put() - drop the reference to a format
 * @fmt: from pfm_fmt_get()
 *
 * Context: process, may sleep.
 */
void pfm_fmt_put(const pfm_buffer_fmt_t *fmt);

/**
 * pfm_num_pmds() - get the number of PMDs that the current PMU implements
 *
 * A format uses this to calculate the size of the largest possible entry
 * (3.6.5).
 * Context: process, in a call-back that is part of creating a context.
 * Return: the number; 0 if no PMU is registered.
 */
u16 pfm_num_pmds(void);

/**
 * pfm_ovfl_read_pmd() - read a PMD during an overflow (3.5)
 * @data:  as passed to fmt_handler
 * @num:   the PMD
 * @value: out: its current 64-bit value, in the active event set
 *
 * Use this only for PMDs that are not in reg_smpl_pmds. The values of PMDs in
 * reg_smpl_pmds are passed with the overflow, which is faster.
 * Context: fmt_handler.
 * Return: 0; -EINVAL if the PMU has no such PMD, @value is then unchanged.
 */
int pfm_ovfl_read_pmd(struct pfm_ovfl_data *data, u16 num, u64 *value);

/**
 * pfm_raw_time() - request raw time stamps for fmt_handler
 * @buf:  as passed to fmt_init
 * @conv: out: conversion to ns, which does not change while the buffer exists
 *
 * The handler then gets values of a counter of the CPU, the one from which perf
 * calculates its clock. Reading the counter takes fewer instructions than
 * calculating the time in ns.
 * Context: fmt_init.
 * Return: 0; -EOPNOTSUPP if the counter is not suitable, in which case time
 * stamps remain in ns.
 */
int pfm_raw_time(void *buf, pfm_time_conv_t *conv);

#endif /* PERFMON_PERFMON_FMT_H */
