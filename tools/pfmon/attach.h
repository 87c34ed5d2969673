/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* attach.h - processes and threads that run already */
#ifndef PFMON_ATTACH_H
#define PFMON_ATTACH_H

#include <sys/types.h>

#include "trace.h"

/* The process that a thread belongs to; 0 with a message if there is none. */
pid_t attach_process_of(pid_t tid);

/*
 * Traces all threads of a process, those too that it makes meanwhile. Returns
 * their numbers, to be freed; NULL with a message if there are none, or they
 * must not be traced.
 */
pid_t *attach_to_all(struct trace *trace, pid_t tgid, unsigned int *count);

#endif /* PFMON_ATTACH_H */
