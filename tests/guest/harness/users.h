/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * users.h - being somebody else, at a level of perf_event_paranoid
 *
 * A failure in here fails the test.
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

/* Have just these capabilities. */
void keep_caps(__u64 caps);
/* Become somebody with just these, in no other group, and dumpable. */
void become(uid_t uid, gid_t gid, __u64 caps);
/* The same as a member of GROUP. */
void become_member(uid_t uid, __u64 caps);

/* Both parameters the same: what users may do without CAP_PERFMON. */
void with_paranoid(const char *value, void (*run)(void *arg), void *arg);
/* Only members of GROUP may open the device, as udev sets it up. */
void with_node_for_group(void (*run)(void *arg), void *arg);

/* A software event as perf_event_open() has it, or -1. */
int perf_open(pid_t pid, int cpu, bool exclude_kernel);
/* A context of the caller, or -1 with EPERM as errno. */
int try_create(__u32 flags);

#endif /* GUEST_USERS_H */
