/* SPDX-License-Identifier: GPL-2.0 */
/*
 * context.h - contexts: structures and small queries
 *
 * Locking, outermost first:
 *   signal->exec_update_lock of the thread to attach to: held by an exec while
 *                       it closes descriptors
 *   pfm_context.mutex   serializes commands. The exit and exec of a monitored
 *                       thread and a suspend do not wait for it
 *                       (pfm_begin_hurry()), so that a tool cannot hold them
 *                       up. User memory is not accessed under it. A command
 *                       on a family (family.c) takes the root's mutex, then
 *                       each member's
 *   registry mutexes    formats (fmt.c), PMU (pmu.c)
 *   pfm_config_lock     changes to the configuration (config.c)
 *   pfm_probe_lock      probes at tracepoints (tracepoint.c)
 *   pfm_attach_lock     attachments (attach.c); the exit and exec probes do
 *                       not take it
 *   pfm_family.lock     members and sums of a family (family.c)
 * mmap_lock may be taken while exec_update_lock is held, but not under another
 * of these locks. None of them is taken inside mmap_lock: mmap() takes only the
 * xarray lock of pfm_context.sets.
 * CPU hotplug is not a lock of ours, but perf waits for it inside commands: see
 * cpu.c. The overflow path takes none of these locks. pfm_context.busy says who
 * owns a context. Commands keep overflows out with pfm_pause() (pause.c), or
 * for short sections with pfm_own() (owner.c).
 */
#ifndef PFM_CORE_CONTEXT_H
#define PFM_CORE_CONTEXT_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_fmt.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>
#include <perfmon/perfmon_time.h>
#include <perfmon/perfmon_work.h>
#include "charge.h"
#include "msgq.h"

struct file;
struct pfm_attachment;
struct pfm_block;
struct pfm_buffer;
struct pfm_context;
struct pfm_family;
struct pfm_share;
struct pid_namespace;

/**
 * struct pfm_pmd_ovfl - prepared data for the overflows of one PMD
 * @trigger: the overflow may switch event sets
 * @random: PFM_REGFL_RANDOM
 * @at_exit: PFM_REGFL_AT_EXIT
 * @num_reset: number of PMDs that are reset with this one: see
 *             pfm_reset_slots()
 * @num_data: number of PMDs to record whose value is data of the sample, such
 *            as an address. They follow the other PMDs: see pfm_data_regs()
 * @arg:  argument for the format's handler. Fields that are the same for each
 *        overflow are set in advance. The last field is an array with one value
 *        per PMD to record. After it come the lists of pfm_smpl_regs(),
 *        pfm_data_regs() and pfm_reset_slots()
 */
struct pfm_pmd_ovfl {
	bool			trigger;
	bool			random;
	bool			at_exit;
	u16			num_reset;
	u16			num_data;
	pfm_ovfl_arg_t		arg;
};

/*
 * Invariants of the overflow path:
 * - A PMD that samples (pfm_pmu_reg.sampling) has a pfm_pmd.ovfl.
 * - pfm_pmu_reg.reload is never 0. So it differs from pfm_pmd.plain_reset if a
 *   reset must do more than load a value, because plain_reset is then 0.
 * - An overflow that is not discarded belongs to the active set: after a switch
 *   the context is frozen until the PMU has the new set and no overflow of the
 *   previous set is in progress.
 * - The events of a thread are not bound to a CPU: pfm_pmu_set.cpu is -1.
 */

