/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * evtset.h - event sets that take turns, when there are more events than
 * counters, or one measurement is to follow another
 */
#ifndef PFMON_EVTSET_H
#define PFMON_EVTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

/* What a set is created as where it has others to take turns with. */
pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int set);

/* Both return false with a message if they fail. */

/*
 * Creates the sets that a context has events in: those of another CPU's events
 * do not take turns there.
 */
bool evtsets_create(const struct context *context);

/* The set that is active first. */
unsigned int evtsets_first(const struct context *context);

/* Reads how long and how often each set was active into the result. */
bool evtsets_read(struct context *context);

#endif /* PFMON_EVTSET_H */
