/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* tracepoints.h - the kernel's tracepoints, by their names */
#ifndef PFMON_TRACEPOINTS_H
#define PFMON_TRACEPOINTS_H

#include <stdbool.h>
#include <stdio.h>

#include "event_code.h"

enum tracepoint_answer {
	TRACEPOINT_FOUND,
	TRACEPOINT_REFUSED,	/* and a message says why */
	TRACEPOINT_NO_NAME,	/* it is no name of a tracepoint */
	TRACEPOINT_UNKNOWN,	/* who may see them may know it */
};

/* Looks for SYSTEM:EVENT in the tracefs of the file system below root. */
enum tracepoint_answer tracepoint_find(const char *root, const char *name,
				       struct event_code *code);

/* Prints the fields of SYSTEM:EVENT, and the file that has them. */
void tracepoint_describe(const char *root, const char *name, FILE *out);

/* Calls visit with every name, in their order. */
void tracepoint_each(const char *root,
		     void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_TRACEPOINTS_H */
