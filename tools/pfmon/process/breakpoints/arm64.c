// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * arm64.c - hardware breakpoints on arm64
 *
 * pfmon steps over breakpoints, because the kernel does not do that for a
 * tracer.
 */
#include <elf.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <asm/ptrace.h>
#include <sys/uio.h>

#include "process/breakpoints/machine.h"

/* Four bytes of code, at EL0. */
#define CONTROL_LENGTH	(0xfU << 5)
#define CONTROL_USER	(2U << 1)
#define CONTROL_ENABLED	1U

/* svc, with any number */
#define SVC		0xd4000001U
#define SVC_MASK	0xffe0001fU

static bool set(pid_t tid, const uint64_t addresses[BREAKPOINTS])
{
	struct user_hwdebug_state state = { .dbg_info = 0 };
	struct iovec vector = {
		.iov_base = &state,
		.iov_len = offsetof(struct user_hwdebug_state,
				    dbg_regs[BREAKPOINTS]),
	};

	for (int i = 0; i < BREAKPOINTS; i++) {
		state.dbg_regs[i].addr = addresses[i];
		state.dbg_regs[i].ctrl = CONTROL_LENGTH | CONTROL_USER |
					 (addresses[i] ? CONTROL_ENABLED : 0);
	}
	return !ptrace(PTRACE_SETREGSET, tid, NT_ARM_HW_BREAK, &vector);
}

static bool is_syscall(uint64_t code)
{
	return (code & SVC_MASK) == SVC;
}

const struct breakpoint_machine breakpoint_machine = {
	.set = set,
	.is_syscall = is_syscall,
};
