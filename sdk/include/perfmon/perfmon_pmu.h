/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Interface between PMU descriptions and the core
 *
 * A PMU description (Eranian 2006, 4.4) maps the logical PMC and PMD registers
 * to actual ones. It consists of a table of the PMCs, a table of the PMDs, and
 * the operations on them. Only one description can be registered at a time.
 */
#ifndef PERFMON_PERFMON_PMU_H
#define PERFMON_PERFMON_PMU_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_ds.h>

struct pt_regs;
struct task_struct;

/*
 * Memory of contexts, of their event sets and events, and copies of a process's
 * mappings: charged to a control group. At the group's limit an allocation
 * fails: without __GFP_RETRY_MAYFAIL, the OOM killer would end a process of the
 * group, which at a birth is the tool.
 */
#define PFM_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* pfm_reg_desc.flags */
#define PFM_REGD_COUNTER	0x1	/* PMD: counts and overflows */
#define PFM_REGD_READ_ONLY	0x2	/* PMD: writing it is an error */
/*
 * PMD: while the context is loaded, the PMD's value is the kernel's monotonic
 * clock, ktime_get_mono_fast_ns(), minus pfm_pmu_reg.offset, whether or not the
 * set counts.
 */
#define PFM_REGD_MONOTONIC	0x4
/*
 * PMC: the first or the second configuration word of the counter @pmd. The word
 * supplements the PMC that controls the counter, and does not control a counter
 * itself. Its default value is 0.
 */
#define PFM_REGD_CONFIG1	0x8
#define PFM_REGD_CONFIG2	0x10

/* Number of configuration words of a counter, PFM_REGD_CONFIG1 first. */
#define PFM_PMC_CONFIGS		2

#define PFM_REGD_NO_PMD		0xffff

/* Maximum length of a register's name. */
#define PFM_REGD_NAME_MAX	63

/**
 * struct pfm_reg_desc - a logical register
 * @num:   index of the PMC or PMD, below PFM_MAX_PMCS or PFM_MAX_PMDS
 * @type:  PFM_REG_TYPE_* of the actual register
 * @flags: at most one of the PFM_REGD_* flags for this kind of register
 * @pmd:   PMC: the counting PMD that it controls or configures, or
 *         PFM_REGD_NO_PMD; two PMCs with the same flags need different PMDs
 * @dfl:   default value; a counter whose controlling PMC has its default value
 *         measures nothing
 * @rsvd:  reserved bits, which keep their default value whatever is written
 * @index: index or address of the actual register, or PFM_REG_IDX_NONE
 * @name:  name: 1 to PFM_REGD_NAME_MAX printable ASCII characters
 * @read:  (optional) for a virtual PMD that does not count: read the resource
 *         of thread @task. Only the PMU's own operations call this function,
 *         including those that run in overflow context
 * @read_sample: (optional) for a read-only virtual PMD whose value is part of a
 *         sample, such as a data address: get the value of PMD @num from
 *         @sample, which is pfm_pmu_set.sample and is valid only while an
 *         overflow is being reported. Called in the same contexts as @read.
 *         @dfl must be 0, and these PMDs must be the last ones in the table.
 *         They have no state and no entry in event sets: only read_pmds_ovfl
 *         reads them
 * @wants: required with @read_sample: a bit mask other than 0, whose meaning
 *         the PMU defines. The core sets these bits in pfm_pmu_reg.wants of
 *         each counter whose samples record this PMD
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
	u64		(*read_sample)(const void *sample, u16 num);
	u32		wants;
};

/*
 * Register number of the clock of an event set. The clock is the set's last
 * register, after the PMDs. It counts nanoseconds while the set counts; in a
 * per-thread context only while the thread runs. It has 64 bits regardless of
 * counter_width. The core calls the operations on PMDs for the clock, too. If
 * pfm_pmu_reg.sampling is set for the clock, the PMU calls pfm_timeout() when
 * the clock reaches 0.
 */
