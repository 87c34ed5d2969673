/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* counting.h - print the counts of one or of several measurements */
#ifndef PFMON_MEASURE_COUNTING_H
#define PFMON_MEASURE_COUNTING_H

#include <stdbool.h>

#include "base/output.h"
#include "counts/counts.h"
#include "counts/runs.h"

struct counting {
	const struct options *options;
	struct output output;
	struct runs runs;		/* of --repeat */
	unsigned int done;		/* finished measurements */
	unsigned int intervals;		/* printed so far */
	bool failed;			/* counts could not be printed */
	struct times last;		/* at the last interval's end */
	int status;			/* of the first run that failed, or 0 */
};

/* On failure, these functions print a message and return false. */

/* Opens the output, unless events are sampled. */
bool counting_open(struct counting *counting, const struct options *options);

/*
 * Prints the counts of an interval. @times cover the time from the start of the
 * measurement to the end of the interval.
 */
bool counting_interval(struct counting *counting, const struct results *results,
		       const struct times *times);

/* Prints the counts so far; in a file, they replace the previous snapshot. */
bool counting_snapshot(struct counting *counting, const struct results *results,
		       const struct times *times);

/* Returns whether this was the last run. */
bool counting_is_over(const struct counting *counting, bool interrupted);

/*
 * Prints the counts of a measurement or, with --print-interval, of its last
 * interval. With --repeat, prints nothing until the last run has ended, and
 * then prints the means.
 */
bool counting_end(struct counting *counting, const struct results *results,
		  const struct times *times, int exit_status, bool interrupted);

bool counting_close(struct counting *counting);

#endif /* PFMON_MEASURE_COUNTING_H */
