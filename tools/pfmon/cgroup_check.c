// SPDX-License-Identifier: MIT OR GPL-2.0
/* cgroup_check.c - warn if no control group matches --cgroup */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "cgroup_check.h"
#include "util.h"

/* Most groups that the message lists. */
#define MOST_SAID	8

struct groups {
	char **paths;
	size_t count;
	bool matched;		/* one of them matches the patterns */
};

static bool has(const struct groups *groups, const char *path)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (!strcmp(groups->paths[i], path))
			return true;
	}
	return false;
}

/* Takes ownership of the path. */
static void add(struct groups *groups, char *path, const char *patterns)
{
	if (has(groups, path)) {
		free(path);
		return;
	}
	if (cgroup_matches(path, patterns))
		groups->matched = true;
	groups->paths = checked_realloc(groups->paths, groups->count + 1,
					sizeof(*groups->paths));
	groups->paths[groups->count++] = path;
}

/* Collects the groups of all processes; stops at the first match. */
static void look(struct groups *groups, const char *patterns)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t tgid;
	char *path;

	while (proc && !groups->matched && (entry = readdir(proc))) {
		if (!parse_u64(entry->d_name, &tgid))
			continue;
		path = cgroup_of((pid_t)tgid);
		if (path)
			add(groups, path, patterns);
	}
	if (proc)
		closedir(proc);
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static char *list(const struct groups *groups)
{
	char *text = checked_strdup("");

	qsort(groups->paths, groups->count, sizeof(*groups->paths), compare);
	for (size_t i = 0; i < groups->count && i < MOST_SAID; i++)
		text = checked_append(text, ", ", groups->paths[i]);
	if (groups->count > MOST_SAID)
		text = checked_append(text, ", ", "...");
	return text;
}

void cgroup_check(const char *patterns)
{
	struct groups groups = { .matched = false };
	char *text;

	look(&groups, patterns);
	/* Without any group, /proc is not readable or has no cgroup files. */
	if (!groups.matched && groups.count) {
		text = list(&groups);
		message("no process is in the control group %s yet; processes that join it later are selected. Groups with processes: %s",
			patterns, text);
		free(text);
	}
	for (size_t i = 0; i < groups.count; i++)
		free(groups.paths[i]);
	free(groups.paths);
}
