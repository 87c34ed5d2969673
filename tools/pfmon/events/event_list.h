/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_list.h - list events, and find those that this machine can count */
#ifndef PFMON_EVENTS_EVENT_LIST_H
#define PFMON_EVENTS_EVENT_LIST_H

#include <stdbool.h>

/*
 * Both functions take regular expressions, and read the kernel's files below
 * @root. They print text, or a JSON object whose member "events" is a list.
 * They return the exit status; if it is not 0, they have printed a message.
 */

/*
 * Prints the event names that match the pattern; NULL matches all. Marks the
 * events that this machine can count.
 */
int events_list(const char *root, const char *pattern, bool json);

/*
 * Describes the events "NAME,...". Each NAME is an event that -e accepts, or a
 * pattern.
 */
int events_explain(const char *root, const char *names, bool json);

#endif /* PFMON_EVENTS_EVENT_LIST_H */
