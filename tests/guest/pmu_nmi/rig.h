/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rig.h - a PMU of perf's that counts NMIs, and whose overflows are NMIs
 *
 * Its counters are variables of each CPU. Others send NMIs to the CPU (fire.c);
 * each lets all counters that are on count, and those that wrap are reported to
 * perf from the NMI, as x86's own driver does (counters.c). main.c has the
 * files by which tests drive it.
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
 * perf_event_attr.config: how far the counter gets with each NMI, less one; and
 * that it counts where the event excludes it, as a CPU's that is late.
 */
#define RIG_STEP_MASK	GENMASK_ULL(15, 0)
#define RIG_SKID	BIT_ULL(16)

/**
 * struct rig_stats - what has happened, on a CPU
 * @sent:      NMIs sent to it
 * @received:  NMIs received
 * @irqs_off:  those that came while interrupts were off
 * @kernel:    those that came in the kernel
 * @idle:      those for which no counter was on
 * @wrapped:   counters that wrapped
 * @reported:  overflows reported to perf
 * @throttled: those for which perf has stopped the counter
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
 * struct rig_cpu - the PMU of a CPU
 * @values: the counters
 * @events: whose they are
 * @used:   counters that belong to an event
 * @active: those that are on
 * @enabled: the PMU as a whole is on
 * @firing: an NMI is on its way, or being handled
 * @next:   no NMI before this time, in ns
 * @stats:  what has happened
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

/*
 * What precise events sample: in each sample of an event both the address and
 * the latency are one more than in the one before.
 */
struct rig_record {
	u64	addr;
	u64	latency;
	u64	source;
};

extern struct rig_record rig_record;
/* What wraps at one NMI is reported at the next. */
extern bool rig_late;
/* It is never reported, as records that perf drains at a context switch. */
extern bool rig_mute;
/* Shorter periods than this are refused. */
extern u64 rig_shortest;

/* Is a counter on? */
static inline bool rig_is_active(const struct rig_cpu *c)
{
	return READ_ONCE(c->enabled) && READ_ONCE(c->active);
}

/* An NMI has come. */
void rig_count(struct rig_cpu *c, struct pt_regs *regs);
int rig_counters_init(void);
void rig_counters_exit(void);

/*
 * Send NMIs to a CPU, one after the other, or to the calling thread if @cpu is
 * -1. 0, -ENXIO if it is offline, -EINTR.
 */
int rig_fire(int cpu, u64 n);
/* NMIs a second to each CPU that has a counter on; 0 for none. */
void rig_set_rate(u64 rate);
int rig_fire_init(void);
void rig_fire_exit(void);

#endif /* PFM_NMI_RIG_H */