#define PFM_REG_CLOCK		0xffff

/*
 * Value of pfm_pmu_reg.reload if the hardware does not reload the counter. As a
 * reload value, it stands for a period of 2^63 events, longer than any that the
 * hardware supports. Therefore the PMU can test without a special case whether
 * another whole period has passed since an overflow: if so, the sum of the
 * counter's value and its reload is not negative as an s64.
 */
#define PFM_RELOAD_NONE		BIT_ULL(63)

struct pfm_pmu_set;

/**
 * struct pfm_pmu_reg - a PMD of a loaded context
 * @offset:    owned by the PMU, except as described for @reload
 * @reload:    value that the hardware loads into the counter at an overflow,
 *             never 0; PFM_RELOAD_NONE if it loads none. To reset an overflowed
 *             PMD to this value, the core may subtract the value from @offset
 *             instead of calling reset_pmd. The PMD's value must then be
 *             (hardware count - @offset)
 * @limit:     owned by the PMU
 * @priv:      owned by the PMU
 * @update:    owned by the PMU
 * @set:       event set that the register belongs to
 * @desc:      the PMD's description
 * @pmc_value: value of the PMC that controls the PMD. A clock has no PMC, so
 *             the PMU may use this field of a clock for itself.
 *             pfm_pmc_configs() returns the configuration words
 * @sampling:  overflows of this PMD must be reported
 * @user_read: owned by the PMU, which sets it if it calls pfm_show_counter()
 *             while the set counts, so that the monitored thread can read the
 *             counter itself. The PMD's value must then be (hardware count -
 *             @offset)
 * @ask_counter: owned by the PMU
 * @waits:     owned by the PMU, which sets it if each overflow of the counter
 *             has an interrupt of its own, such as a timer's, some time after
 *             the counter has reached 0. The core then handles the overflow
 *             only when the PMU reports it, not together with that of another
 *             counter
 * @wants:     the combined pfm_reg_desc.wants of all PMDs that samples of this
 *             counter record. If it is not 0, the PMU reports the counter's
 *             overflows with pfm_overflow_sample()
 */
struct pfm_pmu_reg {
	u64				offset;
	u64				reload;
	u64				limit;
	void				*priv;
	void				*update;
	struct pfm_pmu_set		*set;
	const struct pfm_reg_desc	*desc;
	u64				pmc_value;
	bool				sampling;
	bool				user_read;
	bool				ask_counter;
	bool				waits;
	u32				wants;
};

/**
 * struct pfm_pmu_set - an event set of a loaded context, as its PMU sees it
 * @task:      monitored thread, to which the core holds a reference; NULL if
 *             system-wide
 * @cpu:       monitored CPU, or -1
 * @user_only: the user who attached the context has no permission to monitor
 *             the kernel, so reject PMC values that count in the kernel
 * @user_read: the monitored thread may read its counters itself, if the PMU
 *             supports it
 * @num_regs:  number of registers: all PMDs except those with read_sample, and
 *             the clock
 * @ds:        debug-store area, or NULL. If there is one, the PMU must report
 *             each overflow of a sampling counter with a record
 * @denied:    PMDs that should count but did not get a hardware counter, by
 *             index in pfm_pmu.pmds. The PMU sets bits at start or stop; the
 *             core clears them at PFM_LOAD_CONTEXT
 * @priv:      owned by the PMU
 * @sample:    data of the sample whose PMDs are being read, as passed to
 *             pfm_overflow_sample(), or NULL. Only operations in the context of
 *             an overflow may use it
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
	const void		*sample;
};

/*
 * All event sets of a context are loaded together, but at most one of them is
 * started at a time. The hardware needs counters only for the started set.
 */

