/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfmon_fmt.h - what a sampling buffer format gives to the perfmon core
 *
 * A format is one pfm_buffer_fmt_t registered under its UUID (specification
 * 3.5.7-3.5.15). The core calls it back; it never calls the hardware.
 */
#ifndef PERFMON_PERFMON_FMT_H
#define PERFMON_PERFMON_FMT_H

#include <linux/container_of.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>

struct attribute_group;
struct pt_regs;

/**
 * typedef pfm_ovfl_ctrl_t - what the core does after a call-back (3.5.14)
 * @notify_user:     append an overflow message; only if the controlling PMC
 *                   has PFM_REGFL_OVFL_NOTIFY; ignored by fmt_restart
 * @reset_ovfl_pmds: reset the overflowed PMD and its reset_pmds, with short
 *                   values after fmt_handler, with long ones after fmt_restart
 * @block_thread:    block the monitored thread; only for a context with
 *                   PFM_FL_NOTIFY_BLOCK that is not self-monitoring; ignored
 *                   by fmt_restart
 * @mask_monitoring: stop collecting until the next PFM_RESTART; set in any call
 *                   of one overflow event, it defers all resets of that event
 * @reserved:        must stay 0; a handler that sets it is taken to be broken
 * @val:             all bits at once
 *
 * All bits are 0 when the call-back is entered.
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
/* Notify, block if asked for, and mask until PFM_RESTART. */
#define PFM_OVFL_CTRL_HOLD \
	(PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK | PFM_OVFL_CTRL_MASK)

/**
 * typedef pfm_ovfl_arg_t - description of one PMD's overflow (3.5.14)
 * @ovfl_pmd:         PMD that overflowed
 * @reserved1:        0; a format must not write it, for samples copy it into a
 *                    field that is 0, and nobody clears it again
 * @ovfl_cpu:         CPU
 * @active_set:       event set that was active
 * @pmd_last_reset:   value that was last loaded into the PMD
 * @pmd_value:        the PMD's value now; 0 or a little more
 * @ovfl_ctrl:        out: what to do on return
 * @reserved2:        0
 * @pmd_eventid:      reg_smpl_eventid of the controlling PMC
 * @smpl_pmds:        PMDs to record (reg_smpl_pmds)
 * @ovfl_notify:      1 if the controlling PMC has PFM_REGFL_OVFL_NOTIFY
 * @num_smpl_pmds:    number of values in @smpl_pmds_values
 * @smpl_pmds_values: values of the PMDs in @smpl_pmds, in increasing index.
 *                    Only @num_smpl_pmds of them exist: memory ends there, and
 *                    the structure is not to be copied as a whole
 *
 * Owned by the core, valid during the call only. What samples copy is in the
 * order in which the default format's entries have it.
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
 * struct pfm_ovfl_data - where and in whom an overflow happened
 * @ip:   instruction pointer; never a kernel address if the event excludes the
 *        kernel
 * @regs: interrupted registers, or NULL when they are gone because the overflow
 *        had to wait for another one, or for an active restart
 * @tid:  thread that was running (in the initial pid name space)
 * @tgid: its process
 *
 * What fmt_handler is given as data.
 */
struct pfm_ovfl_data {
	struct pt_regs	*regs;

	struct_group(ids,
		u32	tid;
		u32	tgid;
	);

	u64		ip;
};

/**
 * typedef fmt_validate_t - check the format's argument (optional, 3.5.10)
 * @ctx_flags: PFM_FL_* of the context
 * @num_pmds:  number of PMDs that the PMU implements
 * @arg:       the format's argument, fmt_arg_size bytes, a kernel copy;
 *             NULL if fmt_arg_size is 0
 *
 * Context: process, may sleep. Called before anything is allocated.
 * Return: 0, or a negative errno that PFM_CREATE_CONTEXT fails with.
 */
typedef int (*fmt_validate_t)(u32 ctx_flags, u16 num_pmds, void *arg);

/**
 * typedef fmt_getsize_t - size of the buffer (optional, 3.5.11)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @size:      out: size in bytes; 0 for no buffer
 *
 * Without this call-back the format has no buffer of the core's.
 * Context: process, may sleep.
 * Return: 0, or a negative errno that PFM_CREATE_CONTEXT fails with.
 */
typedef int (*fmt_getsize_t)(u32 ctx_flags, void *arg, size_t *size);

/**
 * typedef fmt_getpriv_t - size of a private area beside the buffer (optional)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @size:      out: size in bytes; 0 for none
 *
 * For what does not fit into the PFM_FMT_PRIV_SIZE bytes in front of the
 * buffer. pfm_fmt_area() finds it. It is charged to whoever pays for the
 * buffer, within the same limits, and takes a buffer: without one creation
 * fails with EINVAL. Called after fmt_getsize, before anything is allocated.
 * Context: process, may sleep.
 * Return: 0, or a negative errno that PFM_CREATE_CONTEXT fails with.
 */
