/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sysfs_describe.h - describe an event and its PMU from sysfs */
#ifndef PFMON_EVENTS_SYSFS_DESCRIBE_H
#define PFMON_EVENTS_SYSFS_DESCRIBE_H

struct json_object;

/*
 * Describes an event "PMU/TERM,.../" or "NAME:TERM..." in the members "pmu",
 * "path", "terms" (events that stand for other terms) and "parameters". The
 * caller has encoded the event successfully, so its syntax is valid.
 */
void sysfs_event_describe(const char *root, const char *name,
			  struct json_object *object);

#endif /* PFMON_EVENTS_SYSFS_DESCRIBE_H */
