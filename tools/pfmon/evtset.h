/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * evtset.h - event sets that take turns, when there are more events than
 * counters
 */
#ifndef PFMON_EVTSET_H
#define PFMON_EVTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

/* Set i, if there are several: they take turns. */
pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int i);

/* Both return false with a message if they fail. */

/* Creates the sets of a context, unless there is one only. */
bool evtsets_create(const struct context *context);

/* Reads how long each set was active into the result. */
bool evtsets_read(struct context *context);

#endif /* PFMON_EVTSET_H */
