/* SPDX-License-Identifier: GPL-2.0 */
/*
 * context.h - contexts: structures, and what can be asked of them
 *
 * Locking, outermost first:
 *   signal->exec_update_lock of the thread to attach to: an exec holds it while
 *                       it closes descriptors
 *   pfm_context.mutex   commands against each other; no user memory is touched
 *                       and no mmap_lock is taken under it
 *   registry mutexes    formats (fmt.c), PMU (pmu.c)
 *   pfm_config_lock     changes of the configuration (config.c)
 *   pfm_idle_lock       the probe of the scheduler (idle.c)
 *   pfm_attach_lock     who is attached to what (attach.c); the probes of exit
 *                       and exec do without
 * mmap_lock comes after the first of these only, and none of them after it: a
 * mapping takes the lock of pfm_context.sets there.
 * A CPU's way online or offline is no lock of ours, but perf waits for it
 * inside the commands: see cpu.c.
 * The overflow path takes none of them. pfm_context.busy says who owns a
 * context; commands keep overflows out with pfm_pause() (pause.c), or for
 * moments with pfm_own() (owner.c).
 */
#ifndef PFM_CORE_CONTEXT_H
#define PFM_CORE_CONTEXT_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_fmt.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>
#include "charge.h"
#include "msgq.h"

struct file;
struct pfm_attachment;
struct pfm_block;
struct pfm_buffer;
struct pfm_context;

/**
 * struct pfm_pmd_ovfl - what an overflow of one PMD needs, prepared beforehand
 * @trigger: the overflow may switch event sets
 * @random: PFM_REGFL_RANDOM
 * @num_reset: how many PMDs are reset with this one: see pfm_reset_slots()
 * @arg:  handed to the format; all but its value fields is filled in. It is as
 *        long as there are values. The PMDs that they are of follow:
 *        pfm_smpl_regs()
 */
struct pfm_pmd_ovfl {
	bool			trigger;
	bool			random;
	u16			num_reset;
	pfm_ovfl_arg_t		arg;
};

/*
 * What overflows rely on:
 * - Who samples (pfm_pmu_reg.sampling) has a pfm_pmd.ovfl.
 * - pfm_pmu_reg.reload is not 0, which is what pfm_pmd.plain_reset says if the
 *   reset is not plain: the two are compared.
 * - An overflow that is not discarded is one of the active set: after a switch
 *   the context is frozen until the PMU has followed, and no overflow of the
 *   last set is under way.
 * - The events of a thread have no CPU: pfm_pmu_set.cpu is -1.
 */

/**
 * struct pfm_pmd - one PMD of an event set, or its clock
 * @hw:          its side that the PMU sees
 * @ctx:         context
 * @ovfl:        prepared overflow; NULL until the controlling PMC is written,
 *               without which it does not sample (@hw.sampling)
 * @plain_reset: @short_reset if an overflow does nothing but load it, else 0
 * @deferred:    an overflow came while the context had another owner: 0,
 *               PFM_DEFERRED, or PFM_DEFERRING while it is being noted
 * @due:         it was handled with another that overflowed in the same
 *               instant, and the PMU is still to report it
 * @slot:        its place in the PMU's table; the clock's is behind the last
 * @random:      state of the random series
 * @due_from:    what its value was when it became due
 * @short_reset: value to load after an overflow without notification
 * @ovfl_ip:     its instruction pointer
 * @ovfl_tstamp: its time stamp if a command was the owner; used if it comes to
 *               be handled where another context has its overflows
 * @value:       software value: all of it while the set is not active, or is
 *               frozen. Otherwise the part above the hardware counter's width,
 *               and below that what the counter held at least when it was
 *               loaded or last wrapped
 * @loads:       times that it was loaded, twice; odd while it is being loaded
 * @seen_loads:  that number when a command has read it last
 * @seen:        value that the command has seen
 * @last_reset:  value that was last loaded
 * @long_reset:  value to load by PFM_RESTART
 * @ovflsw_thres: overflows before the next set is switched to; 0 for none
 * @ovflsw_left: of these, how many are left
 * @random_mask: bits of the random value to add on reset
 */
struct pfm_pmd {
	struct pfm_pmu_reg	hw;

	struct pfm_context	*ctx;
	struct pfm_pmd_ovfl	*ovfl;
	u64			plain_reset;