/**
 * struct pfm_pmd - one PMD of an event set, or its clock
 * @hw:          the structure that the PMU sees
 * @ctx:         context
 * @ovfl:        prepared data for its overflows; NULL until a command writes
 *               settings for them. Until then the PMD does not sample
 *               (@hw.sampling)
 * @plain_reset: @short_reset if a reset after an overflow only loads this
 *               value, else 0
 * @state:       state of its overflows: PFM_QUIET etc.
 * @slot:        index in pfm_evtset.regs, which is the PMD's index in the PMU's
 *               table; the clock has the last index
 * @random:      state of the random series
 * @known_from:  its value when it became PFM_KNOWN
 * @short_reset: value to load after an overflow that does not mask
 * @ovfl_ip:     in the state PFM_NOTED: instruction pointer of the overflow
 * @value:       software value. While the set is not active, or is frozen: the
 *               whole value. Otherwise only the bits above the hardware
 *               counter's width are current. The bits below are from the
 *               counter's last load or wrap, so @value is a lower bound
 * @loads:       twice the number of loads; odd while a load is in progress
 * @seen_loads:  @loads when a command last read the value
 * @seen:        value that this command saw
 * @last_reset:  value that was last loaded
 * @long_reset:  value that PFM_RESTART loads
 * @ovflsw_thres: overflows before switching to the next set; 0 for none
 * @ovflsw_left: number of overflows left until this switch
 * @random_mask: bits of the random value to add on reset
 */
struct pfm_pmd {
	struct pfm_pmu_reg	hw;

	struct pfm_context	*ctx;
	struct pfm_pmd_ovfl	*ovfl;
	u64			plain_reset;

	u8			state;
	u16			slot;
	u32			random;
	u64			known_from;
	u64			short_reset;
	u64			ovfl_ip;
	u64			value;
	u32			loads;
	u32			seen_loads;
	u64			seen;
	u64			last_reset;
	u64			long_reset;
	u64			ovflsw_thres;
	u64			ovflsw_left;
	u64			random_mask;
};

/**
 * struct pfm_evtset - an event set: a complete state of the PMU
 * @pmu_set:     the structure that the PMU sees; a copy of pfm_context.target
 * @charge:      charge for the set and its registers; NULL for set0, which is
 *               not charged
 * @next:        set to switch to; valid while loaded
 * @id:          number of the set
 * @id_next:     number of the explicit next set
 * @used:        the entries of @regs from this index up to the clock are NULL
 * @flags:       PFM_SETFL_*
 * @timeout:     effective timeout in ns; 0 if the set does not switch by time
 * @runs:        number of times that it became the active set
 * @duration:    time in ns that the set was active, minus the clock's value
 * @unmeasured:  time in ns that the set was active but not yet on the PMU
 * @to_reset:    PMDs (bitmap of slots) that overflowed and were not reset
 * @switch_pmds: PMDs (bitmap of slots) that caused the last switch from this
 *               set to the next
 * @page:        page for user space, or NULL; the kernel does not read it
 * @page_seq:    sequence number of the page
 * @counter_seq: sequence number of the counters in the page
 * @page_buffer: buffer with @page
 * @configs:     configuration words that accompany the PMC of each register, or
 *               NULL while all of them are 0 (pmc.c)
 * @regs:        pfm_pmd.hw of the PMDs, in the order of the PMU's table; NULL
 *               for PMDs that are not allocated yet (pmd.c). The last entry is
 *               the clock, which counts from -@timeout. PMDs that hold data of
 *               samples come last in the table, and are not in @regs
 */
struct pfm_evtset {
	struct pfm_pmu_set	pmu_set;
	struct pfm_charge	*charge;
	struct pfm_evtset	*next;
	u16			id;
	u16			id_next;
	u16			used;
	u32			flags;
	u64			timeout;
	u64			runs;
	u64			duration;
	u64			unmeasured;
	DECLARE_BITMAP(to_reset, PFM_MAX_PMDS);
	DECLARE_BITMAP(switch_pmds, PFM_MAX_PMDS);
	pfm_set_page_t		*page;
	u32			page_seq;
	u32			counter_seq;
	struct pfm_buffer	*page_buffer;
	u64			(*configs)[PFM_PMC_CONFIGS];
	struct pfm_pmu_reg	*regs[];
};

/**
 * struct pfm_reader - a thread, by the IDs that user space sees
 * @tid:    return value of its gettid(), or 0 for none
 * @pid_ns: inode number of its PID namespace
 */
struct pfm_reader {
	u32	tid;
	u32	pid_ns;
};

/**
 * struct pfm_odd_answers - counts of invalid results of a format's handler
 * @errors:     errors other than a full buffer
 * @no_ctrl:    no control bit was set
 * @bad_ctrl:   unknown control bits were set
 * @last_error: last return value counted in @errors
 */