typedef int (*fmt_getpriv_t)(u32 ctx_flags, void *arg, size_t *size);

/**
 * typedef fmt_init_t - initialise the buffer (optional, 3.5.12)
 * @ctx_flags: PFM_FL_* of the context
 * @arg:       the format's argument, validated
 * @buf:       first byte of the buffer, all zero and page aligned; NULL if the
 *             format has no buffer. PFM_FMT_PRIV_SIZE bytes in front of it are
 *             the format's own and are never mapped, and so is what it asked
 *             for in fmt_getpriv (perfmon_fmt_sdk.h)
 *
 * Context: process, may sleep.
 * Return: 0, or a negative errno that PFM_CREATE_CONTEXT fails with; fmt_exit
 * is not called then.
 */
typedef int (*fmt_init_t)(u32 ctx_flags, void *arg, void *buf);

/**
 * typedef fmt_handler_t - record one overflow (required, 3.5.14)
 * @buf:    first byte of the buffer, or NULL
 * @arg:    the overflow; the handler sets @arg->ovfl_ctrl
 * @tstamp: time in ns, the same for all PMDs of one overflow event, increasing
 *          on a CPU
 * @data:   where and in whom, valid during the call only
 *
 * Called once per overflowed PMD, in increasing index.
 *
 * Context: any, NMI included. What it may do and touch: docs/handler_rules.md.
 * Locking: never concurrent with itself, fmt_restart or fmt_exit for one @buf.
 * Return: 0. An error ends the calls for this overflow event and masks
 * monitoring until PFM_RESTART; this overflow and those that it is not called
 * for count as lost. -ENOBUFS says that there was no room.
 */
typedef int (*fmt_handler_t)(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			     struct pfm_ovfl_data *data);

/**
 * typedef fmt_restart_t - PFM_RESTART was called (optional, 3.5.15)
 * @buf:       first byte of the buffer, or NULL
 * @is_active: 0 if monitoring is masked, 1 if it is not
 * @ctrl:      out: reset_ovfl_pmds and mask_monitoring are honoured
 *
 * Without this call-back, PFM_RESTART on a masked context resets and resumes,
 * on an active one does nothing.
 * Context: process; must not sleep, because overflows wait meanwhile.
 * Locking: never concurrent with fmt_handler or itself for one @buf.
 * Return: 0, or a negative errno that PFM_RESTART fails with, nothing changed.
 */
typedef int (*fmt_restart_t)(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl);

/**
 * typedef fmt_exit_t - the context goes (optional, 3.5.13)
 * @buf: first byte of the buffer, or NULL
 *
 * Context: process, may sleep. No handler runs and none will.
 * Return: 0; an error is reported in the kernel log and otherwise ignored.
 */
typedef int (*fmt_exit_t)(void *buf);

/* fmt_flags: the format does not support event sets other than set0. */
#define PFM_FMTFL_NOSET		0x1
/* The PMU writes the samples: the private area begins with a struct pfm_ds. */
#define PFM_FMTFL_DS		0x2
#define PFM_FMTFL_ALL		(PFM_FMTFL_NOSET | PFM_FMTFL_DS)

/*
 * Largest argument of a format and largest message queue, both in sane reach.
 * A context's creation is refused if the argument exceeds cf_arg_size_max.
 */
#define PFM_FMT_MAX_ARG_SIZE	65536
#define PFM_FMT_MAX_MSGQ_DEPTH	1024

/* What a published field may be; all lines together fit into a page. */
#define PFM_ARG_MAX_FIELDS	32
#define PFM_ARG_MAX_WORD	31

/**
 * struct pfm_arg_field - a field of a format's argument, as tools see it
 * @name:   its name, a word of at most PFM_ARG_MAX_WORD letters, digits and _
 * @unit:   what it is a number of, such a word. For "bytes" tools take 64k
 * @offset: where it begins, in bytes from the start of the argument
 * @size:   1, 2, 4 or 8 bytes; unsigned, in the byte order of the machine
 * @dfl:    its value where the user names none
 */
struct pfm_arg_field {
	const char	*name;
	const char	*unit;
	u32		offset;
	u32		size;
	u64		dfl;
};

/**
 * PFM_ARG() - a struct pfm_arg_field
 * @type:   type of the argument
 * @member: the field; its name is the one that tools are given
 * @_dfl:   as above
 * @_unit:  as above, a literal
 */
#define PFM_ARG(type, member, _dfl, _unit)				\
	{								\
		.name = #member,					\
		.unit = (_unit),					\
		.offset = offsetof(type, member),			\
		/* Neither an array nor a structure can be cast to. */	\
		.size = sizeof((typeof_member(type, member))0),		\
		.dfl = (_dfl),						\
	}

