/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* machine.h - hardware breakpoints of one architecture */
#ifndef PFMON_PROCESS_BREAKPOINTS_MACHINE_H
#define PFMON_PROCESS_BREAKPOINTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BREAKPOINTS	2

/*
 * The machine-dependent functions. The directory breakpoints contains a file
 * for each supported machine, and none.c for all other machines.
 */
struct breakpoint_machine {
	/*
	 * Sets the breakpoints of a stopped thread; an address of 0 disables a
	 * breakpoint. Returns false with errno set on failure. The pointer is
	 * NULL if the machine is not supported.
	 */
	bool (*set)(pid_t tid, const uint64_t addresses[BREAKPOINTS]);

	/*
	 * Returns whether the first instruction in these eight bytes is a
	 * system call. The pointer is NULL if pfmon need not step over
	 * breakpoints, because the CPU ignores a breakpoint when the thread
	 * continues at it.
	 */
	bool (*is_syscall)(uint64_t code);
};

extern const struct breakpoint_machine breakpoint_machine;

#endif /* PFMON_PROCESS_BREAKPOINTS_MACHINE_H */