struct pfm_odd_answers {
	u64	errors;
	u64	no_ctrl;
	u64	bad_ctrl;
	int	last_error;
};

/**
 * struct pfm_rate - a window: overflows that are checked together (rate.c)
 * @began:     time in ns of its first overflow; 0 before that
 * @shortest:  shortest time in ns that one of its overflows took
 * @timed:     number of its overflows that were timed
 * @max:       ovfl_rate_max when it began
 * @left:      number of overflows until it ends
 */
struct pfm_rate {
	u64	began;
	u64	shortest;
	u32	timed;
	u32	max;
	u32	left;
};

/**
 * struct pfm_raw - raw time stamps of a context (stamp.c)
 * @base: added to the counter to get a time stamp
 * @last: the last time stamp
 * @conv: conversion of raw time stamps to ns
 * @list: link in the list of contexts with raw time stamps
 */
struct pfm_raw {
	u64			base;
	u64			last;
	pfm_time_conv_t		conv;
	struct list_head	list;
};

/**
 * struct pfm_many - state of a vector command in progress
 * @ask_first: if a write would make the PMU attach again, return PFM_ASK_FIRST
 *             instead
 */
struct pfm_many {
	bool	ask_first;
};

/**
 * struct pfm_member - the place of a context in its family (family.c)
 * @is_one: the context is a member; the other fields are not used in the root
 * @ref:    one reference each for its birth, pfm_family.members, and a walk
 *          over the family that is visiting it
 * @walk:   number of the last walk that has reached it
 * @node:   in pfm_family.members
 * @dead:   in pfm_family.dead
 */
struct pfm_member {
	bool			is_one;
	refcount_t		ref;
	u32			walk;
	struct list_head	node;
	struct llist_node	dead;
};

