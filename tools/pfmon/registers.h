/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* registers.h - the PMCs and PMDs of a context */
#ifndef PFMON_REGISTERS_H
#define PFMON_REGISTERS_H

#include <stdbool.h>

#include "context.h"

/* All return false with a message if the kernel refuses. */

/* Writes what the plan has for each event. */
bool registers_write(struct context *context);

/* Writes the PMDs again. */
bool registers_rewrite(struct context *context);

/* Reads the PMDs of all events into the result. */
bool registers_read(struct context *context);

#endif /* PFMON_REGISTERS_H */
