/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup_check.h - warn if no control group matches --cgroup */
#ifndef PFMON_CGROUP_CHECK_H
#define PFMON_CGROUP_CHECK_H

/*
 * Warns if no process is in a group that --cgroup selects, and lists the groups
 * that have processes. This is not an error, because processes may join later.
 */
void cgroup_check(const char *patterns);

#endif /* PFMON_CGROUP_CHECK_H */
