/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* output.h - the output file for counts */
#ifndef PFMON_BASE_OUTPUT_H
#define PFMON_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * The file is opened before the measurement, but keeps its contents until
 * output_begin() is called. If output_begin() is never called, output_close()
 * removes the file, provided that output_open() has created it.
 */
struct output {
	const char *path;	/* NULL: use a descriptor */
	FILE *file;
	bool append;
	bool created;
	bool begun;
};

/* On failure, the functions below print a message and return false. */

/* Opens the file at @path or, if it is NULL, a copy of @descriptor. */
bool output_open(struct output *output, const char *path, bool append,
		 int descriptor);

/*
 * Must be called before each write. Sets *at_start to whether this write is the
 * first one and does not append to a non-empty file.
 */
bool output_begin(struct output *output, bool *at_start);

/*
 * If the output is a file opened without @append, makes the next output replace
 * what was written before.
 */
void output_begin_anew(struct output *output);

/* Flushes the output, so that readers see all of it. */
bool output_flush(struct output *output);

bool output_close(struct output *output);

#endif /* PFMON_BASE_OUTPUT_H */
