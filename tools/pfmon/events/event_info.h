/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_info.h - describe one event */
#ifndef PFMON_EVENTS_EVENT_INFO_H
#define PFMON_EVENTS_EVENT_INFO_H

#include "events/event_trial.h"

struct json_object;

/*
 * Returns an object that describes what an event counts, its encoding, and
 * whether this machine can count it. Reads the kernel's files below @root.
 */
struct json_object *event_describe(const char *root, const char *name,
				   struct event_trial *trial);

/* Prints the result of event_describe(). */
void event_print(const struct json_object *event);

#endif /* PFMON_EVENTS_EVENT_INFO_H */
