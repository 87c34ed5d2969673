/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup.h - the control group of a process */
#ifndef PFMON_CGROUP_H
#define PFMON_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns the path of the group, to be freed; NULL if it cannot be read. */
char *cgroup_of(pid_t tgid);

/*
 * Whether the group or one of its ancestors matches one of these patterns, a
 * comma-separated list as for pfmparse's --cgroup.
 */
bool cgroup_matches(const char *path, const char *patterns);

#endif /* PFMON_CGROUP_H */
