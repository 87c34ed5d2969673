/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pfmlib_events.h - libpfm4's events for this machine */
#ifndef PFMON_EVENTS_PFMLIB_EVENTS_H
#define PFMON_EVENTS_PFMLIB_EVENTS_H

struct json_object;
struct perf_event_attr;

/*
 * Encodes an event; @levels are the privilege levels, LEVEL_*, at which it
 * counts. Returns PFM_SUCCESS or an error code of libpfm4.
 */
int pfmlib_encode(const char *name, unsigned int levels,
		  struct perf_event_attr *attr);

/*
 * Calls visit with the names of every event: PMU::EVENT, and PMU::EVENT:UMASK
 * for each of its unit masks.
 */
void pfmlib_event_each(void (*visit)(const char *name, void *data),
		       void *data);

/* Adds libpfm4's description of an event: PMU, meaning, masks, modifiers. */
void pfmlib_event_describe(const char *name, struct json_object *object);

#endif /* PFMON_EVENTS_PFMLIB_EVENTS_H */
