/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfmon_pmu.h - what a PMU description module gives to the perfmon core
 *
 * A PMU description (2006 paper, 4.4) maps the logical PMC and PMD registers to
 * actual ones: a table of both, and the operations on them. One description is
 * registered at a time.
 */
#ifndef PERFMON_PERFMON_PMU_H
#define PERFMON_PERFMON_PMU_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_ds.h>

struct pt_regs;
struct task_struct;

/* pfm_reg_desc.flags */
#define PFM_REGD_COUNTER	0x1	/* PMD: counts and overflows */
#define PFM_REGD_READ_ONLY	0x2	/* PMD: writing it is an error */
/*
 * PMD: while loaded it is the kernel's monotonic clock,
 * ktime_get_mono_fast_ns(), less pfm_pmu_reg.offset, whether the set counts or
 * not.
 */
#define PFM_REGD_MONOTONIC	0x4
/*
 * PMC: it controls no counter by itself, but is the first or the second word of
 * configuration beside the PMC that controls @pmd. Its default value is 0.
 */
#define PFM_REGD_CONFIG1	0x8
#define PFM_REGD_CONFIG2	0x10

/* Words of configuration that a counter can have, PFM_REGD_CONFIG1 first. */
#define PFM_PMC_CONFIGS		2

#define PFM_REGD_NO_PMD		0xffff

/* Characters of a name, at most. */
#define PFM_REGD_NAME_MAX	63

/**
 * struct pfm_reg_desc - one logical register
 * @num:   index of the PMC or PMD, below PFM_MAX_PMCS or PFM_MAX_PMDS
 * @type:  PFM_REG_TYPE_* of the actual register
 * @flags: PFM_REGD_* flags of a PMD or a PMC, one or none
 * @pmd:   PMC: the counting PMD that it controls, or configures, it alone with
 *         its flags; or PFM_REGD_NO_PMD
 * @dfl:   default value; a PMC that controls and holds it measures nothing
 * @rsvd:  reserved bits: they keep their default value
 * @index: index or address of the actual register, or PFM_REG_IDX_NONE
 * @name:  its name; 1 to PFM_REGD_NAME_MAX printable characters of ASCII
 * @read:  (optional, as the overflow) virtual PMD that is no counter: read the
 *         resource, of this thread; for the PMU's own operations
 */
struct pfm_reg_desc {
	u16		num;
	u16		type;
	u16		flags;
	u16		pmd;
	u64		dfl;
	u64		rsvd;
	u64		index;
	const char	*name;
	u64		(*read)(struct task_struct *task);
};

/*
 * Number of the register that every set has after its PMDs: a clock. It counts
 * the nanoseconds for which the set counts, a thread's only while the thread
 * runs. It has 64 bits whatever the counter_width, and the operations on PMDs
 * apply to it. If it samples, the PMU calls pfm_timeout() when it gets to 0.
 */
#define PFM_REG_CLOCK		0xffff

/*
 * No period: no hardware re-arms itself with one that is as long as that. So a
 * counter that has overflowed, plus its @reload, is negative unless a whole
 * period has passed since.
 */
#define PFM_RELOAD_NONE		BIT_ULL(63)

struct pfm_pmu_set;

/**
 * struct pfm_pmu_reg - one PMD of a loaded context
 * @offset:    owned by the PMU, except as said for @reload
 * @reload:    value with which the hardware re-arms itself at an overflow, or
 *             PFM_RELOAD_NONE if it does not; never 0. When the core resets an
 *             overflowed PMD to just this value, it may do so by subtracting it
 *             from @offset instead of calling reset_pmd: the PMD's value must
 *             be (hardware count - @offset) then
 * @priv:      owned by the PMU
 * @update:    owned by the PMU
 * @set:       event set that the register belongs to
 * @desc:      the PMD's description
 * @pmc_value: value of the PMC that controls it; the clock's is the PMU's.
 *             pfm_pmc_configs() has what is beside it
 * @sampling:  its overflow matters to somebody
 * @user_read: owned by the PMU: while the set counts, pfm_show_counter() says
 *             how the monitored thread reads the counter itself. The PMD's
 *             value is (hardware count - @offset) then
 * @ask_counter: owned by the PMU
 */
struct pfm_pmu_reg {
	u64				offset;
	u64				reload;
	void				*priv;
	void				*update;
	struct pfm_pmu_set		*set;
	const struct pfm_reg_desc	*desc;
	u64				pmc_value;
	bool				sampling;
	bool				user_read;
	bool				ask_counter;
};

/**
 * struct pfm_pmu_set - an event set of a loaded context, as its PMU sees it
 * @task:      monitored thread, a reference is held; NULL if system-wide
 * @cpu:       monitored CPU, or -1
 * @user_only: who attached it may not see the kernel: refuse PMC values that
 *             count there
 * @user_read: the monitored thread may read its counters itself, if the PMU can
 *             make that possible
 * @num_regs:  number of PMDs, plus one for the clock
 * @ds:        debug-store area, or NULL: overflows of counters that sample come
 *             with a record
 * @denied:    written by the PMU, at start or stop: PMDs, by their place in
 *             pfm_pmu.pmds, that were to count and got no counter. Zero when
 *             loaded
 * @priv:      owned by the PMU
 */
