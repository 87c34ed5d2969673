/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* refusal.h - explain why a thread cannot be traced */
#ifndef PFMON_PROCESS_REFUSAL_H
#define PFMON_PROCESS_REFUSAL_H

#include <sys/types.h>

/* Returns the reason for an error of trace_seize(), to be freed. */
char *trace_refusal(pid_t tid, int error);

#endif /* PFMON_PROCESS_REFUSAL_H */
