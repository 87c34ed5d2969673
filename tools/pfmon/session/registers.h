/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* registers.h - the PMCs and PMDs of a context */
#ifndef PFMON_SESSION_REGISTERS_H
#define PFMON_SESSION_REGISTERS_H

#include <stdbool.h>

#include "session/context.h"

/* On failure, these functions print a message and return false. */

/* Writes the PMCs and PMDs of the plan. */
bool registers_write(struct context *context);

/* Writes the PMDs only, to use the context for another thread. */
bool registers_rewrite(struct context *context);

/* Reads the PMDs of all events into the result. */
bool registers_read(struct context *context);

#endif /* PFMON_SESSION_REGISTERS_H */
