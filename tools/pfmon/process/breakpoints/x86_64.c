// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * x86_64.c - hardware breakpoints on x86-64
 *
 * When a thread continues at a breakpoint, the CPU ignores the breakpoint,
 * because the kernel has set the resume flag.
 */
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "process/breakpoints/machine.h"

/* A breakpoint on one byte of code needs only this bit in DR7. */
#define DR7_ENABLE(number)	(1UL << (2 * (number)))
#define DR7			7

static bool write_register(pid_t tid, int number, uint64_t value)
{
	size_t offset = offsetof(struct user, u_debugreg) +
			(size_t)number * sizeof(value);

	return !ptrace(PTRACE_POKEUSER, tid, (void *)offset, (void *)value);
}

static bool set(pid_t tid, const uint64_t addresses[BREAKPOINTS])
{
	unsigned long enabled = 0;

	for (int i = 0; i < BREAKPOINTS; i++) {
		if (!write_register(tid, i, addresses[i]))
			return false;
		if (addresses[i])
			enabled |= DR7_ENABLE(i);
	}
	return write_register(tid, DR7, enabled);
}

const struct breakpoint_machine breakpoint_machine = {
	.set = set,
};