/**
 * struct pfm_pmu - a PMU description
 * @pmu_name:      name, for users, with the same rules as names of registers
 * @owner:         the description's module, to which every context holds a
 *                 reference
 * @counter_width: width of the hardware counters in bits, 1-64; the core
 *                 emulates the upper bits (3.1.3). Values passed to and from
 *                 the operations have this width, except for PMDs with
 *                 pfm_reg_desc.read or read_sample, which have 64 bits
 * @actual_width:  width of the actual counters in bits, for users, if a layer
 *                 below the PMU extends them to @counter_width; else 0
 * @ds:            how the PMU supports the debug-store service
 * @num_pmcs:      entries in @pmcs
 * @num_pmds:      entries in @pmds, at least one
 * @pmcs:          descriptions of the PMCs, by increasing index
 * @pmds:          descriptions of the PMDs, by increasing index
 * @check_pmc:     (optional, process context) check a value for a PMC that
 *                 controls a counter, together with the counter's
 *                 PFM_PMC_CONFIGS configuration words. @syswide: the context is
 *                 system-wide. @s: the set, for pfm_release_later() only. Also
 *                 called when one of the words changes. Returns 0 or -EINVAL
 * @load:          (process) bind the registers to the set's task or CPU.
 *                 Nothing counts yet; the core writes every PMD in @regs with
 *                 @write_pmd before @start. The pointer to a counter in @regs
 *                 is NULL if the counter has not been allocated yet, because
 *                 its PMC has its default value. Returns 0; -EINVAL if a PMC's
 *                 value is not supported; -EPERM, -EBUSY, -ESRCH, -ENODEV or
 *                 -ENOMEM
 * @unload:        (process) undo @load. Once a grace period has passed after
 *                 this call, the PMU must not report overflows. This may run in
 *                 the exit of the monitored thread, so it must leave lengthy
 *                 work to @release
 * @release:       (required by pfm_release_later(); process, no lock held)
 *                 release an object that was passed to pfm_release_later(); by
 *                 then the context may have been loaded again
 * @start:         (process) start counting. Returns 0, -EBUSY or -ENODEV
 * @stop:          (process) stop counting; no effect if the set is stopped.
 *                 When it returns, nothing counts, but an overflow that is in
 *                 progress may still be reported
 * @write_pmc:     (process) apply a change of the PMC, a configuration word,
 *                 @sampling or @wants of a register in a loaded, stopped set.
 *                 In the first call for a newly allocated counter, the PMC
 *                 still has its default value. Returns 0, or an error as @load
 *                 does
 * @write_pmd:     (process) set a PMD of a loaded, stopped set to a value.
 *                 Returns 0, -EINVAL or -ENOMEM
 * @read_pmd:      (process) read a PMD of a loaded set
 * @read_pmds_ovfl: (in overflow context, or on any CPU if the set is stopped)
 *                 read the values of @n registers; @n is at least 1
 * @reset_pmd:     (in overflow context, or on any CPU if the set is stopped;
 *                 interrupts off) set a PMD to a value. If @reported, the PMU
 *                 is reporting an overflow of this PMD, so this may load the
 *                 hardware counter at once. Otherwise the PMD must read as
 *                 @value at once, but the hardware counter may be loaded later.
 *                 If a counter is reported while the core discards overflows,
 *                 for example because the context is masked, the core calls
 *                 this with @value 0, which gives the longest period. Such a
 *                 counter can be in any set of the context; the core sets the
 *                 PMD again before the counter is started
 *
 * Overflow context is any context, NMI included, with preemption disabled. The
 * operations that run there must not take a lock, because the interrupted code
 * may hold it, and must not allocate memory, because allocators take locks.
 * They must not divide 64-bit numbers for each sample, because division is
 * slow.
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

	int	(*check_pmc)(struct pfm_pmu_set *s, u16 num, u64 value,
			     const u64 *config, bool syswide);
	int	(*load)(struct pfm_pmu_set *s,
			struct pfm_pmu_reg *const *regs);
	void	(*unload)(struct pfm_pmu_set *s);
	void	(*release)(struct llist_node *node);
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
 * Version of everything that is compiled into a PMU description. A module that
 * was built for another version is rejected.
 */
#define PFM_PMU_INTERFACE	5

