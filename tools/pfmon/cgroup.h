/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup.h - the control group of a process */
#ifndef PFMON_CGROUP_H
#define PFMON_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Its path, to be freed; NULL if that cannot be read. */
char *cgroup_of(pid_t tgid);

/*
 * Is the group, or one above it, what one of these patterns means? They are a
 * list with commas, as pfmparse's --cgroup takes it.
 */
bool cgroup_matches(const char *path, const char *patterns);

#endif /* PFMON_CGROUP_H */
