/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* elements.h - lists on the command line, with one element per event */
#ifndef PFMON_BASE_ELEMENTS_H
#define PFMON_BASE_ELEMENTS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Cuts off and returns the first element of a comma-separated list; returns
 * NULL after the last one. Two kinds of commas do not end an element: those
 * between two slashes, which separate parameters of an event, and those after
 * an @ and before a digit, which separate CPUs.
 */
char *next_element(char **rest);

/*
 * Splits a list as next_element() does, and calls add() with each element until
 * add() returns false. Returns whether add() returned true for all elements.
 */
bool each_element(const char *list, struct options *options,
		  bool (*add)(struct options *options, const char *element,
			      unsigned int index));

/*
 * Returns the event for element @index of the list given with @option. If there
 * are fewer events, prints a message and returns NULL.
 */
struct event_option *event_at(struct options *options, unsigned int index,
			      const char *option);

#endif /* PFMON_BASE_ELEMENTS_H */