/**
 * PFM_FMT_ARG() - fmt_arg_size and fmt_arg_layout of a format
 * @type: type of the argument
 * @...:  in braces, PFM_ARG() of each field that a user may set; what is left,
 *        such as reserved fields, is passed as 0
 */
#define PFM_FMT_ARG(type, ...)						\
	.fmt_arg_size = sizeof(type),					\
	/* Of this size, the last one has no name. */			\
	.fmt_arg_layout = (const struct pfm_arg_field			\
			   [PFM_ARG_MAX_FIELDS + 1]) __VA_ARGS__

/**
 * typedef pfm_buffer_fmt_t - a sampling buffer format (3.5.7)
 * @fmt_name:       name, for people (required)
 * @fmt_uuid:       identification (required, not all zero)
 * @fmt_arg_size:   size in bytes of the argument, 0 for none; at most
 *                  PFM_FMT_MAX_ARG_SIZE
 * @fmt_msgq_depth: messages that the queue must hold; less than 1 is taken as
 *                  1, at most PFM_FMT_MAX_MSGQ_DEPTH
 * @fmt_flags:      PFM_FMTFL_* flags; all other bits must be 0
 * @fmt_validate:   optional
 * @fmt_getsize:    optional
 * @fmt_init:       optional
 * @fmt_handler:    required
 * @fmt_restart:    optional
 * @fmt_exit:       optional
 * @fmt_groups:     optional: further files for the format's folder in sysfs,
 *                  NULL-terminated
 * @fmt_getpriv:    optional
 * @fmt_arg_layout: optional: fields of the argument, the last without a name:
 *                  with it, tools take them by name (PFM_FMT_ARG())
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
} pfm_buffer_fmt_t;

typedef pfm_buffer_fmt_t pfm_smpl_fmt_t;

/*
 * Number of what a format has compiled in of the SDK's headers: layouts,
 * call-backs, inline functions and their constants. It changes when a format
 * that was built before would not work any more.
 */
#define PFM_FMT_INTERFACE	3

/**
 * pfm_register_buffer_fmt() - make a format usable (3.5.8)
 * @fmt: the format; must stay valid and unchanged until unregistered
 *
 * The module that says this is held while a context uses the format.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if a required field is missing, a field is out of range,
 * or the module was built for another PFM_FMT_INTERFACE; -EBUSY if the UUID is
 * registered already; -ENOMEM. The kernel's log has the reason.
 */
#define pfm_register_buffer_fmt(fmt)					\
	__pfm_register_buffer_fmt(fmt, THIS_MODULE, PFM_FMT_INTERFACE)

/* For pfm_register_buffer_fmt() only. */
int __pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt,
			      struct module *owner, unsigned int interface);

/**
 * pfm_unregister_buffer_fmt() - remove a format (3.5.9)
 * @uuid: its UUID
 *
 * Contexts that use the format hold its module, so that a module's exit
 * function can call this unconditionally.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if no such format is registered; -EBUSY if a context uses
 * it (impossible from the module's own exit function).
 */
int pfm_unregister_buffer_fmt(const pfm_uuid_t uuid);

/**
 * pfm_fmt_get() - find a format and hold it, as a context does
 * @uuid: its UUID
 *
 * For what tests formats. The format's module is asked for if nobody has
 * registered it.
 *
 * Context: process, may sleep.
 * Return: the format, until pfm_fmt_put(); NULL if there is none.
 */
const pfm_buffer_fmt_t *pfm_fmt_get(const pfm_uuid_t uuid);

/**
 * pfm_fmt_put() - hold a format no longer
 * @fmt: what pfm_fmt_get() has returned
 *
 * Context: process, may sleep.
 */
void pfm_fmt_put(const pfm_buffer_fmt_t *fmt);

/**
 * pfm_num_pmds() - number of PMDs that the current PMU implements
 *
 * For the size of the largest possible entry (3.6.5).
 * Context: process, from a call-back of a context's creation.
 * Return: the number; 0 if no PMU is registered.
 */
u16 pfm_num_pmds(void);

/**
 * pfm_ovfl_read_pmd() - value of a PMD during an overflow (3.5)
 * @data:  what fmt_handler was given as data
 * @num:   the PMD
 * @value: out: its 64-bit value now, in the active event set
 *
 * For what the tool did not ask for in reg_smpl_pmds; those values come with
 * the overflow, and faster.
 * Context: fmt_handler.
 * Return: 0; -EINVAL if the PMU has no such PMD, @value unchanged.
 */
int pfm_ovfl_read_pmd(struct pfm_ovfl_data *data, u16 num, u64 *value);

#endif /* PERFMON_PERFMON_FMT_H */
