/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* counting.h - what becomes of the counts of one measurement, or of several */
#ifndef PFMON_COUNTING_H
#define PFMON_COUNTING_H

#include <stdbool.h>

#include "counts.h"
#include "output.h"
#include "runs.h"

struct counting {
	const struct options *options;
	struct output output;
	struct runs runs;		/* of --repeat */
	unsigned int done;		/* measurements that have ended */
	unsigned int intervals;		/* that were printed */
	struct times last;		/* when one was, from the start */
	int status;			/* of the first run that failed, or 0 */
};

/* All that can fail return false with a message. */

/* Opens the output, unless there are events to be sampled. */
bool counting_open(struct counting *counting, const struct options *options);

/* The counts of an interval; times are from the start to its end. */
bool counting_interval(struct counting *counting, const struct results *results,
		       const struct times *times);

/* The counts so far; they take the place of those before in a file. */
bool counting_snapshot(struct counting *counting, const struct results *results,
		       const struct times *times);

/* Is no other run to follow? */
bool counting_is_over(const struct counting *counting, bool interrupted);

/*
 * The counts of a measurement, or of its last interval. Prints them, or the
 * means of this and those before if it is the last one.
 */
bool counting_end(struct counting *counting, const struct results *results,
		  const struct times *times, int exit_status, bool interrupted);

bool counting_close(struct counting *counting);

#endif /* PFMON_COUNTING_H */
