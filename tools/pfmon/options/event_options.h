/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_options.h - the option -e, and options with one element per event */
#ifndef PFMON_OPTIONS_EVENT_OPTIONS_H
#define PFMON_OPTIONS_EVENT_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * On a usage error, event_options_add() and event_options_complete() print a
 * message and return false.
 */

/*
 * Adds the events of one -e. If event sets are multiplexed, each -e is a set.
 */
bool event_options_add(struct options *options, const char *list);

/*
 * Numbers the events and sets their periods. Call it when all options are
 * known.
 */
bool event_options_complete(struct options *options);

/* Returns whether overflows of an event in @set can end the turn of the set. */
bool set_switches_on_overflow(const struct options *options, unsigned int set);

/* Returns the LEVEL_* bits that the options set for an event; 0 if none. */
unsigned int event_option_levels(const struct options *options,
				 const struct event_option *event);

#endif /* PFMON_OPTIONS_EVENT_OPTIONS_H */
