/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cgroup.h - the control group of a process */
#ifndef PFMON_CGROUP_H
#define PFMON_CGROUP_H

#include <sys/types.h>

/* Its path, to be freed; NULL if that cannot be read. */
char *cgroup_of(pid_t tgid);

#endif /* PFMON_CGROUP_H */
