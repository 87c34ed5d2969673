/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* access_facts.h - facts that decide whether the kernel allows a measurement */
#ifndef PFMON_ACCESS_ACCESS_FACTS_H
#define PFMON_ACCESS_ACCESS_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Files in which root sets permissions. */
#define ACCESS_LEVEL_FILE	"/sys/module/perfmon/parameters/paranoid"
#define ACCESS_THREADS_FILE	"/sys/kernel/perfmon/task_group"
#define ACCESS_CPUS_FILE	"/sys/kernel/perfmon/sys_group"

/* No group is required; the value of PFM_GROUP_ANY. */
#define ACCESS_ANY_GROUP	((gid_t)-1)

/* The group to which a user must belong, for one kind of access. */
struct access_group {
	gid_t gid;		/* or ACCESS_ANY_GROUP */
	bool member;		/* the process is a member */
	bool later;		/* a member only after the next login */
	char name[33];		/* group name, or its ID as text */
};

/* The thread to be measured. */
struct access_thread {
	bool exists;
	bool kernel;		/* a kernel thread */
	uid_t uid;
	char user[64];		/* user name, or "" */
};

/* Everything on which the kernel's decision depends. */
struct access_facts {
	bool loaded;
	bool node_exists;
	bool node_opens;
	mode_t node_mode;
	struct access_group node;
	struct access_group threads;	/* task_group */
	struct access_group cpus;	/* sys_group */
	int level;			/* the effective paranoid level */
	int kernel_level;		/* kernel.perf_event_paranoid */
	bool own_level;			/* @level comes from perfmon.paranoid */
	bool locked_down;		/* lockdown, confidentiality mode */
	int ptrace_scope;		/* Yama's; 0 without Yama */
	uint64_t caps;			/* effective capabilities */
	uid_t uid;
	char user[64];			/* user name, or "" */
	struct access_thread thread;	/* @thread of access_gather() */
};

/*
 * Reads the facts of this machine. Also reads those of @thread, unless it is 0:
 * then the calling thread is measured, whose facts are not needed.
 */
void access_gather(struct access_facts *facts, pid_t thread);

#endif /* PFMON_ACCESS_ACCESS_FACTS_H */
