/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * rig.h - send NMIs, and count them with the pfm_nmi PMU (tests/guest/pmu_nmi)
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_RIG_H
#define GUEST_RIG_H

#include <linux/types.h>
#include <stdbool.h>

/* The number of the PMU's counters. */
#define RIG_COUNTERS	8
/* A number of NMIs per second that no machine can handle. */
#define RIG_FASTEST	1000000000UL
/* For rig_event(): count even where the event excludes counting. */
#define RIG_SKID	(1ULL << 16)

struct counter;

/* Writing "-1 N" sends N NMIs to the writing thread. */
#define RIG_FIRE	"/sys/kernel/debug/pfm_nmi/fire"

/* Skip the test unless the module is loaded. Lift perfmon.ko's limits. */
void rig_need(void);
/* Return how often to repeat a test: $NMI_ROUNDS, or 50. */
unsigned int rig_rounds(void);
/* Return the PMC value of an event that counts @step per NMI. */
__u64 rig_event(unsigned int step);
/* Describe a counter that overflows every @period NMIs. */
struct counter rig_counter(unsigned int n, __u32 flags, __u64 period);
/* Describe a counter and write it. */
void rig_add_counter(int fd, unsigned int n, __u32 flags, __u64 period);

/* Send NMIs to this thread, and wait until it has received them. */
void rig_fire(unsigned int n);
/* Send NMIs to another CPU, even if it is busy. */
void rig_fire_at_cpu(int cpu, unsigned int n);
/*
 * Send NMIs from another CPU while this thread runs @spin or spins at user
 * level. @spin returns when *done is true. The address of done is always the
 * same, and below 4 GiB.
 */
void rig_fire_while(unsigned int n, void (*spin)(const bool *done));
void rig_fire_at_user(unsigned int n);
/*
 * Send NMIs at this rate to each CPU with an active counter. They end when the
 * rate is set to 0, or when this process and its children have ended.
 */
void rig_rate(unsigned long rate);
/*
 * Write a debugfs file of the PMU; main.c says how long the value has an
 * effect.
 */
void rig_set(const char *name, __u64 value);
/*
 * If PFM_NMI is in the environment, send as many NMIs as the machine can
 * handle, from rig_begin() to rig_end().
 */
void rig_begin(void);
void rig_end(void);

/**
 * struct rig_stats - statistics as in the module's structure of that name
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
/* Return the difference from earlier statistics. */
struct rig_stats rig_since(struct rig_stats then);
/* Print statistics as a TAP comment. */
void rig_print(const struct rig_stats *s);

#endif /* GUEST_RIG_H */