	u8			deferred;
	bool			due;
	u16			slot;
	u32			random;
	u64			due_from;
	u64			short_reset;
	u64			ovfl_ip;
	u64			ovfl_tstamp;
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
 * struct pfm_evtset - an event set: a whole PMU state
 * @pmu_set:     its side that the PMU sees; a copy of pfm_context.target
 * @charge:      who pays for it and its registers, or NULL: set0 is free
 * @next:        set to switch to; valid while loaded
 * @id:          number of the set
 * @id_next:     number of the explicit next
 * @flags:       PFM_SETFL_*
 * @timeout:     effective timeout in ns, 0 unless it switches by time
 * @runs:        times that it became the active set
 * @duration:    time in ns that it was the active set, less what its clock says
 * @to_reset:    PMDs (by place in the table) that overflowed and were not reset
 * @switch_pmds: PMDs (by place) that caused the last switch from it
 * @page:        what user level may map, or NULL; the kernel does not read it
 * @page_seq:    its sequence number
 * @counter_seq: the one of the counters in it
 * @page_buffer: holds @page
 * @configs:     words of configuration beside the PMC of each of its registers,
 *               or NULL while all of them are 0 (pmc.c)
 * @regs:        the @hw of its PMDs, in the order of the PMU's table, that is
 *               increasing index; and of the clock, which counts from
 *               -@timeout. NULL for what nobody has spoken of (pmd.c)
 */
struct pfm_evtset {
	struct pfm_pmu_set	pmu_set;
	struct pfm_charge	*charge;
	struct pfm_evtset	*next;
	u16			id;
	u16			id_next;
	u32			flags;
	u64			timeout;
	u64			runs;
	u64			duration;
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
 * struct pfm_reader - a thread, as it knows itself
 * @tid:    what gettid() says, or 0 for none
 * @pid_ns: the inode number of its PID namespace
 */
struct pfm_reader {
	u32	tid;
	u32	pid_ns;
};

/**
 * struct pfm_odd_answers - how often a format's handler answered oddly
 * @errors:     it failed, and not for want of room
 * @no_ctrl:    it set no control bit
 * @bad_ctrl:   it set unknown ones
 * @last_error: what it returned last, of @errors
 */
struct pfm_odd_answers {
	u64	errors;
	u64	no_ctrl;
	u64	bad_ctrl;
	int	last_error;
};

/**
 * struct pfm_context - a perfmon context
 *
 * The overflow path:
 * @busy:     who owns it: 0 or PFM_BUSY_*; first, as atomic accesses have no
 *            offset on arm64
 * @deferred: others came meanwhile
 * @data:     where the overflow happened
 * @unusual:  not 0 if any of the next three is not
 * @frozen:   nothing counts, and why: PFM_MASKED and others
 * @several:  the active set has more than one PMD that samples
 * @values:   one of them records values of PMDs
 * @credit:   overflows before the clock is asked whether they come too fast
 * @missed:   more than one of a PMD: so many are to be added to @lost
 * @unsettled: the PMU was started, and nobody has waited since for overflows to
 *            end
 * @paused:   a command does as it likes: for the probe of the idle thread, and
 *            for overflows that come late
 * @idle:     the CPU is idle, says that probe
 * @handler:  the format's handler, or pfm_no_fmt_handler()
 * @buf:      the format's buffer, or NULL
 * @read_pmds: the PMU's read_pmds_ovfl
 * @pmu:      PMU description
 * @set:      active event set
 * @reported: PMD whose overflow the PMU reports at this moment; NULL while an
 *            owner sees to something else
 * @switch_due: it is to be switched from when it is restarted
 * @lost:     overflows that were not recorded
 * @window:   when it was asked last, in ns
 * @throttled: times that they did
 * @odd:      what the format may have wrong
 * @ovfl_end: what the overflow path leaves to irq_work, PFM_END_* bits
 * @irq_work: wakes, signals and blocks
 *
 * The rest, under @mutex:
 * @mutex:    see above
 * @file:     its descriptors' file; to compare with, it holds the context
 * @rcu:      the kernel's part of an irq_work that has run may still look at it
 * @ref:      one each for the descriptor, an attachment to a thread, a queued
 *            switch, a suspend, the file of an area
 * @flags:    PFM_FL_*
 * @started:  between PFM_START and PFM_STOP
 * @loaded:   attached to a thread or CPU
 * @gone:     the monitored CPU has gone offline; under pfm_attach_lock
 * @user_clock: CLOCK_MONOTONIC at user level is the kernel's
 * @reader:   the monitored thread, if it may read its counters itself: how it
 *            knows itself
 * @target:   what it is attached to; each set has a copy
 * @sets:     event sets by their number
 * @num_sets: how many there are
 * @charge:   whoever created it pays for them
 * @on_pmu:   event set that is started, or was last
 * @sets_denied: times that a set was switched to, and the PMU had not enough
 *            counters free
 * @in_call:  the monitored thread, while it calls the interface
 * @switch_work: lets the PMU follow a switch
 * @switch_queued: @switch_here is queued or running
 * @switch_here: the same in the monitored thread
 * @switch_task: which that was; only to compare
 * @fmt:      sampling format, or NULL
 * @buffer:   its buffer, or NULL
 * @buf_size: size of the buffer's mapping in bytes
 * @areas:    areas of address spaces that show something of it, and calls of
 *            mmap() in progress; changes without @mutex
 * @attachment: to a thread, or NULL
 * @self:     attached by its own process
 * @trusted:  attached by somebody who may monitor any thread, and not stop it
 * @ask_first: the command under way must not make the PMU attach anew
 * @many:     a vector of commands is under way: one pause for all
 * @stop:     stops the PMU some time after the context was masked, or its CPU
 *            has gone
 * @msgq:     messages
 * @block:    blocks the monitored thread; NULL while not attached, or without
 *            PFM_FL_NOTIFY_BLOCK
 */
struct pfm_context {
	u32			busy;
	u32			deferred;
	struct pfm_ovfl_data	data;

