// SPDX-License-Identifier: MIT OR GPL-2.0
/* entry_stop.c - stop a program at its entry point */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/util.h"
#include "process/breakpoints/machine.h"
#include "process/entry_stop.h"

uint64_t entry_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/auxv", tid);
	uint64_t entry = 0;
	size_t length = 0;
	char *content = read_file(path, &length);
	Elf64_auxv_t value;

	for (size_t at = 0; content && at + sizeof(value) <= length;
	     at += sizeof(value)) {
		memcpy(&value, content + at, sizeof(value));
		if (value.a_type == AT_ENTRY)
			entry = value.a_un.a_val;
	}
	free(content);
	free(path);
	return entry;
}

/*
 * Returns whether a set of signals in /proc/TID/status, such as SigBlk,
 * contains SIGTRAP.
 */
static bool has_trap(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line && strtoull(line + strlen(name), NULL, 16) &
		       1ULL << (SIGTRAP - 1);
}

/*
 * Returns whether SIGTRAP is neither blocked nor ignored. Otherwise a
 * breakpoint would affect the program: to deliver SIGTRAP, the kernel unblocks
 * it and resets its action to the default.
 */
static bool accepts_trap(pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	size_t length;
	char *status = read_file(path, &length);
	bool accepts = status && !has_trap(status, "\nSigBlk:") &&
		       !has_trap(status, "\nSigIgn:");

	free(status);
	free(path);
	return accepts;
}

void entry_stop_arm(pid_t tid)
{
	const uint64_t addresses[BREAKPOINTS] = { entry_of(tid) };

	if (breakpoint_machine.set && addresses[0] && accepts_trap(tid))
		breakpoint_machine.set(tid, addresses);
}

static void disarm(pid_t tid)
{
	static const uint64_t none[BREAKPOINTS];

	if (breakpoint_machine.set)
		breakpoint_machine.set(tid, none);
}

static bool is_of_entry(const siginfo_t *info, pid_t tid)
{
	return info->si_signo == SIGTRAP && info->si_code == TRAP_HWBKPT &&
	       (uint64_t)(uintptr_t)info->si_addr == entry_of(tid);
}

bool entry_stop_reached(pid_t tid, int signal)
{
	siginfo_t info;

	if (signal != SIGTRAP || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) ||
	    !is_of_entry(&info, tid))
		return false;
	disarm(tid);
	return true;
}

/*
 * Returns whether the SIGTRAP of the breakpoint is pending: the thread has
 * reached the entry point, but has first stopped for another reason.
 */
static bool will_stop(pid_t tid)
{
	struct __ptrace_peeksiginfo_args which = { .nr = 1 };
	siginfo_t info;

	for (; ptrace(PTRACE_PEEKSIGINFO, tid, &which, &info) == 1; which.off++)
		if (is_of_entry(&info, tid))
			return true;
	return false;
}

bool entry_stop_release(pid_t tid, int *signal)
{
	if (entry_stop_reached(tid, *signal))
		*signal = 0;
	disarm(tid);
	return !will_stop(tid);
}
