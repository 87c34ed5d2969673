/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * access.h - why perfmon refuses to measure, and what to do about it
 *
 * The kernel says EPERM whatever the reason. What it goes by can be read: the
 * device node, groups, levels, capabilities, the thread.
 */
#ifndef PFMON_ACCESS_H
#define PFMON_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the order in which the kernel asks. */
enum access_cause {
	ACCESS_GRANTED,		/* nothing speaks against it */
	ACCESS_NO_NODE,		/* perfmon is not loaded, or has no node */
	ACCESS_NODE,		/* the device node does not open */
	ACCESS_GROUP,		/* task_group or sys_group */
	ACCESS_LEVEL,		/* the level allows users nothing at all */
	ACCESS_LEVEL_CPU,	/* it does not allow them CPUs */
	ACCESS_LEVEL_KERNEL,	/* nor events in the kernel */
	ACCESS_LOCKDOWN,	/* registers, when the kernel is locked down */
	ACCESS_KERNEL_THREAD,
	ACCESS_OTHER_USER,	/* the thread is somebody else's */
	ACCESS_GUARDED,		/* the thread has more rights, or hides */
	ACCESS_STOP,		/* it may be watched, but not blocked */
	ACCESS_UNKNOWN,		/* a security module, perhaps */
};

/* Where root sets what counts. */
#define ACCESS_LEVEL_FILE	"/sys/module/perfmon/parameters/paranoid"
#define ACCESS_THREADS_FILE	"/sys/kernel/perfmon/task_group"
#define ACCESS_CPUS_FILE	"/sys/kernel/perfmon/sys_group"

/* What root does for perfmon to be there. */
#define ACCESS_LOAD		"modprobe pfm_pmu_perf"

/* The group of the device, if there is none. */
#define ACCESS_MAKE_GROUP	"groupadd -rf perfmon"

/* No group is asked for; the value of PFM_GROUP_ANY. */
#define ACCESS_ANY_GROUP	((gid_t)-1)

/* A group that somebody must be in. */
struct access_group {
	gid_t gid;		/* ACCESS_ANY_GROUP: none */
	bool member;		/* the process is in it */
	bool later;		/* it is not, but its user's next login is */
	char name[33];		/* or the number */
};

/* A thread that is to be measured. */
struct access_thread {
	bool exists;
	bool kernel;		/* the kernel's own */
	uid_t uid;
	char user[64];		/* or "" */
};

/* What the kernel goes by. */
struct access_facts {
	bool loaded;
	bool node_exists;
	bool node_opens;
	mode_t node_mode;
	struct access_group node;
	struct access_group threads;	/* task_group */
	struct access_group cpus;	/* sys_group */
	int level;			/* what counts */
	int kernel_level;		/* kernel.perf_event_paranoid */
	bool own_level;			/* perfmon.paranoid is a number */
	bool locked_down;		/* for confidentiality */
	int ptrace_scope;		/* Yama's, or 0 */
	uint64_t caps;			/* effective */
	uid_t uid;
	char user[64];			/* or "" */
	struct access_thread thread;	/* that of the wish */
};

/* What is to be measured. */
struct access_wish {
	bool system_wide;
	bool kernel;		/* an event counts in the kernel */
	bool registers;		/* the format records them */
	bool block;		/* the thread is held: --overflow-block */
	pid_t thread;		/* 0: one's own */
};

struct access_refusal {
	enum access_cause cause;
	char *reason;		/* a clause; NULL if granted */
	char *advice;		/* what anybody can do, or NULL */
	char *command;		/* what root can do, or NULL */
	bool login;		/* that counts from the user's next login on */
};

/* Reads them from this machine; @thread is 0 if it is one's own. */
void access_gather(struct access_facts *facts, pid_t thread);

/* What the facts speak against, first of all; the caller frees. */
void access_judge(const struct access_facts *facts,
		  const struct access_wish *wish,
		  struct access_refusal *refusal);
void access_free(struct access_refusal *refusal);

/*
 * The same as a sentence, of this machine now and for something that the kernel
 * has refused; the caller frees.
 */
char *access_explain(const struct access_wish *wish);

/* The same if there is no perfmon at all (ENOSYS). */
char *access_absent(void);

#endif /* PFMON_ACCESS_H */
