// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cgroup.c - control groups of processes, and the option --cgroup
 *
 * A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:PATH. The unified hierarchy
 * (cgroup v2) has number 0 and comes last. If a process is in the root group of
 * the unified hierarchy, pfmon uses the path of its group in a v1 hierarchy.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_cgroup_counts_smpl.h>

#include "access/cgroup.h"
#include "base/util.h"

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

/*
 * Returns whether the group or one of its ancestors matches a pattern in the
 * comma-separated list. pfmparse --cgroup takes the same patterns.
 */
static bool cgroup_matches(const char *path, const char *patterns)
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

/* Maximum number of groups listed in the message. */
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

/* Takes ownership of @path, and adds it if it is new. */
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

	if (groups->count)
		qsort(groups->paths, groups->count, sizeof(*groups->paths),
		      compare);
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
	/*
	 * If no group was found, /proc cannot be read or has no cgroup files;
	 * then print nothing.
	 */
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

/* Returns the mount point of cgroup v2, to be freed, or NULL. */
static char *unified_root(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *root = NULL;

	while (mounts && !root && (entry = getmntent(mounts))) {
		if (!strcmp(entry->mnt_type, "cgroup2"))
			root = checked_strdup(entry->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return root;
}

static int open_below(const char *root, const char *path)
{
	char *directory = checked_printf("%s%s%s", root,
					 *path == '/' ? "" : "/", path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		message("cannot open the control group %s: %s: %s; systemd-cgls lists control groups",
			path, directory, strerror(errno));
	free(directory);
	return fd;
}

int cgroup_open(const char *path)
{
	char *root = unified_root();
	int fd;

	if (!root) {
		message("to count, --cgroup needs a cgroup v2 file system, and none is mounted: run mount -t cgroup2 none /sys/fs/cgroup");
		return -1;
	}
	fd = open_below(root, path);
	free(root);
	return fd;
}

bool is_root_cgroup(int fd)
{
	return faccessat(fd, "cgroup.type", F_OK, 0) != 0;
}

bool is_cgroup(int fd)
{
	return !faccessat(fd, "cgroup.procs", F_OK, 0);
}

bool counts_several_cgroups(const struct options *options)
{
	return !options->sampling && options->cgroups &&
	       strchr(options->cgroups, ',');
}

/* If --cgroup is given several times, joins its lists into one. */
bool parse_cgroup(struct options *options, const char *text)
{
	if (!text[strspn(text, ",")]) {
		message("--cgroup: the list is empty: give a control group such as /system.slice");
		return false;
	}
	if (!options->cgroups)
		options->cgroups = checked_strdup("");
	options->cgroups = checked_append(options->cgroups, ",", text);
	return true;
}

bool cgroup_options_agree(const struct options *options)
{
	const unsigned int short_entries =
		FORMAT_OPT_NO_HDR | FORMAT_OPT_IP_ONLY;
	bool several = counts_several_cgroups(options);

	if (!options->cgroups)
		return true;
	if (!options->system_wide)
		message("--cgroup needs --system-wide, because it selects among all processes");
	else if (!options->sampling && strpbrk(options->cgroups, "*?["))
		message("--cgroup=%s: wildcards only select samples: to count, give the paths of the control groups",
			options->cgroups);
	else if (several && options->set_count > 1)
		message("--cgroup=%s: several control groups need a single event set: omit --switch-timeout",
			options->cgroups);
	else if (several && options->excl_idle)
		message("--cgroup=%s: several control groups cannot be counted with --excl-idle",
			options->cgroups);
	else if (several && options->event_count >= PFM_CGROUP_COUNTS_PMDS)
		message("--cgroup=%s: fewer than %d events can be counted for several control groups",
			options->cgroups, PFM_CGROUP_COUNTS_PMDS);
	else if (options->format_options & short_entries)
		message("--cgroup needs the process ID of each sample, which --smpl-no-hdr and --smpl-ip-only omit");
	else
		return true;
	return false;
}
