/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * evtset.h - multiplexed event sets, for more events than there are counters or
 * for consecutive measurements
 */
#ifndef PFMON_SESSION_EVTSET_H
#define PFMON_SESSION_EVTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "session/context.h"

/* Describes a set for PFM_CREATE_EVTSETS, with its switch flags. */
pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int set);

/* On failure, functions that return bool print a message and return false. */

/*
 * Creates the event sets of a context. Omits sets all of whose events are
 * restricted to other CPUs.
 */
bool evtsets_create(const struct context *context);

/* Returns the set that is active first. */
unsigned int evtsets_first(const struct context *context);

/* Reads into the result how long and how often each set was active. */
bool evtsets_read(struct context *context);

#endif /* PFMON_SESSION_EVTSET_H */