/**
 * struct pfm_context - a perfmon context
 *
 * The overflow path:
 * @busy:     owner: 0 or PFM_BUSY_*; the first field, as arm64's atomic
 *            instructions have no offset
 * @deferred: overflows were deferred, or missed, while the context was owned
 * @data:     where the overflow happened
 * @unusual:  the next five fields as one word; if it is 0, an overflow takes
 *            the fastest path
 * @frozen:   reasons why counting is discarded: PFM_MASKED and others
 * @several:  the active set has more than one PMD that samples
 * @translated: @pid_ns is not the initial namespace: translate thread IDs
 * @values:   at least one PMD of the active set records values of PMDs
 * @raw_time: time stamps are raw, see @raw
 * @credit:   number of overflows until the credit must be renewed (rate.c)
 * @missed:   overflows that could not be deferred, to be added to @lost
 * @unsettled: the PMU has been started since pfm_wait_overflows() last returned
 * @paused:   a command is changing the context, so the probe of exclude.c and
 *            late overflows must not touch the counters (pause.c)
 * @excluded: the CPU runs an excluded task, according to the probe
 * @handler:  the format's handler, pfm_share_handler() in a family that
 *            samples, or pfm_no_fmt_handler()
 * @buf:      the format's buffer, @share, or NULL
 * @read_pmds: the PMU's read_pmds_ovfl
 * @pmu:      PMU description
 * @set:      active event set
 * @raw:      raw time stamps
 * @reported: PMD whose overflow the PMU is reporting; NULL while the owner does
 *            something else
 * @switch_due: PFM_RESTART must switch to the next set
 * @lost:     overflows that were not recorded
 * @rate:     for the limits on overflows
 * @throttled: number of times that a limit of @rate was exceeded, which masks
 *            the whole context until PFM_RESTART
 * @pmu_throttled: number of times that the PMU stopped a counter to limit its
 *            overflows
 * @odd:      invalid results of the format's handler
 * @ovfl_end: work that the overflow path leaves to irq_work, PFM_END_* bits
 * @irq_work: does the work in @ovfl_end
 *
 * The rest, under @mutex:
 * @mutex:    see above
 * @file:     file of its descriptors, which owns the context; only for
 *            comparison
 * @rcu:      delays freeing: the kernel may still access an irq_work that has
 *            run
 * @ref:      one reference each for the descriptor, an attachment to a thread,
 *            a queued switch, a suspend, the file of an area
 * @flags:    PFM_FL_*
 * @started:  between PFM_START and PFM_STOP
 * @start_at_exec: PFM_START waits for the thread's next exec; the probe of exec
 *            reads this
 * @exec_detached: an exec has detached it since the last PFM_LOAD_CONTEXT
 * @loaded:   attached to a thread or CPU
 * @gone:     the monitored CPU has gone offline; under pfm_attach_lock
 * @user_clock: user space has the kernel's CLOCK_MONOTONIC (no time namespace)
 * @reader:   the monitored thread, if it may read its counters itself
 * @target:   thread or CPU that it is attached to; each set has a copy
 * @pid_ns:   PID namespace of the process that attached the context, or the
 *            family's root; NULL while not attached
 * @cgroup:   control group whose tasks are measured, or NULL: all tasks
 * @sets:     event sets by their number
 * @num_sets: number of event sets
 * @charge:   memlock accounting, charged to the creator
 * @on_pmu:   event set that the PMU runs, or has run last
 * @left_at:  value of the clock of @on_pmu when @on_pmu ceased to be the active
 *            set
 * @left:     resources of the PMU, such as perf events, that it no longer uses
 *            and that must still be released (release.c)
 * @num_left: number of entries of @left, and of those being released
 * @release:  work item that releases them
 * @sets_denied: number of times that a set became active although there were
 *            not enough free counters
 * @in_call:  the monitored thread, while it is in a command
 * @switch_work: programs the PMU after a switch of sets
 * @commanded: a command holds @mutex
 * @switch_queued: @switch_here or @switch_later is queued
 * @switch_here: does the work of @switch_work in the monitored thread
 * @switch_later: does the same work if @switch_here found the context locked
 * @switch_task: thread of @switch_here; only for comparison
 * @fmt_state: what the format remembers of the thread, passed in @data
 * @fmt:      sampling format, or NULL; a member has no reference of its own
 * @fmt_arg:  the format's argument if it may change, else NULL
 * @buffer:   the format's buffer, or NULL
 * @share:    the buffers of its family, instead of @buffer; or NULL
 * @buf_size: size in bytes of the mapping of the buffer, or of each of @share
 * @areas:    number of VMAs that map a buffer or page of the context, and of
 *            calls to mmap() in progress; changed without @mutex
 * @attachment: the attachment to a thread, or NULL
 * @behind:   number of work items that are to act on an exit or exec of its
 *            thread (attach.c)
 * @self:     the monitored thread's process, if that process has attached the
 *            context, else NULL; only for comparison
 * @trusted:  attached with CAP_PERFMON and without PFM_FL_NOTIFY_BLOCK; may
 *            monitor any program that the thread executes
 * @many:     the vector command in progress, or NULL
 * @stop:     stops the PMU after the context was masked, or after its CPU went
 *            offline
 * @tell:     wakes readers if @irq_work must not (PFM_IRQ_WORK_IS_RAW)
 * @msgq:     messages
 * @block_trial: which of the tests of block.c's kprobe was made for this
 *               context: a number counted by pfm_trials
 * @block:    blocks the monitored thread; NULL while not attached, or without
 *            PFM_FL_NOTIFY_BLOCK
 * @family:   with PFM_FL_INHERIT: the family, once loaded; else NULL
 * @member:   the context's place in @family
 */
struct pfm_context {
	u32			busy;
	u32			deferred;
	struct pfm_ovfl_data	data;

	union {
		struct {
			u32	frozen;
			u8	several;
			u8	translated;
			u8	values;
			u8	raw_time;
		};
		u64		unusual;
	};

	u32			credit;
	atomic_t		missed;

