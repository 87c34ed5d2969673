/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* runs.h - the means of several runs, and how far they are from them */
#ifndef PFMON_RUNS_H
#define PFMON_RUNS_H

#include "results.h"
#include "times.h"

/* Mean, and sum of the squares of the distances from it. */
struct spread {
	double mean, squares;
};

struct runs {
	unsigned int count;		/* what was added */
	struct result *sums;		/* of each row */
	unsigned int row_count;
	struct spread *events;		/* of each event of each row */
	struct spread elapsed, user, system;
};

/* Rows are the same in each run. */
void runs_add(struct runs *runs, const struct plan *plan,
	      const struct result *rows, unsigned int row_count,
	      const struct times *times);

/* The means; sums are means afterwards, and nothing can be added. */
struct times runs_mean(struct runs *runs, const struct plan *plan);

/* The standard error of the mean. */
double runs_error(const struct runs *runs, const struct spread *spread);

/* That of each event, in percent of its mean; to be freed. */
double *runs_deviations(const struct runs *runs, const struct plan *plan);

void runs_free(struct runs *runs);

#endif /* PFMON_RUNS_H */
