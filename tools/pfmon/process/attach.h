/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* attach.h - attach to running processes and threads */
#ifndef PFMON_PROCESS_ATTACH_H
#define PFMON_PROCESS_ATTACH_H

#include <sys/types.h>

#include "process/trace.h"

/* Returns the process of a thread; 0, with a message, if it does not exist. */
pid_t attach_process_of(pid_t tid);

/*
 * Traces all threads of a process, including threads that it creates meanwhile.
 * Returns their IDs, which the caller frees; NULL, with a message, if there are
 * none or tracing is not permitted.
 */
pid_t *attach_to_all(struct trace *trace, pid_t tgid, unsigned int *count);

#endif /* PFMON_PROCESS_ATTACH_H */
