// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cgroup.c - the control group of a process
 *
 * A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:PATH. The unified hierarchy
 * is number 0 and the last; where a process is in its root, one of the older
 * hierarchies may know better.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "util.h"

static const char *path_in(const char *line)
{
	const char *path = strchr(line, ':');

	path = path ? strchr(path + 1, ':') : NULL;
	return path ? path + 1 : NULL;
}

char *cgroup_of(pid_t tgid)
{
	char *file = checked_printf("/proc/%d/cgroup", tgid);
	size_t length;
	char *text = read_file(file, &length);
	const char *path, *best = NULL;
	char *found, *rest = NULL;

	free(file);
	if (!text)
		return NULL;
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		path = path_in(line);
		if (path && (!best || strcmp(path, "/")))
			best = path;
	}
	found = best ? checked_strdup(best) : NULL;
	free(text);
	return found;
}
