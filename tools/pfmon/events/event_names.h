/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_names.h - perf's names of the kernel's generic events */
#ifndef PFMON_EVENTS_EVENT_NAMES_H
#define PFMON_EVENTS_EVENT_NAMES_H

#include <stdbool.h>

#include "events/event_code.h"

/* Finds an event by name; false if not found. */
bool generic_event_find(const char *name, struct event_code *code);

/* Returns what an event counts, to be freed; NULL if the name is unknown. */
char *generic_event_meaning(const char *name);

/* Calls visit with every name, which is valid only during the call. */
void generic_event_each(void (*visit)(const char *name, void *data),
			void *data);

#endif /* PFMON_EVENTS_EVENT_NAMES_H */
