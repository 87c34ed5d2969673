/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup.h - the control group of a process */
#ifndef PFMON_ACCESS_CGROUP_H
#define PFMON_ACCESS_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/settings.h"

/*
 * Returns the path of a process's control group, to be freed; NULL if it cannot
 * be read.
 */
char *cgroup_of(pid_t tgid);

/*
 * If no process is in a control group that matches @patterns (--cgroup when
 * sampling), warns and lists the groups that have processes. This is not an
 * error, because processes may join later.
 */
void cgroup_check(const char *patterns);

/*
 * Opens the control group whose tasks are counted (--cgroup when counting).
 * Returns a descriptor of its directory, or -1 with a message.
 */
int cgroup_open(const char *path);

/* Returns whether @fd is the directory of the machine's root group. */
bool is_root_cgroup(int fd);

/* Returns whether @fd is the directory of a group that still exists. */
bool is_cgroup(int fd);

/* Returns whether the counts of several groups are requested. */
bool counts_several_cgroups(const struct options *options);

/* Parses --cgroup; returns false, with a message, on failure. */
bool parse_cgroup(struct options *options, const char *text);

/* Returns false, with a message, if --cgroup conflicts with other options. */
bool cgroup_options_agree(const struct options *options);

#endif /* PFMON_ACCESS_CGROUP_H */
