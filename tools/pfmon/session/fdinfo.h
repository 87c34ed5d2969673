/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* fdinfo.h - the state of a context in /proc/self/fdinfo */
#ifndef PFMON_SESSION_FDINFO_H
#define PFMON_SESSION_FDINFO_H

#include <stdbool.h>

#include "session/context.h"

/* Returns whether the CPU of a context is offline. */
bool fdinfo_is_offline(const struct context *context);

/*
 * Reads the statistics of losses and errors. They are all 0 if fdinfo cannot be
 * read.
 */
struct context_stats fdinfo_stats(const struct context *context);

/*
 * Like fdinfo_stats(), but also marks, in context->result, the events that had
 * no counter.
 */
struct context_stats fdinfo_read(struct context *context);

#endif /* PFMON_SESSION_FDINFO_H */
