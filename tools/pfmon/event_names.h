/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_names.h - the names that perf gives to the kernel's generic events */
#ifndef PFMON_EVENT_NAMES_H
#define PFMON_EVENT_NAMES_H

#include <stdbool.h>

#include "event_code.h"

/* False if there is no such name. */
bool generic_event_find(const char *name, struct event_code *code);

/* What an event counts, to be freed; NULL if there is no such name. */
char *generic_event_meaning(const char *name);

/* Calls visit with every name; the text is valid during the call only. */
void generic_event_each(void (*visit)(const char *name, void *data),
			void *data);

#endif /* PFMON_EVENT_NAMES_H */
