/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * entry_stop.h - stop a program at its entry point
 *
 * When a program reaches its entry point, the dynamic linker has already mapped
 * the program's libraries.
 */
#ifndef PFMON_PROCESS_ENTRY_STOP_H
#define PFMON_PROCESS_ENTRY_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the entry point of a 64-bit program; 0 for other programs. */
uint64_t entry_of(pid_t tid);

/*
 * Sets a breakpoint at the entry point of the program that a thread has just
 * executed; the thread is stopped at its exec. Has no effect if the machine has
 * no free breakpoint, or if the program has inherited a blocked or ignored
 * SIGTRAP.
 */
void entry_stop_arm(pid_t tid);

/*
 * Returns whether a thread that has stopped for @signal has stopped at the
 * breakpoint. If so, removes the breakpoint.
 */
bool entry_stop_reached(pid_t tid, int signal);

/*
 * Removes the breakpoint before a stopped thread is detached. Otherwise the
 * breakpoint would remain, and its SIGTRAP would kill the program. *signal is
 * the signal for which the thread has stopped; it is set to 0 if this is the
 * breakpoint's SIGTRAP. Returns false if the thread cannot be detached yet,
 * because it is about to stop for the breakpoint.
 */
bool entry_stop_release(pid_t tid, int *signal);

#endif /* PFMON_PROCESS_ENTRY_STOP_H */