	bool			unsettled;
	bool			paused;
	bool			excluded;
	fmt_handler_t		handler;
	void			*buf;
	void			(*read_pmds)(struct pfm_pmu_reg *const *regs,
					     u64 *values, unsigned int n);
	const struct pfm_pmu	*pmu;
	struct pfm_evtset	*set;
	struct pfm_raw		raw;
	const struct pfm_pmd	*reported;
	bool			switch_due;
	u64			lost;
	struct pfm_rate		rate;
	u64			throttled;
	atomic64_t		pmu_throttled;
	struct pfm_odd_answers	odd;
	unsigned long		ovfl_end;
	struct pfm_irq_work	irq_work;

	struct rcu_head		rcu;
	struct kref		ref;
	struct mutex		mutex;
	struct file		*file;
	u32			flags;
	bool			started;
	bool			start_at_exec;
	bool			exec_detached;
	bool			loaded;
	bool			gone;
	bool			user_clock;
	struct pfm_reader	reader;
	struct pfm_pmu_set	target;
	struct pid_namespace	*pid_ns;
	struct cgroup		*cgroup;
	struct xarray		sets;
	unsigned int		num_sets;
	struct pfm_charge	charge;
	struct pfm_evtset	*on_pmu;
	u64			left_at;
	struct llist_head	left;
	atomic_t		num_left;
	struct delayed_work	release;
	u64			sets_denied;
	struct task_struct	*in_call;
	struct pfm_work		switch_work;
	bool			commanded;
	unsigned long		switch_queued;
	struct callback_head	switch_here;
	struct pfm_work		switch_later;
	const void		*switch_task;
	struct pfm_ovfl_state	fmt_state;
	const pfm_buffer_fmt_t	*fmt;
	void			*fmt_arg;
	struct pfm_buffer	*buffer;
	struct pfm_share	*share;
	size_t			buf_size;
	atomic_t		areas;
	struct pfm_attachment	*attachment;
	const struct signal_struct *self;
	atomic_t		behind;
	bool			trusted;
	const struct pfm_many	*many;
	struct pfm_work		stop;
	struct pfm_work		tell;
	struct pfm_msgq		msgq;
	int			block_trial;
	struct pfm_block	*block;
	struct pfm_family	*family;
	struct pfm_member	member;
};

/* pfm_context.values and raw_time as bits of pfm_context.unusual */
#ifdef __LITTLE_ENDIAN
#define PFM_UNUSUAL_VALUES	(1ULL << 48)
#define PFM_UNUSUAL_TIME	(1ULL << 56)
#else
#define PFM_UNUSUAL_VALUES	(1ULL << 8)
#define PFM_UNUSUAL_TIME	1ULL
#endif

/* Bits of pfm_context.ovfl_end. */
#define PFM_END_NOTIFY		0
#define PFM_END_BLOCK		1
#define PFM_END_STOP		2
#define PFM_END_DEFERRED	3
#define PFM_END_SWITCH		4	/* by a work item */
#define PFM_END_SWITCH_HERE	5	/* by the thread, before user space */

/*
 * Bits of pfm_context.frozen. PFM_EXCLUDED and the other bits may change on
 * different CPUs at the same time, so all are changed with set_mask_bits(),
 * which is also a barrier.
 */
#define PFM_MASKED		0x1	/* until PFM_RESTART */
#define PFM_SWITCHING		0x2	/* until the PMU runs the active set */
#define PFM_EXCLUDED		0x4	/* by exclude.c; the clock still runs */

/*
 * pfm_context.busy: the owner of the context (owner.c). If an overflow finds
 * PFM_BUSY_OVERFLOW, it has interrupted another overflow. The other one either
 * is the owner, or has overwritten PFM_BUSY_COMMAND in pfm_enter_fast() and not
 * yet restored it. If an overflow finds PFM_BUSY_COMMAND, the command is
 * running on another CPU, or on this CPU with interrupts off.
 */
#define PFM_BUSY_OVERFLOW	1
#define PFM_BUSY_COMMAND	2

