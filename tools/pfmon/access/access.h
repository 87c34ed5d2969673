/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * access.h - explain why perfmon denies a measurement, and what to do
 *
 * The kernel returns EPERM for many reasons. pfmon reads what the kernel has
 * checked (device node, groups, paranoid levels, capabilities, the thread) to
 * find the reason.
 */
#ifndef PFMON_ACCESS_ACCESS_H
#define PFMON_ACCESS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "access/access_facts.h"

/* Reasons for a refusal, in the order of the kernel's checks. */
enum access_cause {
	ACCESS_GRANTED,		/* no reason for a refusal is known */
	ACCESS_NO_NODE,		/* perfmon or its device node is missing */
	ACCESS_NODE,		/* the device node cannot be opened */
	ACCESS_GROUP,		/* task_group or sys_group */
	ACCESS_LEVEL,		/* the paranoid level forbids measuring */
	ACCESS_LEVEL_CPU,	/* ... forbids measuring CPUs */
	ACCESS_LEVEL_KERNEL,	/* ... forbids measuring the kernel */
	ACCESS_LOCKDOWN,	/* lockdown forbids recording registers */
	ACCESS_KERNEL_THREAD,
	ACCESS_OTHER_USER,	/* the thread belongs to another user */
	ACCESS_GUARDED,		/* more privileged or not dumpable thread */
	ACCESS_STOP,		/* blocking the thread is forbidden */
	ACCESS_UNKNOWN,		/* perhaps a security module */
};

/* The command that loads perfmon. */
#define ACCESS_LOAD		"modprobe pfm_pmu_perf"

/* The command that creates the group of the device node. */
#define ACCESS_MAKE_GROUP	"groupadd -rf perfmon"

/* The requested measurement. */
struct access_wish {
	bool system_wide;
	bool kernel;		/* an event counts in the kernel */
	bool registers;		/* the format records registers */
	bool block;		/* --overflow-block */
	pid_t thread;		/* 0: the calling thread */
};

struct access_refusal {
	enum access_cause cause;
	char *reason;		/* part of a sentence; NULL if granted */
	char *advice;		/* what any user can do, or NULL */
	char *command;		/* what root can run, or NULL */
	bool login;		/* the user must log in again after @command */
};

/*
 * Stores in @refusal the first reason why the kernel refuses @wish. The caller
 * must call access_free().
 */
void access_judge(const struct access_facts *facts,
		  const struct access_wish *wish,
		  struct access_refusal *refusal);
void access_free(struct access_refusal *refusal);

/*
 * Returns a sentence, to be freed, that explains why this machine's kernel has
 * refused @wish.
 */
char *access_explain(const struct access_wish *wish);

/*
 * Returns whether perf lets this user observe the user's own processes.
 * Debian's default kernel.perf_event_paranoid forbids this, whatever the value
 * of perfmon.paranoid.
 */
bool access_to_perf(void);

/*
 * Returns a text, to be freed, that explains why perfmon is not available
 * (ENOSYS).
 */
char *access_absent(void);

#endif /* PFMON_ACCESS_ACCESS_H */
