// SPDX-License-Identifier: MIT OR GPL-2.0
/* access.c - explain why perfmon denies a measurement, and what to do */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "access/access.h"
#include "base/util.h"

#define PERFS_LEVEL	"kernel.perf_event_paranoid"
/* Levels of perf_event_paranoid: what unprivileged users may still measure. */
#define LEVEL_NOTHING	3	/* nothing; Debian's default */
#define LEVEL_USER	2	/* own threads in user space */
#define LEVEL_THREADS	1	/* own threads, kernel included */

bool access_to_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.task = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

static bool can(const struct access_facts *facts, int cap)
{
	return facts->caps & 1ULL << cap;
}

static bool may_observe(const struct access_facts *facts)
{
	return can(facts, CAP_PERFMON) || can(facts, CAP_SYS_ADMIN);
}

static const char *level_name(const struct access_facts *facts)
{
	return facts->own_level ? "perfmon.paranoid" : PERFS_LEVEL;
}

/* Returns the command with which root sets the paranoid level. */
static char *set_level(int level)
{
	return checked_printf("echo %d >" ACCESS_LEVEL_FILE, level);
}

static void refuse_outsider(const struct access_facts *facts,
			    const struct access_group *group, const char *what,
			    struct access_refusal *refusal)
{
	if (group->later) {
		refusal->reason = checked_printf("%s is restricted to the group %s, which you joined after you logged in",
						 what, group->name);
		refusal->advice = checked_strdup("log in again, or use su - $USER");
		return;
	}
	refusal->reason = checked_printf("%s is restricted to the group %s, and you are not in it",
					 what, group->name);
	refusal->command = checked_printf("usermod -aG %s %s", group->name,
					  *facts->user ? facts->user : "USER");
	refusal->login = true;
}

/*
 * Returns whether the mode and group of the device node let the process open
 * it.
 */
static bool node_is_for(const struct access_facts *facts)
{
	mode_t needed = facts->node.member ? 0060 : 0006;

	return (facts->node_mode & needed) == needed;
}

static void judge_node(const struct access_facts *facts,
		       struct access_refusal *refusal)
{
	bool for_group = (facts->node_mode & 0060) == 0060;

	refusal->cause = ACCESS_NODE;
	if (node_is_for(facts)) {
		refusal->reason = checked_printf(PFM_DEVICE " cannot be opened, although mode %04o and group %s allow it; a security module may forbid it: see the kernel log",
						 facts->node_mode,
						 facts->node.name);
		return;
	}
	if (for_group && facts->node.gid && !facts->node.member) {
		refuse_outsider(facts, &facts->node, PFM_DEVICE, refusal);
		return;
	}
	refusal->reason = checked_printf("you have no access to " PFM_DEVICE ": it has mode %04o and group %s",
					 facts->node_mode, facts->node.name);
	refusal->command = checked_strdup(ACCESS_MAKE_GROUP " && chgrp perfmon "
					  PFM_DEVICE " && chmod 660 "
					  PFM_DEVICE);
}

static const struct access_group *group_for(const struct access_facts *facts,
					    const struct access_wish *wish)
{
	return wish->system_wide ? &facts->cpus : &facts->threads;
}

static void judge_group(const struct access_facts *facts,
			const struct access_wish *wish,
			struct access_refusal *refusal)
{
	refusal->cause = ACCESS_GROUP;
	refuse_outsider(facts, group_for(facts, wish), wish->system_wide ?
			"measuring CPUs (" ACCESS_CPUS_FILE ")" :
			"measuring threads (" ACCESS_THREADS_FILE ")",
			refusal);
}

static void judge_level(const struct access_facts *facts,
			struct access_refusal *refusal)
{
	refusal->cause = ACCESS_LEVEL;
	refusal->reason = checked_printf("%s is %d: measuring requires CAP_SYS_ADMIN",
					 level_name(facts), facts->level);
	refusal->command = set_level(LEVEL_USER);
}

/*
 * Even if perfmon.paranoid allows measuring CPUs, perf still checks
 * kernel.perf_event_paranoid.
 */
static void judge_cpu(const struct access_facts *facts,
		      struct access_refusal *refusal)
{
	bool own = facts->own_level && facts->level > 0;

	refusal->cause = ACCESS_LEVEL_CPU;
	refusal->reason = checked_printf("%s is %d: measuring CPUs requires CAP_PERFMON",
					 own ? level_name(facts) : PERFS_LEVEL,
					 own ? facts->level :
					       facts->kernel_level);
	refusal->advice = checked_strdup("measure a thread");
	refusal->command = own ? set_level(0) :
				 checked_strdup("sysctl " PERFS_LEVEL "=0");
}

static void judge_kernel(const struct access_facts *facts,
			 struct access_refusal *refusal)
{
	refusal->cause = ACCESS_LEVEL_KERNEL;
	refusal->reason = checked_printf("%s is %d: measuring in the kernel requires CAP_PERFMON",
					 level_name(facts), facts->level);
	refusal->advice = checked_strdup("measure only user space (-u)");
	refusal->command = set_level(LEVEL_THREADS);
}

static void judge_registers(struct access_refusal *refusal)
{
	refusal->cause = ACCESS_LOCKDOWN;
	refusal->reason = checked_strdup("kernel lockdown is in confidentiality mode: samples cannot contain registers");
	refusal->advice = checked_strdup("use a format without registers (--smpl-module=default)");
}

static void judge_kernel_thread(const struct access_wish *wish,
				struct access_refusal *refusal)
{
	refusal->cause = ACCESS_KERNEL_THREAD;
	refusal->reason = checked_printf("thread %d is a kernel thread: measuring it requires CAP_PERFMON",
					 wish->thread);
}

