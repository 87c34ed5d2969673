/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_list.h - which events there are, and which of them are counted here */
#ifndef PFMON_EVENT_LIST_H
#define PFMON_EVENT_LIST_H

#include <stdbool.h>

/*
 * Both take regular expressions, and return the exit status, with a message if
 * it is not 0. The files of the kernel's are below root. They print text, or a
 * JSON object whose member events is a list.
 */

/*
 * Prints the names that match, all if pattern is NULL, and marks those that
 * this machine counts.
 */
int events_list(const char *root, const char *pattern, bool json);

/*
 * Prints what there is to know of events: "NAME,...", of which each is one that
 * pfmon would measure, or a pattern.
 */
int events_explain(const char *root, const char *names, bool json);

#endif /* PFMON_EVENT_LIST_H */
