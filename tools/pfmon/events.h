/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* events.h - event names and their encoding as PMC values */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "event_code.h"

/* The words of configuration beside a PMC value: config1, config2. */
#define ENCODED_CONFIGS	2

struct encoded_event {
	uint64_t pmc;
	uint64_t config[ENCODED_CONFIGS];
	bool per_thread;	/* it can be counted for threads */
	char *cpus;		/* CPUs that count it, NULL: all; to be freed */
};

/*
 * Encodes one event: "NAME", "rHEX", "PMU/TERM,.../" and "NAME:TERM..." of
 * sysfs, "SYSTEM:TRACEPOINT" or a name of libpfm4; optionally with a suffix: u,
 * k or uk overrides levels, p, pp or ppp is its precise level. The files of the
 * kernel's are below root. Returns false with a message if there is no such
 * event or the kernel's PMC values cannot express it.
 */
bool event_encode(const char *root, const char *name, unsigned int levels,
		  struct encoded_event *event);

/*
 * Prints the names that match a regular expression, all if pattern is NULL.
 * Returns false with a message if the expression is wrong.
 */
bool events_list(const char *root, const char *pattern);

#endif /* PFMON_EVENTS_H */
