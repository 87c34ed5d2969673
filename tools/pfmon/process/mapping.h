/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* mapping.h - parse a line of /proc/PID/maps */
#ifndef PFMON_PROCESS_MAPPING_H
#define PFMON_PROCESS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* PFMON_PROCESS_MAPPING_H */
