/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* refusal.h - explain why a thread cannot be traced */
#ifndef PFMON_PROCESS_REFUSAL_H
#define PFMON_PROCESS_REFUSAL_H

#include <sys/types.h>

/*
 * Explains why trace_seize() failed with the errno @error. Returns a text that
 * the caller frees.
 */
char *trace_refusal(pid_t tid, int error);

#endif /* PFMON_PROCESS_REFUSAL_H */
