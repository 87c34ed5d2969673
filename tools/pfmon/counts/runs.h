/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* runs.h - means and standard errors of several runs (--repeat) */
#ifndef PFMON_COUNTS_RUNS_H
#define PFMON_COUNTS_RUNS_H

#include "base/util.h"
#include "session/results.h"

/* Mean, and sum of squared differences from the mean. */
struct spread {
	double mean, squares;
};

struct runs {
	unsigned int count;		/* number of runs added */
	struct result *sums;		/* sums for each row */
	unsigned int row_count;
	struct spread *events;		/* for each event of each row */
	struct spread elapsed, user, system;
};

/*
 * Adds the results of a run. Returns false, and adds nothing, if the rows are
 * not of the same CPUs as those of the first run.
 */
bool runs_add(struct runs *runs, const struct plan *plan,
	      const struct result *rows, unsigned int row_count,
	      const struct times *times);

/*
 * Converts the sums to means, and returns the mean times. Do not call
 * runs_add() afterwards.
 */
struct times runs_mean(struct runs *runs, const struct plan *plan);

/* Returns the standard error of the mean. */
double runs_error(const struct runs *runs, const struct spread *spread);

/* Returns each event's standard error in percent of its mean; to be freed. */
double *runs_deviations(const struct runs *runs, const struct plan *plan);

void runs_free(struct runs *runs);

#endif /* PFMON_COUNTS_RUNS_H */
