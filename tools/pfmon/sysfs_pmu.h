/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sysfs_pmu.h - the PMUs that the kernel names in sysfs, and their events
 *
 * PMU/TERM,.../ as perf writes it: a term is PARAMETER=NUMBER, of the PMU's
 * format directory or config, config1 and config2; or a PARAMETER of one bit;
 * or an event of its events directory, which stands for such terms. What is
 * given by itself overrides what an event says.
 */
#ifndef PFMON_SYSFS_PMU_H
#define PFMON_SYSFS_PMU_H

#include <stdbool.h>

#include "event_code.h"

/*
 * Encodes "PMU/TERM,.../" of the file system below root. False with a message
 * if there is no such thing.
 */
bool sysfs_event_encode(const char *root, const char *name,
			struct event_code *code);

/*
 * Is it NAME[:PARAMETER=NUMBER]..., an event of a PMU that is not named? Gives
 * the longer form, to be freed. NULL if no PMU has such an event; or if several
 * have, with a message and *several set.
 */
char *sysfs_event_find(const char *root, const char *name, bool *several);

/*
 * Bits of a parameter that a format directory says to be in text,
 * "config1:0-15"; 0 if a PMC value cannot express it.
 */
unsigned int sysfs_parameter_bits(const char *text);

/* The directory of all PMUs, to be freed. */
char *sysfs_pmu_devices(const char *root);

/* Calls visit with every event, as PMU/NAME/. */
void sysfs_event_each(const char *root,
		      void (*visit)(const char *name, void *data), void *data);

#endif /* PFMON_SYSFS_PMU_H */
