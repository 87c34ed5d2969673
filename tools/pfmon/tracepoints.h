/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* tracepoints.h - the kernel's tracepoints, by their names */
#ifndef PFMON_TRACEPOINTS_H
#define PFMON_TRACEPOINTS_H

#include <stdbool.h>

#include "event_code.h"

struct json_object;

enum tracepoint_answer {
	TRACEPOINT_FOUND,
	TRACEPOINT_REFUSED,	/* and a message says why */
	TRACEPOINT_NO_NAME,	/* it is no name of a tracepoint */
	TRACEPOINT_UNKNOWN,	/* who may see them may know it */
};

/* Looks for SYSTEM:EVENT in the tracefs of the file system below root. */
enum tracepoint_answer tracepoint_find(const char *root, const char *name,
				       struct event_code *code);

/* Adds the fields of SYSTEM:EVENT, and the path of the file that has them. */
void tracepoint_describe(const char *root, const char *name,
			 struct json_object *object);

/* Calls visit with every name, in their order. */
void tracepoint_each(const char *root,
		     void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_TRACEPOINTS_H */
