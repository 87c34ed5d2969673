// SPDX-License-Identifier: MIT OR GPL-2.0
/* mapping.c - parse a line of /proc/PID/maps, and open the mapped file */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "process/buildid.h"
#include "process/mapping.h"

/*
 * Converts \012 in a path to a newline. The kernel writes newlines as \012, but
 * does not escape backslashes. Returns whether there was a \012. If so, the
 * result is uncertain: \012 may have been a literal part of the path.
 */
static bool unescape(char *path)
{
	char *to = path;
	bool found = false;

	for (; *path; to++) {
		if (!strncmp(path, "\\012", 4)) {
			*to = '\n';
			path += 4;
			found = true;
		} else {
			*to = *path++;
		}
	}
	*to = '\0';
	return found;
}

/* Format of a line: start-end perms offset device inode     path */
bool mapping_parse(char *line, struct mapping *mapping)
{
	int device = 0, inode = 0, inode_end = 0;
	char *path;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %n%*s %n%*s%n",
		   &mapping->start, &mapping->end, mapping->prot,
		   &mapping->offset,
		   &device, &inode, &inode_end) != 4 || !inode_end)
		return false;
	mapping->device_inode = line + device;
	mapping->inode = strtoull(line + inode, NULL, 10);
	path = line + inode_end;
	if (*path)
		*path++ = '\0';
	path += strspn(path, " ");
	mapping->unsure = unescape(path);
	mapping->path = path;
	return true;
}

char *mapping_link(pid_t tgid, uint64_t start, uint64_t end)
{
	return checked_printf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
			      tgid, start, end);
}

/* Returns whether a file is on the mapping's device. */
static bool is_on_device(const struct stat *info, const struct mapping *mapping)
{
	char *device = checked_printf("%02x:%02x ", major(info->st_dev),
				      minor(info->st_dev));
	bool same = !strncmp(mapping->device_inode, device, strlen(device));

	free(device);
	return same;
}

/* Opens @path if it leads to the mapped file; otherwise returns -1. */
static int open_at(const char *path, const struct mapping *mapping,
		   bool check_device)
{
	int fd = file_open(path);
	struct stat info;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &info) && info.st_ino == mapping->inode &&
	    (!check_device || is_on_device(&info, mapping)))
		return fd;
	close(fd);
	return -1;
}

/*
 * First tries /proc/PID/map_files, which works for deleted files but needs a
 * capability, then the path below the process's root directory, then the
 * process's executable. Last, tries the path below pfmon's root directory,
 * because the process may have ended and its ID may have been reused.
 */
int mapping_open(const struct mapping *mapping, pid_t tgid, const char *path)
{
	char *link = mapping_link(tgid, mapping->start, mapping->end);
	char *below = checked_printf("/proc/%d/root%s", tgid, path);
	char *exe = checked_printf("/proc/%d/exe", tgid);
	int fd = open_at(link, mapping, false);

	if (fd < 0)
		fd = open_at(below, mapping, false);
	if (fd < 0)
		fd = open_at(exe, mapping, false);
	if (fd < 0)
		fd = open_at(path, mapping, true);
	free(exe);
	free(below);
	free(link);
	return fd;
}
