/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sysfs_describe.h - what sysfs tells of an event and its PMU */
#ifndef PFMON_SYSFS_DESCRIBE_H
#define PFMON_SYSFS_DESCRIBE_H

struct json_object;

/*
 * Adds it of an event that is encoded: "PMU/TERM,.../", or "NAME:TERM...": pmu,
 * its path, terms that stand for others, and parameters.
 */
void sysfs_event_describe(const char *root, const char *name,
			  struct json_object *object);

#endif /* PFMON_SYSFS_DESCRIBE_H */
