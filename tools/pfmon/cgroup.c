// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cgroup.c - the control group of a process
 *
 * A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:PATH. The unified hierarchy
 * (cgroup v2) has number 0 and comes last. If a process is in its root, the
 * path in a v1 hierarchy is used.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
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

static bool matches_one(const char *path, const char *patterns)
{
	char *list = checked_strdup(patterns), *rest = NULL;
	bool found = false;

	for (char *pattern = strtok_r(list, ",", &rest); pattern && !found;
	     pattern = strtok_r(NULL, ",", &rest))
		found = !fnmatch(pattern, path, FNM_NOESCAPE);
	free(list);
	return found;
}

bool cgroup_matches(const char *path, const char *patterns)
{
	char *above = checked_strdup(path), *slash;
	bool found = matches_one("/", patterns);

	while (!found && *above) {
		found = matches_one(above, patterns);
		slash = strrchr(above, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	free(above);
	return found;
}