/*
 * pfm_pmd.state: an overflow that the PMU has reported and no owner has handled
 * (NOTING, NOTED), or one that was handled but not yet reported (KNOWN). A
 * report that finds the context owned makes a note. Only an owner takes notes
 * or sets PFM_KNOWN. A command that owns the context takes no notes: an
 * irq_work waits for the command and becomes the owner (defer.c). The CPU's
 * registers are not kept for a noted overflow; its time and PMD values are read
 * when the owner handles it. If the context is frozen at that time, the
 * overflow is discarded. The PMD becomes QUIET again when its note is taken, a
 * known overflow is reported, the PMD is reset, or its set becomes active.
 */
#define PFM_QUIET		0	/* no overflow in progress */
#define PFM_KNOWN		1	/* handled, but not yet reported */
#define PFM_NOTING		2	/* reported, being noted */
#define PFM_NOTED		3	/* reported, to be handled later */

static inline void pfm_context_free(struct kref *ref)
{
	struct pfm_context *ctx = container_of(ref, struct pfm_context, ref);

	kfree_rcu(ctx, rcu);
}

static inline void pfm_context_put(struct pfm_context *ctx)
{
	kref_put(&ctx->ref, pfm_context_free);
}

/* Is this a system-wide context? */
static inline bool pfm_is_syswide(const struct pfm_context *ctx)
{
	return ctx->flags & PFM_FL_SYSTEM_WIDE;
}

/* May the context block its monitored thread? */
static inline bool pfm_may_block(const struct pfm_context *ctx)
{
	return ctx->flags & PFM_FL_NOTIFY_BLOCK;
}

/* Is the context a member of a family, and not its root? */
static inline bool pfm_is_member(const struct pfm_context *ctx)
{
	return ctx->member.is_one;
}

/* Has the monitored CPU gone offline? It may be online again by now. */
static inline bool pfm_is_offline(const struct pfm_context *ctx)
{
	return ctx->loaded && pfm_is_syswide(ctx) && READ_ONCE(ctx->gone);
}

/*
 * Count invalid results of a handler. -ENOBUFS is valid: the buffer is full,
 * and the sample is lost.
 */
static inline void pfm_count_odd(struct pfm_odd_answers *odd, int err, u32 ctrl)
{
	if (err && err != -ENOBUFS) {
		odd->errors++;
		odd->last_error = err;
	}
	if (err)
		return;
	if (!ctrl)
		odd->no_ctrl++;
	else if (ctrl & ~PFM_OVFL_CTRL_ALL)
		odd->bad_ctrl++;
}

/* Mask of the hardware counters' bits. */
static inline u64 pfm_hw_mask(const struct pfm_pmu *pmu)
{
	return pmu->counter_width >= 64 ? ~0ULL :
					  (1ULL << pmu->counter_width) - 1;
}

/* Does a deferred overflow of the PMD wait for the owner? */
static inline bool pfm_is_noted(const struct pfm_pmd *pmd)
{
	return READ_ONCE(pmd->state) >= PFM_NOTING;
}

/* Is @pmd the clock of a set? */
static inline bool pfm_is_clock(const struct pfm_pmd *pmd)
{
	return pmd->hw.desc->num == PFM_REG_CLOCK;
}

/* Find a PMD or the clock by its slot; NULL if it does not exist. */
static inline struct pfm_pmd *pfm_pmd_at(const struct pfm_evtset *set,
					 unsigned int slot)
{
	struct pfm_pmu_reg *reg = READ_ONCE(set->regs[slot]);

	return reg ? container_of(reg, struct pfm_pmd, hw) : NULL;
}

/*
 * Find a PMD by its index in the PMU's table; NULL if it does not exist, or
 * holds data of samples.
 */
static inline struct pfm_pmd *pfm_pmd_find(const struct pfm_evtset *set,
					   unsigned int slot)
{
	unsigned int end = set->pmu_set.num_regs - 1U;

	return slot < end ? pfm_pmd_at(set, array_index_nospec(slot, end)) :
			    NULL;
}

static inline struct pfm_evtset *pfm_evtset_of(const struct pfm_pmd *pmd)
{
	return container_of(pmd->hw.set, struct pfm_evtset, pmu_set);
}

static inline struct pfm_pmd *pfm_clock_of(const struct pfm_evtset *set)
{
	return pfm_pmd_at(set, set->pmu_set.num_regs - 1);
}

