/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* counts.h - counts that are to be printed, and the forms of that */
#ifndef PFMON_COUNTS_H
#define PFMON_COUNTS_H

#include <stdio.h>

#include "results.h"
#include "times.h"

/*
 * Of a measurement, of an interval of it, or the means of several. Deviations
 * are those of the means, in percent of them.
 */
struct counts {
	const struct plan *plan;
	const struct result *rows;
	unsigned int row_count;
	struct times times;		/* of the interval, if it is one */
	unsigned int interval;		/* 1 and up; 0: it is none */
	uint64_t end_ns;		/* of the interval, from the start */
	unsigned int runs;		/* how many there were */
	const double *deviations;	/* of each event of each row; or NULL */
	struct times spread;		/* the deviation of each time in ns */
	int exit_status;		/* or NO_EXIT_STATUS */
};

/* Of event i of a row. */
static inline double counts_deviation(const struct counts *counts,
				      unsigned int row, unsigned int i)
{
	return counts->deviations ?
		counts->deviations[row * counts->plan->options->event_count +
				   i] : 0;
}

/* A line for each event. */
void counts_print_text(const struct counts *counts, FILE *out);

/* A row for each thread or CPU, a column for each event. */
void counts_print_table(const struct counts *counts, FILE *out);

/* How long it took, below either, if that is to be printed. */
void counts_print_times(const struct counts *counts, FILE *out);

/* A line for each event; the first line of all names the columns. */
void counts_print_csv_header(const char *separator, FILE *out);
void counts_print_csv(const struct counts *counts, FILE *out);

/* An object, in a line. */
void counts_print_json(const struct counts *counts, FILE *out);

#endif /* PFMON_COUNTS_H */
