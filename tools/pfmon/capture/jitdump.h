/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* jitdump.h - read the functions in a jitdump file */
#ifndef PFMON_CAPTURE_JITDUMP_H
#define PFMON_CAPTURE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct perf_bytes;

/*
 * Returns whether a file is a jitdump file, judging by its path in
 * /proc/PID/maps, which has " (deleted)" at its end if the file was deleted.
 */
bool jitdump_has_name(const char *path);

/*
 * Appends a line for each function of an open jitdump file, in the form of a
 * JITD chunk, until @lines has about @most bytes. Reads at most *records
 * records, and subtracts their number. Sets *cut if functions are missing
 * because of these limits, or because the file ends within a record or is
 * damaged. Does not trust the file, which may change meanwhile. Returns NULL,
 * or a phrase that says why nothing could be read.
 */
const char *jitdump_read(FILE *file, size_t most, unsigned int *records,
			 struct perf_bytes *lines, bool *cut);

#endif /* PFMON_CAPTURE_JITDUMP_H */
