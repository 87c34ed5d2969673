/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * entry_stop.h - stop a program at its first instruction
 *
 * The dynamic linker has then mapped the program's libraries.
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
 * no effect if the machine has no free breakpoints, or if the program inherited
 * that SIGTRAP is blocked or ignored.
 */
void entry_stop_arm(pid_t tid);

/*
 * Returns whether a thread has stopped there; then @signal was for pfmon only.
 * The thread does not stop there again.
 */
bool entry_stop_reached(pid_t tid, int signal);

/*
 * Removes the breakpoint before a stopped thread is detached: the kernel would
 * keep it, and it would kill the program. Changes the signal to the one to
 * deliver. Returns false if the thread must be continued, because it will stop
 * for the breakpoint.
 */
bool entry_stop_release(pid_t tid, int *signal);

#endif /* PFMON_PROCESS_ENTRY_STOP_H */
