/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* fdinfo.h - what the kernel says of a context beside its commands */
#ifndef PFMON_FDINFO_H
#define PFMON_FDINFO_H

#include <stdbool.h>

#include "context.h"

/* Whether its CPU has gone offline. */
bool fdinfo_is_offline(const struct context *context);

/* What went wrong beside the measurement; 0 if the kernel does not say. */
struct context_stats fdinfo_stats(const struct context *context);

/* The same; and marks the events of the result that got no counter. */
struct context_stats fdinfo_read(struct context *context);

#endif /* PFMON_FDINFO_H */
