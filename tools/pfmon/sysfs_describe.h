/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sysfs_describe.h - what sysfs tells of an event and its PMU */
#ifndef PFMON_SYSFS_DESCRIBE_H
#define PFMON_SYSFS_DESCRIBE_H

#include <stdio.h>

/* Prints it of an event that is encoded: "PMU/TERM,.../", or "NAME:TERM...". */
void sysfs_event_describe(const char *root, const char *name, FILE *out);

#endif /* PFMON_SYSFS_DESCRIBE_H */