struct pfm_pmu_set {
	struct task_struct	*task;
	int			cpu;
	bool			user_only;
	bool			user_read;
	u16			num_regs;
	struct pfm_ds		*ds;
	DECLARE_BITMAP(denied, PFM_MAX_PMDS);
	void			*priv;
};

/*
 * All event sets of a context are loaded with it, and at most one of them is
 * started at a time: the PMU must have room on the hardware for that one only.
 */

/**
 * struct pfm_pmu - a PMU description
 * @pmu_name:      name, for people, as of registers
 * @owner:         its module; held by every context
 * @counter_width: bits of the hardware counters, 1-64; the core emulates the
 *                 rest (3.1.3). Values given to and by the operations have
 *                 this many bits, but for PMDs with pfm_reg_desc.read: 64
 * @actual_width:  bits of the actual counters, for people, if something beneath
 *                 the PMU makes @counter_width of them; else 0
 * @ds:            what it can do for the debug-store service
 * @num_pmcs:      entries in @pmcs
 * @num_pmds:      entries in @pmds, at least one
 * @pmcs:          descriptions of the PMCs, increasing index
 * @pmds:          descriptions of the PMDs, increasing index
 * @check_pmc:     (optional, process context) is the value good for this PMC,
 *                 which controls a counter, with PFM_PMC_CONFIGS words of
 *                 configuration beside it, in a set of this kind? Also asked
 *                 when one of these changes. 0 or -EINVAL
 * @load:          (process) bind the registers to the set's task or CPU.
 *                 Nothing counts yet; a @write_pmd of every PMD comes before
 *                 @start. A PMD that a PMC controls may not exist, while the
 *                 PMC has its default value: its pointer is NULL. 0; or
 *                 -EINVAL if a PMC's value cannot be had; -EPERM, -EBUSY,
 *                 -ESRCH, -ENODEV, -ENOMEM
 * @unload:        (process) undo load. No overflow is reported once it has
 *                 returned and a grace period has passed
 * @start:         (process) begin to count. 0, -EBUSY or -ENODEV
 * @stop:          (process) stop counting; nothing to do when stopped. Nothing
 *                 counts on return, but an overflow that is under way may still
 *                 be reported
 * @write_pmc:     (process) the PMC of a register of a loaded, stopped set
 *                 has changed, or a word beside it; or the register is new,
 *                 and this is the first that is heard of it, its PMC at the
 *                 default value. Errors as of load
 * @write_pmd:     (process) load a PMD of a loaded, stopped set. 0, -EINVAL
 *                 or -ENOMEM
 * @read_pmd:      (process) read a PMD of a loaded set
 * @read_pmds_ovfl: (as the overflow; or the set is stopped, on any CPU) read
 *                 registers, at least one
 * @reset_pmd:     (as the overflow, or the set is stopped; interrupts off) load
 *                 a PMD. @reported: it is the one whose overflow is being
 *                 reported by the PMU at this moment, and the PMU may do to its
 *                 counter what it may do there: at once. Any other holds @value
 *                 at once, but its counter may follow later. @value 0, as far
 *                 from an overflow as can be, silences a counter that is
 *                 reported while nothing counts, of any set of the context; it
 *                 is loaded before it counts again
 */
struct pfm_pmu {
	const char			*pmu_name;
	struct module			*owner;
	u16				counter_width;
	u16				actual_width;
	enum pfm_ds_support		ds;
	u16				num_pmcs;
	u16				num_pmds;
	const struct pfm_reg_desc	*pmcs;
	const struct pfm_reg_desc	*pmds;

	int	(*check_pmc)(u16 num, u64 value, const u64 *config,
			     bool syswide);
	int	(*load)(struct pfm_pmu_set *s,
			struct pfm_pmu_reg *const *regs);
	void	(*unload)(struct pfm_pmu_set *s);
	int	(*start)(struct pfm_pmu_set *s);
	void	(*stop)(struct pfm_pmu_set *s);
	int	(*write_pmc)(struct pfm_pmu_reg *reg);
	int	(*write_pmd)(struct pfm_pmu_reg *reg, u64 value);
	u64	(*read_pmd)(struct pfm_pmu_reg *reg);
	void	(*read_pmds_ovfl)(struct pfm_pmu_reg *const *regs, u64 *values,
				  unsigned int n);
	void	(*reset_pmd)(struct pfm_pmu_reg *reg, u64 value, bool reported);
};

/*
 * The number of all that is compiled into a PMU description: a module that was
 * built for another one is refused.
 */
#define PFM_PMU_INTERFACE	3

/**
 * pfm_register_pmu() - make a PMU description the current one
 * @pmu: the description, of the module that says this; must stay valid until
 *       unregistered
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY if there is one already; -EINVAL if it is not well formed,
 * or the module was built for another PFM_PMU_INTERFACE. The kernel's log has
 * the reason.
 */
