/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* elements.h - lists on the command line, with one element per event */
#ifndef PFMON_BASE_ELEMENTS_H
#define PFMON_BASE_ELEMENTS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Cuts off and returns the first element of a comma-separated list; NULL after
 * the last one. Commas between two slashes separate parameters of an event.
 */
char *next_element(char **rest);

/*
 * Calls add with a copy of each element of a comma-separated list. Commas
 * between two slashes, and commas after an @ that precede a digit, do not
 * separate elements.
 */
bool each_element(const char *list, struct options *options,
		  bool (*add)(struct options *options, const char *element,
			      unsigned int index));

/* Returns the event for an element of a list, or NULL. */
struct event_option *event_at(struct options *options, unsigned int index,
			      const char *option);

#endif /* PFMON_BASE_ELEMENTS_H */
