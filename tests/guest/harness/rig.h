/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * rig.h - NMIs, and the PMU of perf's that counts them (tests/guest/pmu_nmi)
 *
 * A failure in here fails the test.
 */
#ifndef GUEST_RIG_H
#define GUEST_RIG_H

#include <linux/types.h>
#include <stdbool.h>

/* The PMU has so many counters. */
#define RIG_COUNTERS	8
/* As many NMIs a second as the machine bears. */
#define RIG_FASTEST	1000000000UL
/* For rig_event(): it counts where the event excludes it, too. */
#define RIG_SKID	(1ULL << 16)

struct counter;

/* "-1 N" lets N NMIs come to the thread that writes it. */
#define RIG_FIRE	"/sys/kernel/debug/pfm_nmi/fire"

/* Skip the test unless the module is loaded. */
void rig_need(void);
/* PMC value that counts NMIs: @step for each. */
__u64 rig_event(unsigned int step);
/* The same, for a counter; it overflows every @period NMIs. */
struct counter rig_counter(unsigned int n, __u32 flags, __u64 period);
/* Make one and write it. */
void rig_add_counter(int fd, unsigned int n, __u32 flags, __u64 period);

/* Send NMIs to this thread, to be received before this returns. */
void rig_fire(unsigned int n);
/* To whatever another CPU does. */
void rig_fire_at_cpu(int cpu, unsigned int n);
/*
 * The same from another CPU, while this thread runs a function that returns
 * when *done is true, which is always the same place, in the lower 4 GiB; or
 * just spins at user level.
 */
void rig_fire_while(unsigned int n, void (*spin)(const bool *done));
void rig_fire_at_user(unsigned int n);
/* NMIs a second to all CPUs that have a counter on; 0 for none. */
void rig_rate(unsigned long rate);
/* Write a setting of the rig's. */
void rig_set(const char *name, __u64 value);
/*
 * As many NMIs as the machine bears until the end, if PFM_NMI is in the
 * environment.
 */
void rig_begin(void);
void rig_end(void);

/**
 * struct rig_stats - what has happened; see the module's
 */
struct rig_stats {
	__u64	sent;
	__u64	received;
	__u64	irqs_off;
	__u64	kernel;
	__u64	idle;
	__u64	wrapped;
	__u64	reported;
	__u64	throttled;
};

struct rig_stats rig_stats(void);
/* What has happened since then. */
struct rig_stats rig_since(struct rig_stats then);
/* Print it, as a comment. */
void rig_print(const struct rig_stats *s);

#endif /* GUEST_RIG_H */