/**
 * pfm_register_pmu() - register the PMU description
 * @pmu: the description, in the calling module; must stay valid until
 *       unregistered
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY if another description is registered; -EINVAL if the
 * description is invalid or the module was built for another PFM_PMU_INTERFACE.
 * The kernel log gives the reason.
 */
#define pfm_register_pmu(pmu)						\
	__pfm_register_pmu(pmu, THIS_MODULE, PFM_PMU_INTERFACE)

/* For pfm_register_pmu() only. */
int __pfm_register_pmu(const struct pfm_pmu *pmu, struct module *owner,
		       unsigned int interface);

/**
 * pfm_unregister_pmu() - unregister the PMU description
 * @pmu: the description
 *
 * Contexts hold a reference to the description's module, so no context is left
 * when the module's exit function runs.
 * Context: process, may sleep.
 */
void pfm_unregister_pmu(const struct pfm_pmu *pmu);

/**
 * pfm_release_later() - release an object when no lock is held
 * @s:    the set
 * @node: member of the object; passed to pfm_pmu.release
 *
 * Use this if the release takes long, for example because it waits for a grace
 * period. The PMU's operations must not wait themselves: they run under a
 * mutex, and unload may run in the exit of the monitored thread. The core calls
 * pfm_pmu.release before it frees the context and drops the reference to the
 * PMU's module.
 * Context: process, in check_pmc, load, unload or write_pmc.
 */
void pfm_release_later(struct pfm_pmu_set *s, struct llist_node *node);

/**
 * pfm_pmc_configs() - get the configuration words of a counter
 * @reg:    the counter, or the clock, which has none
 * @config: out: PFM_PMC_CONFIGS words, 0 for words that were never written
 *
 * Context: process, in a pfm_pmu operation to which @reg or its set was passed.
 */
void pfm_pmc_configs(const struct pfm_pmu_reg *reg, u64 *config);

/**
 * pfm_set_here() - find the set that counts on this CPU
 *
 * This is for functions of the PMU that are not passed the set, such as
 * call-backs of perf. Context: any, interrupts off, while a counter of a set is
 * counting or about to count for this CPU or for the current thread.
 * Return: the set.
 */
struct pfm_pmu_set *pfm_set_here(void);

/**
 * pfm_overflow() - report that one 64-bit counter has overflowed
 * @reg:   the counter
 * @value: its current value
 * @regs:  interrupted registers, may be NULL
 * @ip:    interrupted instruction pointer
 *
 * This is for PMUs with counter_width 64 that report each counter separately.
 * Context: any, NMI included, preemption disabled, on the CPU and in the thread
 * that is monitored.
 */
void pfm_overflow(struct pfm_pmu_reg *reg, u64 value, struct pt_regs *regs,
		  u64 ip);

/**
 * pfm_overflow_sample() - report an overflow with the data of its sample
 * @reg:    the 64-bit counter, whose @wants is not 0
 * @value:  its current value
 * @regs:   interrupted registers, may be NULL
 * @ip:     interrupted instruction pointer
 * @sample: the data, valid during this call: passed to
 *          pfm_reg_desc.read_sample
 *
 * The data belong to this counter alone, so the core does not handle this
 * overflow together with overflows of other counters at the same instant. If
 * the core has to defer the overflow, the data are lost, and the PMDs with
 * read_sample are 0 in the sample.
 * Context: as pfm_overflow().
 */
void pfm_overflow_sample(struct pfm_pmu_reg *reg, u64 value,
			 struct pt_regs *regs, u64 ip, const void *sample);

/**
 * pfm_overflow_lost() - count overflows that cannot be reported
 * @reg: the counter
 * @n:   number of overflows
 *
 * Adds the overflows to the context's lost ones, but does not reset the
 * counter: the PMU must itself begin the counter's next period.
 * Context: as pfm_overflow().
 */
void pfm_overflow_lost(struct pfm_pmu_reg *reg, u64 n);

