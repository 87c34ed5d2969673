/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* attach.h - attach to running processes and threads */
#ifndef PFMON_PROCESS_ATTACH_H
#define PFMON_PROCESS_ATTACH_H

#include <sys/types.h>

#include "process/trace.h"

/*
 * Returns the process of a thread. Returns 0, with a message, if the thread
 * does not exist.
 */
pid_t attach_process_of(pid_t tid);

/*
 * Traces all threads of a process, including threads that it creates meanwhile.
 * Returns their IDs, which the caller frees. Returns NULL, with a message, if
 * the process does not exist or none of its threads could be traced.
 */
pid_t *attach_to_all(struct trace *trace, pid_t tgid, unsigned int *count);

#endif /* PFMON_PROCESS_ATTACH_H */
