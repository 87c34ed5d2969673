/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* tracepoints.h - find kernel tracepoints by name */
#ifndef PFMON_EVENTS_TRACEPOINTS_H
#define PFMON_EVENTS_TRACEPOINTS_H

#include <stdbool.h>

#include "events/event_code.h"

struct json_object;

enum tracepoint_answer {
	TRACEPOINT_FOUND,
	TRACEPOINT_REFUSED,	/* a message was printed */
	TRACEPOINT_NO_NAME,	/* not the name of a tracepoint */
	TRACEPOINT_UNKNOWN,	/* the user may not read tracefs */
};

/* Finds SYSTEM:EVENT in the tracefs below root. */
enum tracepoint_answer tracepoint_find(const char *root, const char *name,
				       struct event_code *code);

/* Adds the fields of SYSTEM:EVENT, and the path of its format file. */
void tracepoint_describe(const char *root, const char *name,
			 struct json_object *object);

/* Calls visit with every name in alphabetical order. */
void tracepoint_each(const char *root,
		     void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_EVENTS_TRACEPOINTS_H */
