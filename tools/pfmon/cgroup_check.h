/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup_check.h - are there control groups as they are asked for? */
#ifndef PFMON_CGROUP_CHECK_H
#define PFMON_CGROUP_CHECK_H

/*
 * If no process is in a group that --cgroup selects, says so, and in which
 * groups processes are. That may change, so that it is no error.
 */
void cgroup_check(const char *patterns);

#endif /* PFMON_CGROUP_CHECK_H */