static inline struct pfm_context *pfm_context_of(const struct pfm_evtset *set)
{
	return pfm_clock_of(set)->ctx;
}

/* Get the list of PMDs whose values are recorded: arg.num_smpl_pmds entries. */
static inline struct pfm_pmu_reg **
pfm_smpl_regs(const struct pfm_pmd_ovfl *ovfl)
{
	const pfm_ovfl_arg_t *arg = &ovfl->arg;

	return (void *)&arg->smpl_pmds_values[arg->num_smpl_pmds];
}

/* Get the PMDs that hold data of the sample: ovfl->num_data entries. */
static inline struct pfm_pmu_reg *
pfm_data_regs(const struct pfm_pmd_ovfl *ovfl)
{
	return (void *)(pfm_smpl_regs(ovfl) + ovfl->arg.num_smpl_pmds);
}

/* Get the slots of the PMDs that are reset with this one. */
static inline u16 *pfm_reset_slots(const struct pfm_pmd_ovfl *ovfl)
{
	return (u16 *)(pfm_data_regs(ovfl) + ovfl->num_data);
}

/* Does an overflow of this PMD count towards a switch of sets? */
static inline bool pfm_is_trigger(const struct pfm_pmd *pmd)
{
	return pmd->ovflsw_thres && pmd->hw.desc->flags & PFM_REGD_COUNTER &&
	       pfm_evtset_of(pmd)->flags & PFM_SETFL_OVFL_SWITCH;
}

/*
 * Lock pfm_context.mutex in a work item; wait for it only if @may_wait.
 * Context: process. Return: true if the caller now holds the mutex.
 */
static inline bool pfm_lock_for_work(struct pfm_context *ctx, bool may_wait)
{
	if (!may_wait)
		return mutex_trylock(&ctx->mutex);
	mutex_lock(&ctx->mutex);
	return true;
}

static inline bool pfm_is_masked(const struct pfm_context *ctx)
{
	return READ_ONCE(ctx->frozen) & PFM_MASKED;
}

/* Find the event set after number @id and update @id; NULL at the end. */
static inline struct pfm_evtset *pfm_evtset_after(struct pfm_context *ctx,
						  unsigned long *id)
{
	/* Most contexts have set0 only: avoid the search. */
	if (ctx->num_sets == 1)
		return NULL;
	return xa_find_after(&ctx->sets, id, ULONG_MAX, XA_PRESENT);
}

/*
 * Iterate over the event sets of a context by increasing number @id; set0
 * always exists. Context: pfm_context.mutex held, or the context is not shared
 * yet.
 */
#define pfm_for_each_evtset(ctx, id, set)				\
	for ((id) = 0, (set) = xa_load(&(ctx)->sets, 0); (set);		\
	     (set) = pfm_evtset_after(ctx, &(id)))

/* Find the first allocated PMD from slot @i to @end - 1; update @i. */
static inline struct pfm_pmd *pfm_pmd_from(const struct pfm_evtset *set,
					   u16 *i, u16 end)
{
	u16 clock = set->pmu_set.num_regs - 1;
	struct pfm_pmd *pmd = NULL;

	while (*i < end && !(pmd = pfm_pmd_at(set, *i))) {
		++*i;
		if (*i >= READ_ONCE(set->used) && *i < clock)
			*i = clock;
	}
	return pmd;
}

/* Iterate over the allocated PMDs of an event set, and over its clock. */
#define pfm_for_each_pmd(set, i, pmd)					\
	for ((i) = 0;							\
	     ((pmd) = pfm_pmd_from(set, &(i), (set)->pmu_set.num_regs)); \
	     (i)++)

/* Iterate over the allocated PMDs without the clock. */
#define pfm_for_each_real_pmd(set, i, pmd)				\
	for ((i) = 0;							\
	     ((pmd) = pfm_pmd_from(set, &(i),				\
				   (set)->pmu_set.num_regs - 1));	\
	     (i)++)

#endif /* PFM_CORE_CONTEXT_H */