	union {
		struct {
			u32	frozen;
			u16	several;
			u16	values;
		};
		u64		unusual;
	};

	u32			credit;
	atomic_t		missed;

	bool			unsettled;
	bool			paused;
	bool			idle;
	fmt_handler_t		handler;
	void			*buf;
	void			(*read_pmds)(struct pfm_pmu_reg *const *regs,
					     u64 *values, unsigned int n);
	const struct pfm_pmu	*pmu;
	struct pfm_evtset	*set;
	const struct pfm_pmd	*reported;
	bool			switch_due;
	u64			lost;
	u64			window;
	u64			throttled;
	struct pfm_odd_answers	odd;
	unsigned long		ovfl_end;
	struct pfm_irq_work	irq_work;

	struct rcu_head		rcu;
	struct kref		ref;
	struct mutex		mutex;
	struct file		*file;
	u32			flags;
	bool			started;
	bool			loaded;
	bool			gone;
	bool			user_clock;
	struct pfm_reader	reader;
	struct pfm_pmu_set	target;
	struct xarray		sets;
	unsigned int		num_sets;
	struct pfm_charge	charge;
	struct pfm_evtset	*on_pmu;
	u64			sets_denied;
	struct task_struct	*in_call;
	struct work_struct	switch_work;
	unsigned long		switch_queued;
	struct callback_head	switch_here;
	const void		*switch_task;
	const pfm_buffer_fmt_t	*fmt;
	struct pfm_buffer	*buffer;
	size_t			buf_size;
	atomic_t		areas;
	struct pfm_attachment	*attachment;
	bool			self;
	bool			trusted;
	bool			ask_first;
	bool			many;
	struct work_struct	stop;
	struct pfm_msgq		msgq;
	struct pfm_block	*block;
};

/* Bits of pfm_context.ovfl_end. */
#define PFM_END_NOTIFY		0
#define PFM_END_BLOCK		1
#define PFM_END_STOP		2
#define PFM_END_DEFERRED	3
#define PFM_END_SWITCH		4	/* by a work item */
#define PFM_END_SWITCH_HERE	5	/* before the thread is at user level */

/*
 * Bits of pfm_context.frozen. The idle thread's may change on another CPU than
 * the others: all are changed with set_mask_bits(), which is a barrier too.
 */
#define PFM_MASKED		0x1	/* until PFM_RESTART */
#define PFM_SWITCHING		0x2	/* until the PMU has the active set */
#define PFM_IDLE		0x4	/* CPU idle; the clock goes on */

/*
 * pfm_context.busy: who owns the context (owner.c). Whoever meets the first has
 * interrupted it, or somebody who was not let in and is about to say who the
 * owner is (pfm_enter_fast()); the other is elsewhere, or has interrupts off.
 */
#define PFM_BUSY_OVERFLOW	1
#define PFM_BUSY_COMMAND	2

/* pfm_pmd.deferred */
#define PFM_DEFERRED		1
#define PFM_DEFERRING		2

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

/* May it stop the thread that it monitors? */
static inline bool pfm_may_block(const struct pfm_context *ctx)
{
	return ctx->flags & PFM_FL_NOTIFY_BLOCK;
}

/* Has the CPU that it monitors gone offline, though it may be back by now? */
static inline bool pfm_is_offline(const struct pfm_context *ctx)
{
	return ctx->loaded && pfm_is_syswide(ctx) && READ_ONCE(ctx->gone);
}

/* Bits that the PMU's counters have. */
static inline u64 pfm_hw_mask(const struct pfm_pmu *pmu)
{
	return pmu->counter_width >= 64 ? ~0ULL :
					  (1ULL << pmu->counter_width) - 1;
}

/* Is it not a PMD, but the clock of its set? */
static inline bool pfm_is_clock(const struct pfm_pmd *pmd)
{
	return pmd->hw.desc->num == PFM_REG_CLOCK;
}

/* A PMD by its place; NULL if it does not exist. */
static inline struct pfm_pmd *pfm_pmd_at(const struct pfm_evtset *set,
					 unsigned int slot)
{
	struct pfm_pmu_reg *reg = READ_ONCE(set->regs[slot]);

	return reg ? container_of(reg, struct pfm_pmd, hw) : NULL;
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

/* PMDs whose values are recorded, arg.num_smpl_pmds of them. */
static inline struct pfm_pmu_reg **
pfm_smpl_regs(const struct pfm_pmd_ovfl *ovfl)
{
	const pfm_ovfl_arg_t *arg = &ovfl->arg;

	return (void *)&arg->smpl_pmds_values[arg->num_smpl_pmds];
}

/* Places of the PMDs that are reset with one; they follow those to record. */
static inline u16 *pfm_reset_slots(const struct pfm_pmd_ovfl *ovfl)
{
	return (u16 *)(pfm_smpl_regs(ovfl) + ovfl->arg.num_smpl_pmds);
}

/* Does its overflow switch sets? */
static inline bool pfm_is_trigger(const struct pfm_pmd *pmd)
{
	return pmd->ovflsw_thres && pmd->hw.desc->flags & PFM_REGD_COUNTER &&
	       pfm_evtset_of(pmd)->flags & PFM_SETFL_OVFL_SWITCH;
}

static inline bool pfm_is_masked(const struct pfm_context *ctx)
{
	return READ_ONCE(ctx->frozen) & PFM_MASKED;
}

/* The event set after number @id, which becomes its number; or NULL. */
static inline struct pfm_evtset *pfm_evtset_after(struct pfm_context *ctx,
						  unsigned long *id)
{
	/* Most contexts have set0 only, and need not be searched. */
	if (ctx->num_sets == 1)
		return NULL;
	return xa_find_after(&ctx->sets, id, ULONG_MAX, XA_PRESENT);
}

/*
 * The event sets of a context by increasing number, @id, of which set0 always
 * exists. Context: pfm_context.mutex held, or nobody else knows the context.
 */
#define pfm_for_each_evtset(ctx, id, set)				\
	for ((id) = 0, (set) = xa_load(&(ctx)->sets, 0); (set);		\
	     (set) = pfm_evtset_after(ctx, &(id)))

/* The first PMD from place @i on, which becomes its place, and before @end. */
static inline struct pfm_pmd *pfm_pmd_from(const struct pfm_evtset *set,
					   u16 *i, u16 end)
{
	struct pfm_pmd *pmd = NULL;

	while (*i < end && !(pmd = pfm_pmd_at(set, *i)))
		++*i;
	return pmd;
}

/* The PMDs of an event set that exist, and its clock. */
#define pfm_for_each_pmd(set, i, pmd)					\
	for ((i) = 0;							\
	     ((pmd) = pfm_pmd_from(set, &(i), (set)->pmu_set.num_regs)); \
	     (i)++)

/* Its PMDs only, counters or not. */
#define pfm_for_each_real_pmd(set, i, pmd)				\
	for ((i) = 0;							\
	     ((pmd) = pfm_pmd_from(set, &(i),				\
				   (set)->pmu_set.num_regs - 1));	\
	     (i)++)

#endif /* PFM_CORE_CONTEXT_H */
