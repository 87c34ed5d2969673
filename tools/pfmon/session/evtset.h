/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * evtset.h - multiplexed event sets, for more events than counters or for
 * consecutive measurements
 */
#ifndef PFMON_SESSION_EVTSET_H
#define PFMON_SESSION_EVTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "session/context.h"

/* Describes a set for PFM_CREATE_EVTSETS if it has others to switch to. */
pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int set);

/* Functions that can fail return false with a message. */

/*
 * Creates the sets with events of the context: sets that have only events of
 * other CPUs are not created.
 */
bool evtsets_create(const struct context *context);

/* Returns the first active set. */
unsigned int evtsets_first(const struct context *context);

/* Reads the active time and the activations of each set into the result. */
bool evtsets_read(struct context *context);

#endif /* PFMON_SESSION_EVTSET_H */
