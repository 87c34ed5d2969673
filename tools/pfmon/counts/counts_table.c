// SPDX-License-Identifier: MIT OR GPL-2.0
/* counts_table.c - print counts as a table */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "counts/counts.h"

#define LABEL_WIDTH	24
#define CELL_WIDTH	16

/* Returns the width of column i, which fits counts and the event's name. */
static int width_of(const struct options *options, unsigned int i)
{
	int length = (int)strlen(options->events[i].name);

	return length > CELL_WIDTH ? length : CELL_WIDTH;
}

static void print_names(const struct counts *counts, FILE *out)
{
	const struct options *options = counts->plan->options;

	fprintf(out, "%-*s", LABEL_WIDTH,
		counts->plan->by_cgroup ? "control group" :
		options->system_wide ? "CPU" : "thread");
	for (unsigned int i = 0; i < options->event_count; i++)
		fprintf(out, " %*s", width_of(options, i),
			options->events[i].name);
	fputc('\n', out);
}

static void print_label(const struct result *row, FILE *out)
{
	char *name = printable(row->cgroup ? row->cgroup : row->comm);
	char label[80] = "all";

	if (row->cpu != NO_CPU)
		snprintf(label, sizeof(label), "CPU%d", row->cpu);
	else if (row->tid)
		snprintf(label, sizeof(label), "%d %s", row->tid, name);
	else if (row->tgid)
		snprintf(label, sizeof(label), "%d %s", row->tgid, name);
	fprintf(out, "%-*s", LABEL_WIDTH, row->cgroup ? name : label);
	free(name);
}

static void print_cell(const struct counts *counts, const struct result *row,
		       unsigned int i, FILE *out)
{
	int width = width_of(counts->plan->options, i);
	const struct event_result *event = &row->events[i];
	char text[NUMBER_TEXT_SIZE];
	double share;

	if (row->cpu != NO_CPU && !plan_counts_on(counts->plan, i, row->cpu))
		fprintf(out, " %*s", width, "-");
	else if (event->unsupported)
		fprintf(out, " %*s", width, "<not supported>");
	else if (event->denied)
		fprintf(out, " %*s", width, "<not counted>");
	else
		fprintf(out, " %*s", width,
			number_text(text, result_estimate(row, counts->plan, i,
							  &share),
				    counts->plan->options->numbers));
}

void counts_print_table(const struct counts *counts, FILE *out)
{
	if (counts->interval)
		fprintf(out, "%.6f s\n", (double)counts->end_ns / 1e9);
	print_names(counts, out);
	for (unsigned int r = 0; r < counts->row_count; r++) {
		print_label(&counts->rows[r], out);
		for (unsigned int i = 0;
		     i < counts->plan->options->event_count; i++)
			print_cell(counts, &counts->rows[r], i, out);
		fputc('\n', out);
	}
	counts_print_times(counts, out);
}
