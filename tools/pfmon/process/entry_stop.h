/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * entry_stop.h - stop a program at its first instruction
 *
 * At that point, the dynamic linker has mapped the program's libraries.
 */
#ifndef PFMON_PROCESS_ENTRY_STOP_H
#define PFMON_PROCESS_ENTRY_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the entry point of a 64-bit program; 0 for others. */
uint64_t entry_of(pid_t tid);

/*
 * Lets a thread that is stopped at its exec stop again at the entry point. Has
 * no effect if the machine has no free breakpoint, or if the program has
 * inherited a blocked or ignored SIGTRAP.
 */
void entry_stop_arm(pid_t tid);

/*
 * Returns whether a thread has stopped at the entry point. @signal was then
 * caused by the breakpoint, and the thread does not stop there again.
 */
bool entry_stop_reached(pid_t tid, int signal);

/*
 * Removes the breakpoint before a stopped thread is detached; otherwise the
 * kernel would keep the breakpoint, which would kill the program. Changes the
 * signal to the one to deliver. Returns false if the thread must be continued,
 * because it will stop for the breakpoint.
 */
bool entry_stop_release(pid_t tid, int *signal);

#endif /* PFMON_PROCESS_ENTRY_STOP_H */
