// SPDX-License-Identifier: MIT OR GPL-2.0
/* mapping.c - parse a line of /proc/PID/maps */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
