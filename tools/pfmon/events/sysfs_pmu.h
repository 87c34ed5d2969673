/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sysfs_pmu.h - PMUs in sysfs and their events
 *
 * Events are PMU/TERM,.../ in perf's syntax. A term is PARAMETER=NUMBER, a
 * PARAMETER of one bit, or an event in the PMU's events directory, which stands
 * for such terms. Parameters are those in the PMU's format directory, and
 * config, config1 and config2. Explicit parameters override those of events.
 */
#ifndef PFMON_EVENTS_SYSFS_PMU_H
#define PFMON_EVENTS_SYSFS_PMU_H

#include <stdbool.h>

#include "events/event_code.h"

/*
 * Encodes "PMU/TERM,.../" from the files below root. Returns false with a
 * message if the PMU or a term is unknown.
 */
bool sysfs_event_encode(const char *root, const char *name,
			struct event_code *code);

/*
 * Converts an event without its PMU, NAME[:PARAMETER=NUMBER]..., to the form
 * with the PMU; the caller frees it. Returns NULL if no PMU has such an event.
 * If several PMUs have it, prints a message, sets *several and returns NULL.
 */
char *sysfs_event_find(const char *root, const char *name, bool *several);

/*
 * Returns the number of bits of a parameter, or 0 if a PMC value cannot express
 * it. The text is that of a file in the PMU's directory format, such as
 * "config1:0-15".
 */
unsigned int sysfs_parameter_bits(const char *text);

/* Returns the directory that contains all PMUs, to be freed. */
char *sysfs_pmu_devices(const char *root);

/* Calls visit with every event, as PMU/NAME/. */
void sysfs_event_each(const char *root,
		      void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_EVENTS_SYSFS_PMU_H */
