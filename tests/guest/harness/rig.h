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
/* More NMIs per second than any machine can handle. */
#define RIG_FASTEST	1000000000UL
/*
 * Flag to be combined with rig_event(): also count NMIs that arrive in the mode
 * (user or kernel) that the event excludes.
 */
#define RIG_SKID	(1ULL << 16)

struct counter;

/* Writing "-1 N" sends N NMIs to the writing thread. */
#define RIG_FIRE	"/sys/kernel/debug/pfm_nmi/fire"

/*
 * Skip the test unless the module pfm_nmi is loaded. Lift perfmon.ko's limits
 * on overflows.
 */
void rig_need(void);
/* Return how many times to repeat a test: $NMI_ROUNDS, or 50. */
unsigned int rig_rounds(void);
/* Return the PMC value of an event that counts @step per NMI. */
__u64 rig_event(unsigned int step);
/*
 * Return settings with which counter @n counts rig_event(1), and overflows
 * after every @period NMIs.
 */
struct counter rig_counter(unsigned int n, __u32 flags, __u64 period);
/* Program a counter with the settings of rig_counter(). */
void rig_add_counter(int fd, unsigned int n, __u32 flags, __u64 period);

/* Send @n NMIs to this thread, and wait until it has received them. */
void rig_fire(unsigned int n);
/* Send @n NMIs to another CPU, even if that CPU is busy. */
void rig_fire_at_cpu(int cpu, unsigned int n);
/*
 * Send @n NMIs from another CPU while this thread runs @spin, which must return
 * when *done is true. @done is the same address in each call of @spin; on x86
 * the address is below 4 GiB.
 */
void rig_fire_while(unsigned int n, void (*spin)(const bool *done));
/* Send @n NMIs from another CPU while this thread spins in user space. */
void rig_fire_at_user(unsigned int n);
/*
 * Send @rate NMIs per second to each CPU with an active counter, until the rate
 * is set to 0 or this process and its children have exited.
 */
void rig_rate(unsigned long rate);
/*
 * Write a debugfs file of the PMU. tests/guest/pmu_nmi/main.c describes how
 * long the value has an effect.
 */
void rig_set(const char *name, __u64 value);
/*
 * If the environment variable PFM_NMI is set, send as many NMIs as the machine
 * can handle until rig_end() is called.
 */
void rig_begin(void);
void rig_end(void);

/**
 * struct rig_stats - the statistics that the module's file "stats" shows
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
/* Return how much the statistics have increased since @then. */
struct rig_stats rig_since(struct rig_stats then);
/* Print statistics as a TAP comment. */
void rig_print(const struct rig_stats *s);

#endif /* GUEST_RIG_H */
