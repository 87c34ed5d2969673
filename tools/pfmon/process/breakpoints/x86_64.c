// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * x86_64.c - hardware breakpoints of x86-64
 *
 * The kernel sets the resume flag, so the CPU ignores a breakpoint when the
 * thread continues at it.
 */
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "process/breakpoints/machine.h"

/* DR7 needs only this bit for an enabled breakpoint on one byte of code. */
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
