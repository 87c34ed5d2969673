/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* output.h - where counts go */
#ifndef PFMON_OUTPUT_H
#define PFMON_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A file that is opened before anything is measured, but whose content is there
 * until output_begin() is called; a new one is removed if it never is.
 */
struct output {
	const char *path;	/* NULL: standard output */
	FILE *file;
	bool append;
	bool created;
	bool begun;
};

/* All return false with a message. */

bool output_open(struct output *output, const char *path, bool append);

/*
 * Before the first write. *at_start is set if nothing is before what comes now.
 */
bool output_begin(struct output *output, bool *at_start);

/* What comes now takes the place of what was written to a file. */
void output_begin_anew(struct output *output);

/* What was written so far reaches whoever reads. */
bool output_flush(struct output *output);

bool output_close(struct output *output);

#endif /* PFMON_OUTPUT_H */
