/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sampling_lists.h - sampling options with one element per event */
#ifndef PFMON_OPTIONS_SAMPLING_LISTS_H
#define PFMON_OPTIONS_SAMPLING_LISTS_H

#include <stdbool.h>

#include "base/settings.h"

/* On a usage error, both functions print a message and return false. */

/* Parses the lists and stores their elements in the events. */
bool sampling_lists_apply(struct options *options);

/*
 * Completes the periods of an event, if the lists do not give both of them, and
 * checks for conflicts.
 */
bool sampling_lists_complete(struct event_option *event);

#endif /* PFMON_OPTIONS_SAMPLING_LISTS_H */
