/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sysfs_pmu.h - PMUs in sysfs and their events
 *
 * Events are PMU/TERM,.../ in perf's syntax. The term PARAMETER=NUMBER sets a
 * parameter, and PARAMETER alone sets it to 1. A term can also be an event: the
 * name of a file in the PMU's directory "events", which contains the terms that
 * the event stands for. The parameters are config, config1, config2 and the
 * files in the PMU's directory "format". A parameter given explicitly overrides
 * its value in such an event.
 */
#ifndef PFMON_EVENTS_SYSFS_PMU_H
#define PFMON_EVENTS_SYSFS_PMU_H

#include <stdbool.h>

#include "events/event_code.h"

/*
 * Encodes "PMU/TERM,.../", using the sysfs below @root. Returns false, with a
 * message, if the PMU or a term is unknown.
 */
bool sysfs_event_encode(const char *root, const char *name,
			struct event_code *code);

/*
 * Converts an event without its PMU, NAME[:PARAMETER=NUMBER]..., to the form
 * PMU/TERM,.../, to be freed. Returns NULL if no PMU has such an event. If
 * several PMUs have it, prints a message, sets *several and returns NULL.
 */
char *sysfs_event_find(const char *root, const char *name, bool *several);

/*
 * Returns the number of bits of a parameter, or 0 if a PMC value cannot express
 * the parameter. @text is the content of a file in the PMU's directory
 * "format", such as "config1:0-15".
 */
unsigned int sysfs_parameter_bits(const char *text);

/* Returns the directory that contains all PMUs, to be freed. */
char *sysfs_pmu_devices(const char *root);

/* Calls visit with every event, as PMU/NAME/. */
void sysfs_event_each(const char *root,
		      void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_EVENTS_SYSFS_PMU_H */
