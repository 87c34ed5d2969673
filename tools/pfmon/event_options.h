/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_options.h - the events of -e, and the lists with an element for each */
#ifndef PFMON_EVENT_OPTIONS_H
#define PFMON_EVENT_OPTIONS_H

#include <stdbool.h>

#include "options.h"

/* All return false with a message on a usage error. */

/* One -e. Each is an event set, which matters if they take turns. */
bool event_options_add(struct options *options, const char *list);

/*
 * When all options are known: numbers the events, and gives them their periods.
 */
bool event_options_complete(struct options *options);

/* The event that an element of a list is for; NULL if there is none. */
struct event_option *event_at(struct options *options, unsigned int index,
			      const char *option);

/* Does the set end its turn when one of its events has overflowed? */
bool set_switches_on_overflow(const struct options *options, unsigned int set);

/* LEVEL_* that the options choose for an event; 0 if they choose none. */
unsigned int event_option_levels(const struct options *options,
				 const struct event_option *event);

/*
 * Cuts off the first element, at a comma. One between two slashes belongs to
 * the parameters of an event. NULL behind the last one.
 */
char *next_element(char **rest);

/*
 * Calls add for each element of a list with commas, but for those between two
 * slashes or behind an @ and before a digit; the element is a copy.
 */
bool each_element(const char *list, struct options *options,
		  bool (*add)(struct options *options, const char *element,
			      unsigned int index));

#endif /* PFMON_EVENT_OPTIONS_H */
