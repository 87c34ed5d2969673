/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* lifetime.h - create, load, unload and close contexts */
#ifndef PFMON_SESSION_LIFETIME_H
#define PFMON_SESSION_LIFETIME_H

#include "session/context.h"

/* On failure, functions that return bool print a message and return false. */

/*
 * Creates a context, maps its buffers and writes its registers. On success, the
 * caller calls context_close().
 */
bool context_open(struct context *context, const struct plan *plan,
		  unsigned int id, int cpu);
void context_close(struct context *context);

/*
 * Prints a message if the threads and processes that the command creates are
 * not measured, although --no-inherit is not given.
 */
void context_report_alone(const struct context *context);

/*
 * Resets an unloaded context, whose counts have been read, so that it can be
 * used for another thread. Returns false if that is impossible: the context has
 * several event sets, or samples were recorded or lost.
 */
bool context_renew(struct context *context);

/*
 * Attaches a context. Returns false with errno set on failure: ESRCH if the
 * thread has ended.
 */
bool context_load(struct context *context, pid_t tid);

/*
 * Unloads a context, which may be unloaded already. Prints a message if its CPU
 * has gone offline.
 */
void context_unload(struct context *context);

#endif /* PFMON_SESSION_LIFETIME_H */
