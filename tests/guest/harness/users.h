/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * users.h - change users, capabilities and perf_event_paranoid
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_USERS_H
#define GUEST_USERS_H

#include <linux/capability.h>
#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define YAMA		"/proc/sys/kernel/yama/ptrace_scope"
#define USER		1000
#define OTHER_USER	1001
#define GROUP		4711

#define CAP(n)		(1ULL << (n))
#define ALL_CAPS	(CAP(CAP_LAST_CAP + 1) - 1)

/* Keep exactly these capabilities. */
void keep_caps(__u64 caps);
/*
 * Change to this user and group, with exactly these capabilities and without
 * supplementary groups. The process stays dumpable.
 */
void become(uid_t uid, gid_t gid, __u64 caps);
/*
 * Change to this user and the group with the same number, with exactly these
 * capabilities and the supplementary group GROUP. The process stays dumpable.
 */
void become_member(uid_t uid, __u64 caps);

/*
 * Run a function in a child while both perf_event_paranoid and perfmon.ko's
 * parameter paranoid have this value.
 */
void with_paranoid(const char *value, void (*run)(void *arg), void *arg);
/*
 * Run a function in a child while only root and members of GROUP can open
 * /dev/perfmon, as with perfmon's udev rule.
 */
void with_node_for_group(void (*run)(void *arg), void *arg);

/*
 * Open a software event with perf_event_open(). Return: the event's descriptor,
 * or -1.
 */
int perf_open(pid_t pid, int cpu, bool exclude_kernel);
/* Create a context. Return: its descriptor, or -1 with errno EPERM. */
int try_create(__u32 flags);

#endif /* GUEST_USERS_H */
