/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* counts.h - counts to be printed, and their output formats */
#ifndef PFMON_COUNTS_COUNTS_H
#define PFMON_COUNTS_COUNTS_H

#include <stdio.h>

#include "base/util.h"
#include "session/results.h"

/*
 * The counts of a measurement or of an interval, or the means of several
 * measurements.
 */
struct counts {
	const struct plan *plan;
	const struct result *rows;
	unsigned int row_count;
	struct times times;		/* of the measurement or interval */
	unsigned int interval;		/* number from 1; 0: no interval */
	uint64_t end_ns;		/* time from start to interval's end */
	unsigned int runs;		/* number of runs */
	const double *deviations;	/* standard errors in %, or NULL */
	struct times spread;		/* standard errors of times, in ns */
	int exit_status;		/* or NO_EXIT_STATUS */
};

/* Returns the standard error, in %, of event @i in row @row; 0 if none. */
static inline double counts_deviation(const struct counts *counts,
				      unsigned int row, unsigned int i)
{
	return counts->deviations ?
		counts->deviations[row * counts->plan->options->event_count +
				   i] : 0;
}

/* Prints a line for each event. */
void counts_print_text(const struct counts *counts, FILE *out);

/* Prints a row for each thread or CPU, with a column for each event. */
void counts_print_table(const struct counts *counts, FILE *out);

/* Prints the times below the text or table, if the options request that. */
void counts_print_times(const struct counts *counts, FILE *out);

/*
 * counts_print_csv() prints a line for each event. counts_print_csv_header()
 * prints the names of the columns.
 */
void counts_print_csv_header(const struct plan *plan, FILE *out);
void counts_print_csv(const struct counts *counts, FILE *out);

/* Prints one object on one line. */
void counts_print_json(const struct counts *counts, FILE *out);

#endif /* PFMON_COUNTS_COUNTS_H */
