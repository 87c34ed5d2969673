// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * breakpoints.c - hardware breakpoints, and stepping over them
 *
 * pfmon does not modify the program's code. On some machines, the CPU would
 * report a breakpoint again when the thread continues. There, pfmon disables
 * the breakpoint for a single step.
 */
#define _GNU_SOURCE
#include <sys/ptrace.h>

#include "base/util.h"
#include "process/breakpoints.h"

bool breakpoints_set(const struct breakpoints *breakpoints, pid_t tid)
{
	return breakpoint_machine.set(tid, breakpoints->addresses);
}

static void set_all_but(const struct breakpoints *breakpoints, pid_t tid,
			uint64_t address)
{
	uint64_t others[BREAKPOINTS];

	for (int i = 0; i < BREAKPOINTS; i++) {
		others[i] = breakpoints->addresses[i];
		if (others[i] == address)
			others[i] = 0;
	}
	breakpoint_machine.set(tid, others);
}

/*
 * Returns the code at @address, little-endian. Reads an aligned word, because
 * that cannot cross a page boundary.
 */
static uint64_t code_at(pid_t tid, uint64_t address)
{
	uint64_t distance = address % sizeof(long);
	void *word = (void *)(uintptr_t)(address - distance);

	return (uint64_t)ptrace(PTRACE_PEEKTEXT, tid, word, NULL) >>
	       (8 * distance);
}

/*
 * Returns a mask of all signals except those that the instruction at the
 * breakpoint can cause.
 */
static uint64_t others_signals(void)
{
	static const int own[] = {
		SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS
	};
	uint64_t mask = ~0ULL;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		mask &= ~(1ULL << (own[i] - 1));
	return mask;
}

/*
 * Blocks signals until the instruction has been executed. Otherwise the thread
 * could run a signal handler first, and would reach the breakpoint again after
 * that.
 */
static bool mask_signals(struct breakpoints *breakpoints, pid_t tid)
{
	uint64_t mask = others_signals();

	return !ptrace(PTRACE_GETSIGMASK, tid, sizeof(breakpoints->mask),
		       &breakpoints->mask) &&
	       !ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
}

/*
 * Prepares a step over the breakpoint. Does not block signals if the
 * instruction is a system call, because the system call may wait for a signal
 * or change the signal mask.
 */
enum trace_way breakpoints_pass(struct breakpoints *breakpoints, pid_t tid,
				uint64_t address)
{
	if (!breakpoint_machine.is_syscall)
		return TRACE_WITHOUT;
	breakpoints->passing = true;
	breakpoints->masked =
		!breakpoint_machine.is_syscall(code_at(tid, address)) &&
		mask_signals(breakpoints, tid);
	set_all_but(breakpoints, tid, address);
	return TRACE_STEP;
}

/*
 * Returns whether a signal is the SIGTRAP that reports a step. After a step
 * over a system call, the PID and UID in this SIGTRAP's siginfo are 0.
 */
static bool is_step(const siginfo_t *info)
{
	return info->si_signo == SIGTRAP &&
	       (info->si_code == TRAP_TRACE ||
		(info->si_code == SI_USER && !info->si_pid && !info->si_uid));
}

bool breakpoints_passed(struct breakpoints *breakpoints, pid_t tid,
			const siginfo_t *info)
{
	if (!breakpoints->passing)
		return false;
	breakpoints->passing = false;
	breakpoints_set(breakpoints, tid);
	if (breakpoints->masked)
		ptrace(PTRACE_SETSIGMASK, tid, sizeof(breakpoints->mask),
		       &breakpoints->mask);
	return info && is_step(info);
}