/*
 * Returns the capability that the measurement needs. Blocking a thread requires
 * a different capability than observing it.
 */
static const char *right_to(const struct access_wish *wish)
{
	return wish->block ? "CAP_SYS_PTRACE" : "CAP_PERFMON";
}

static void judge_other_user(const struct access_wish *wish,
			     const struct access_thread *thread,
			     struct access_refusal *refusal)
{
	refusal->cause = ACCESS_OTHER_USER;
	refusal->reason = checked_printf("thread %d belongs to another user, %s (%u): measuring it requires %s",
					 wish->thread, thread->user,
					 thread->uid, right_to(wish));
}

static void judge_stop(const struct access_facts *facts,
		       struct access_refusal *refusal)
{
	refusal->cause = ACCESS_STOP;
	refusal->reason = checked_printf("blocking a thread requires permission to trace it, and kernel.yama.ptrace_scope is %d",
					 facts->ptrace_scope);
	refusal->advice = checked_strdup(facts->ptrace_scope > 1 ?
					 "omit --overflow-block" :
					 "let pfmon start the command, or omit --overflow-block");
	/* Scope 3 cannot be changed until a reboot. */
	if (facts->ptrace_scope < 3)
		refusal->command =
			checked_strdup("sysctl kernel.yama.ptrace_scope=0");
}

static void judge_guarded(const struct access_wish *wish,
			  struct access_refusal *refusal)
{
	refusal->cause = ACCESS_GUARDED;
	refusal->reason = checked_printf("thread %d has more privileges than you, is in another user namespace, or runs a program that you may not read: measuring it requires %s",
					 wish->thread,
					 right_to(wish));
}

static void judge_thread(const struct access_facts *facts,
			 const struct access_wish *wish,
			 struct access_refusal *refusal)
{
	const struct access_thread *thread = &facts->thread;

	if (!wish->thread || can(facts, CAP_SYS_PTRACE) ||
	    (!wish->block && may_observe(facts)))
		return;
	if (!thread->exists)
		return;
	if (thread->kernel)
		judge_kernel_thread(wish, refusal);
	else if (thread->uid != facts->uid)
		judge_other_user(wish, thread, refusal);
	else if (wish->block && facts->ptrace_scope)
		judge_stop(facts, refusal);
}

static bool refuses_cpu(const struct access_facts *facts)
{
	return facts->level > 0 || facts->kernel_level > 0;
}

static void judge_levels(const struct access_facts *facts,
			 const struct access_wish *wish,
			 struct access_refusal *refusal)
{
	if (facts->level >= LEVEL_NOTHING && !can(facts, CAP_SYS_ADMIN))
		judge_level(facts, refusal);
	else if (may_observe(facts))
		return;
	else if (wish->system_wide && refuses_cpu(facts))
		judge_cpu(facts, refusal);
	else if (wish->kernel && facts->level >= LEVEL_USER)
		judge_kernel(facts, refusal);
}

static void judge_absent(const struct access_facts *facts,
			 struct access_refusal *refusal)
{
	refusal->cause = ACCESS_NO_NODE;
	if (facts->loaded && !facts->node_exists) {
		refusal->reason = checked_strdup(PFM_DEVICE " does not exist, although perfmon is loaded");
		refusal->advice = checked_strdup("run pfmon doctor to see how to create it");
		return;
	}
	refusal->reason = checked_strdup("perfmon is not loaded");
	refusal->command = checked_strdup(ACCESS_LOAD);
}

void access_judge(const struct access_facts *facts,
		  const struct access_wish *wish,
		  struct access_refusal *refusal)
{
	memset(refusal, 0, sizeof(*refusal));
	if (!facts->node_exists)
		judge_absent(facts, refusal);
	else if (!facts->node_opens)
		judge_node(facts, refusal);
	else if (!group_for(facts, wish)->member)
		judge_group(facts, wish, refusal);
	else
		judge_levels(facts, wish, refusal);
	if (!refusal->cause && wish->registers && facts->locked_down)
		judge_registers(refusal);
	if (!refusal->cause)
		judge_thread(facts, wish, refusal);
}

void access_free(struct access_refusal *refusal)
{
	free(refusal->reason);
	free(refusal->advice);
	free(refusal->command);
}

/* Explains a refusal for which access_judge() found no reason. */
static void judge_unknown(const struct access_wish *wish,
			  struct access_refusal *refusal)
{
	if (wish->thread) {
		judge_guarded(wish, refusal);
		return;
	}
	refusal->cause = ACCESS_UNKNOWN;
	refusal->reason = checked_strdup("pfmon does not know the reason; a security module may forbid it: see the kernel log");
}

/*
 * Joins the texts of a refusal into one sentence, which the caller must free.
 * Frees the texts.
 */
static char *say(struct access_refusal *refusal)
{
	char *text = checked_printf("%s%s%s%s%s%s", refusal->reason,
				    refusal->advice ? "; " : "",
				    refusal->advice ? refusal->advice : "",
				    refusal->command ? "; as root: " : "",
				    refusal->command ? refusal->command : "",
				    refusal->login ? ", and log in again" : "");

	access_free(refusal);
	return text;
}

char *access_explain(const struct access_wish *wish)
{
	struct access_refusal refusal;
	struct access_facts facts;

	access_gather(&facts, wish->thread);
	access_judge(&facts, wish, &refusal);
	if (refusal.cause == ACCESS_GRANTED)
		judge_unknown(wish, &refusal);
	return say(&refusal);
}

char *access_absent(void)
{
	struct access_refusal refusal = { .cause = ACCESS_NO_NODE };
	struct access_facts facts;

	access_gather(&facts, 0);
	judge_absent(&facts, &refusal);
	return say(&refusal);
}