#define pfm_register_pmu(pmu)						\
	__pfm_register_pmu(pmu, THIS_MODULE, PFM_PMU_INTERFACE)

/* For pfm_register_pmu() only. */
int __pfm_register_pmu(const struct pfm_pmu *pmu, struct module *owner,
		       unsigned int interface);

/**
 * pfm_unregister_pmu() - withdraw the PMU description
 * @pmu: the description
 *
 * Contexts hold its module, so that none is left when its exit function runs.
 * Context: process, may sleep.
 */
void pfm_unregister_pmu(const struct pfm_pmu *pmu);

/**
 * pfm_pmc_configs() - words of configuration beside the PMC of a counter
 * @reg:    the counter, or the clock, which has none
 * @config: filled in: PFM_PMC_CONFIGS words, 0 where nobody wrote one
 *
 * Context: process, in an operation of the PMU that gets @reg or its set.
 */
void pfm_pmc_configs(const struct pfm_pmu_reg *reg, u64 *config);

/**
 * pfm_overflow() - one 64-bit counter has overflowed
 * @reg:   the counter
 * @value: its value now
 * @regs:  interrupted registers, may be NULL
 * @ip:    instruction pointer of what was interrupted
 *
 * For PMUs with counter_width 64 that report each counter by itself.
 * Context: any, NMI included, preemption disabled, on the CPU and in the thread
 * that is monitored.
 */
void pfm_overflow(struct pfm_pmu_reg *reg, u64 value, struct pt_regs *regs,
		  u64 ip);

/**
 * pfm_overflow_lost() - a counter has overflowed, and nobody can be told
 * @reg: the counter
 * @n:   times that it has
 *
 * Counts them as lost. What the counter's value is then, is the PMU's part.
 * Context: as pfm_overflow().
 */
void pfm_overflow_lost(struct pfm_pmu_reg *reg, u64 n);

/**
 * pfm_usual_period() - what a counter counts from one overflow to the next
 * @reg: the counter
 *
 * The period that is under way may be shorter: the rest of one that was
 * interrupted, when its set became active again or the context was masked.
 * Those that follow are as long as this, or less by what is random.
 * Context: as pfm_overflow().
 * Return: events; 0 if it is reset to no period.
 */
u64 pfm_usual_period(const struct pfm_pmu_reg *reg);

/**
 * pfm_overflow_is_known() - was a counter's overflow handled with another's?
 * @reg:   the counter
 * @value: its value now
 *
 * Counters that overflow in one instant are one event. Where the PMU reports
 * each by itself, they are handled with the first; pfm_overflow() knows those
 * that follow. A PMU that does something to a counter that overflowed and has
 * not got to 0 asks first: if it is known, there is nothing to do or to report.
 * Context: as pfm_overflow().
 * Return: true once for each.
 */
bool pfm_overflow_is_known(struct pfm_pmu_reg *reg, u64 value);

/**
 * pfm_ds_overflow() - as pfm_overflow(), in a set with a debug-store area
 * @reg:  the counter
 * @ip:   instruction pointer of what was interrupted
 * @regs: interrupted registers, may be NULL
 * @rec:  the record; its status is filled in
 *
 * Context: as pfm_overflow().
 */
void pfm_ds_overflow(struct pfm_pmu_reg *reg, u64 ip, struct pt_regs *regs,
		     struct pfm_ds_record *rec);

/**
 * pfm_overflow_many() - hardware counters have overflowed in one instant
 * @s:    the set
 * @pmds: PMD indices, PFM_MAX_PMDS bits; the hardware counters have wrapped
 * @ip:   instruction pointer of what was interrupted
 * @regs: interrupted registers, may be NULL
 * @rec:  the instant's record; used, and its status filled in, in a set with
 *        a debug-store area
 *
 * Carries into the software part of counters narrower than 64 bits, and treats
 * those whose 64 bits overflowed in increasing index with one time stamp.
 * Context: as pfm_overflow().
 */
void pfm_overflow_many(struct pfm_pmu_set *s, const unsigned long *pmds,
		       u64 ip, struct pt_regs *regs,
		       struct pfm_ds_record *rec);

/**
 * pfm_timeout() - the clock of a set has got to 0
 * @clock: the clock
 * @regs:  interrupted registers, may be NULL
 *
 * Context: as pfm_overflow().
 */
void pfm_timeout(struct pfm_pmu_reg *clock, struct pt_regs *regs);

/**
 * pfm_show_counter() - how the monitored thread reads a running counter now
 * @reg:  the PMD, with @user_read
 * @show: what the set's page is to say (perfmon.h), but for cnt_seq
 *
 * Whenever the actual counter is given to the event, taken from it or loaded:
 * before the thread can run again.
 * Context: any, interrupts off, on the CPU of the monitored thread; one call at
 * a time for a set.
 */
void pfm_show_counter(struct pfm_pmu_reg *reg, const pfm_map_counter_t *show);

#endif /* PERFMON_PERFMON_PMU_H */