/**
 * pfm_counter_throttled() - record that a counter was stopped temporarily
 * @reg: the counter
 *
 * This is for a PMU that stops counters for a while if they overflow too often.
 * It is not known how many overflows a stopped counter would have had, so they
 * are not counted as lost.
 * Context: as pfm_overflow(); also while another overflow is being handled.
 */
void pfm_counter_throttled(struct pfm_pmu_reg *reg);

/**
 * pfm_usual_period() - get the period of a counter
 * @reg: the counter
 *
 * The current period can be shorter, if it is the rest of a period that masking
 * or a switch of event sets interrupted. The following periods have the
 * returned length, minus a random part if the PMC has PFM_REGFL_RANDOM.
 * Context: as pfm_overflow().
 * Return: number of events from one overflow to the next; 0 if the counter has
 * no period.
 */
u64 pfm_usual_period(const struct pfm_pmu_reg *reg);

/**
 * pfm_overflow_discard_known() - discard the report of a handled overflow
 * @reg:   the counter
 * @value: its current value
 *
 * This is for PMUs that report each counter separately. If several counters
 * overflow at the same instant, the core handles and resets all of them at the
 * first report. The hardware signals the overflows of the others later. The
 * value of such a counter is then negative again because of the reset, as if
 * the hardware had signalled too early.
 *
 * Therefore, if a counter's overflow was signalled although its value has not
 * reached 0, a PMU must call this function before it corrects the counter, for
 * example re-arms it. If the result is true, the PMU must neither change nor
 * report the counter. Call this function only once for each overflow that the
 * hardware signals: the result is true only once for each handled overflow.
 * Context: as pfm_overflow().
 * Return: true if the overflow was handled with another counter's report, and
 * this report was discarded.
 */
bool pfm_overflow_discard_known(struct pfm_pmu_reg *reg, u64 value);

/**
 * pfm_ds_overflow() - report an overflow in a set with a debug-store area
 * @reg:  the counter
 * @ip:   interrupted instruction pointer
 * @regs: interrupted registers, may be NULL
 * @rec:  the record; the core fills in its status
 *
 * Context: as pfm_overflow().
 */
void pfm_ds_overflow(struct pfm_pmu_reg *reg, u64 ip, struct pt_regs *regs,
		     struct pfm_ds_record *rec);

/**
 * pfm_overflow_many() - report hardware counters that overflowed together
 * @s:    the set
 * @pmds: bitmap of the PMDs whose hardware counters have wrapped, PFM_MAX_PMDS
 *        bits
 * @ip:   interrupted instruction pointer
 * @regs: interrupted registers, may be NULL
 * @rec:  their record, for a set with a debug-store area; the core fills in its
 *        status
 *
 * The core keeps the upper bits of counters narrower than 64 bits, and adds the
 * wraps to them. It handles the counters whose 64-bit value has overflowed in
 * order of PMD index, with one time stamp.
 * Context: as pfm_overflow().
 */
void pfm_overflow_many(struct pfm_pmu_set *s, const unsigned long *pmds,
		       u64 ip, struct pt_regs *regs,
		       struct pfm_ds_record *rec);

/**
 * pfm_timeout() - report that the clock of a set has reached 0
 * @clock: the clock
 * @regs:  interrupted registers, may be NULL
 *
 * Context: as pfm_overflow().
 */
void pfm_timeout(struct pfm_pmu_reg *clock, struct pt_regs *regs);

/**
 * pfm_show_counter() - tell the monitored thread how to read a running counter
 * @reg:  the PMD, with @user_read
 * @show: content for the set's page (perfmon.h), except cnt_seq
 *
 * Call this whenever the PMD gets a hardware counter, loses it, or has it
 * reloaded, before the thread can run again.
 * Context: any, interrupts off, on the CPU of the monitored thread; one call at
 * a time for a set.
 */
void pfm_show_counter(struct pfm_pmu_reg *reg, const pfm_map_counter_t *show);

#endif /* PERFMON_PERFMON_PMU_H */
