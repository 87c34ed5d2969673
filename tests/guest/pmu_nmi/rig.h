/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rig.h - a perf PMU that counts NMIs and whose overflows are NMIs
 *
 * The counters are per-CPU variables. Other CPUs send NMIs (fire.c). Each NMI
 * advances all active counters. Wraps are reported to perf from the NMI, as in
 * x86's own driver (counters.c). Tests control the PMU through the files of
 * main.c.
 */
#ifndef PFM_NMI_RIG_H
#define PFM_NMI_RIG_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

struct perf_event;
struct pt_regs;

#define RIG_COUNTERS	8

/*
 * Bits of perf_event_attr.config: RIG_STEP_MASK is the number of events that
 * the counter counts per NMI, minus one. RIG_SKID makes the counter count even
 * in the modes (user or kernel) that the event excludes, as happens on a CPU
 * whose interrupts arrive late.
 */
#define RIG_STEP_MASK	GENMASK_ULL(15, 0)
#define RIG_SKID	BIT_ULL(16)

/**
 * struct rig_stats - statistics of a CPU
 * @sent:      NMIs sent to it
 * @received:  NMIs received
 * @irqs_off:  NMIs received with interrupts off
 * @kernel:    NMIs received in the kernel
 * @idle:      NMIs received with no active counter
 * @wrapped:   counters that wrapped
 * @reported:  overflows reported to perf
 * @throttled: overflows after which perf stopped the counter
 */
struct rig_stats {
	atomic64_t	sent;
	u64		received;
	u64		irqs_off;
	u64		kernel;
	u64		idle;
	u64		wrapped;
	u64		reported;
	u64		throttled;
};

/**
 * struct rig_cpu - the state of the PMU on one CPU
 * @values: the counters
 * @events: the event of each counter
 * @used:   counters that belong to an event
 * @active: counters that are started
 * @enabled: the PMU as a whole is enabled
 * @firing: an NMI is on its way or being handled
 * @next:   earliest time of the next NMI, in ns
 * @stats:  statistics
 */
struct rig_cpu {
	u64			values[RIG_COUNTERS];
	struct perf_event	*events[RIG_COUNTERS];
	unsigned long		used;
	unsigned long		active;
	bool			enabled;
	atomic_t		firing;
	u64			next;
	struct rig_stats	stats;
};

DECLARE_PER_CPU(struct rig_cpu, rig_cpus);

/* The maximum number of branches that the PMU records. */
#define RIG_BRANCHES	12

/*
 * The data of precise events, and the branches of all events. Addresses and
 * latency increase by one with each sample of an event.
 */
struct rig_record {
	u64	addr;
	u64	latency;
	u64	weight2;
	u64	weight3;
	u64	source;
	u64	transaction;
	u64	branches;
	u64	branch_from;
	u64	branch_to;
	u64	branch_flags;
	u64	branch_type;
};

extern struct rig_record rig_record;
/* Report a wrap one NMI late, at the NMI after the one that caused the wrap. */
extern bool rig_late;
/*
 * Do not report wraps. On a real CPU, perf likewise drops overflows while it
 * drains the PEBS records at a context switch.
 */
extern bool rig_mute;
/* Refuse periods shorter than this. */
extern u64 rig_shortest;

/* Return whether any counter of the CPU is active. */
static inline bool rig_is_active(const struct rig_cpu *c)
{
	return READ_ONCE(c->enabled) && READ_ONCE(c->active);
}

/* Advance the counters of a CPU that has received an NMI. */
void rig_count(struct rig_cpu *c, struct pt_regs *regs);
int rig_counters_init(void);
void rig_counters_exit(void);

/*
 * Send @n NMIs, one after the other, to a CPU, or to the calling thread if @cpu
 * is -1. Return: 0, -ENXIO if the CPU is offline, or -EINTR.
 */
int rig_fire(int cpu, u64 n);
/*
 * Send @rate NMIs per second to each CPU with an active counter. Stop sending
 * if @rate is 0.
 */
void rig_set_rate(u64 rate);
int rig_fire_init(void);
void rig_fire_exit(void);

#endif /* PFM_NMI_RIG_H */
