/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* mapping.h - parse a line of /proc/PID/maps, and open the mapped file */
#ifndef PFMON_PROCESS_MAPPING_H
#define PFMON_PROCESS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A mapping. The texts point into the line. */
struct mapping {
	uint64_t start, end, offset;
	char prot[5];
	const char *device_inode;
	uint64_t inode;
	const char *path;
	bool unsure;	/* a newline in path may be a literal \012 */
};

/* Parses and modifies a line. Returns false if it is not a mapping. */
bool mapping_parse(char *line, struct mapping *mapping);

/*
 * Returns the path, to be freed, of a link in /proc that leads to a mapping's
 * file, even if the file was deleted.
 */
char *mapping_link(pid_t tgid, uint64_t start, uint64_t end);

/*
 * Opens the file that a process has mapped, whose path is @path. Returns -1 if
 * no path leads to the file, or if it is not a regular file.
 */
int mapping_open(const struct mapping *mapping, pid_t tgid, const char *path);

#endif /* PFMON_PROCESS_MAPPING_H */
