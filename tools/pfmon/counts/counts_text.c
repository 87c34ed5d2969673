// SPDX-License-Identifier: MIT OR GPL-2.0
/* counts_text.c - print counts as text */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "counts/counts.h"
#include "counts/ratios.h"

#define MS	1e6
#define S	1e9

/*
 * Returns the length of the longest event name, so that the ratios after the
 * names are aligned.
 */
static int name_width(const struct options *options)
{
	size_t width = 0;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (strlen(options->events[i].name) > width)
			width = strlen(options->events[i].name);
	}
	return (int)width;
}

/* Scales a rate to below 1000, if possible, and returns its unit. */
static const char *scale_rate(double *rate)
{
	static const char *const units[] = {
		"/sec", "K/sec", "M/sec", "G/sec"
	};
	size_t unit = 0;

	while (*rate >= 1000 && unit < ARRAY_SIZE(units) - 1) {
		*rate /= 1000;
		unit++;
	}
	return units[unit];
}

static void print_ratio(const struct counts *counts, const struct result *row,
			unsigned int i, FILE *out)
{
	struct ratio ratio;
	const char *unit;

	if (!ratio_find(counts->plan, row, counts->times.elapsed, i, &ratio))
		return;
	unit = strcmp(ratio.unit, PER_SECOND) ? ratio.unit :
						scale_rate(&ratio.value);
	fprintf(out, "%*s # %10.3f %s",
		name_width(counts->plan->options) -
		(int)strlen(counts->plan->options->events[i].name), "",
		ratio.value, unit);
}

static void print_count(const struct counts *counts,
			const struct event_result *event, uint64_t count,
			FILE *out)
{
	char text[NUMBER_TEXT_SIZE];

	if (event->unsupported)
		fprintf(out, "%20s", "<not supported>");
	else if (event->denied)
		fprintf(out, "%20s", "<not counted>");
	else
		fprintf(out, "%20s",
			number_text(text, count,
				    counts->plan->options->numbers));
}

/*
 * Prints what the line's counts belong to: the end of the interval, and the
 * control group, CPU, thread or process.
 */
static void print_place(const struct counts *counts, const struct result *row,
			FILE *out)
{
	const struct options *options = counts->plan->options;
	char *name = printable(row->cgroup ? row->cgroup : row->comm);

	if (counts->interval)
		fprintf(out, "%14.6f ", (double)counts->end_ns / S);
	if (row->cgroup)
		fprintf(out, "%-24s ", name);
	else if (row->cpu != NO_CPU)
		fprintf(out, "CPU%-4d ", row->cpu);
	else if (options->aggregation == AGGREGATE_THREAD)
		fprintf(out, "%16s-%-7d ", name, row->tid);
	else if (options->aggregation == AGGREGATE_PROCESS)
		fprintf(out, "%16s-%-7d ", name, row->tgid);
	free(name);
}

static void print_event(const struct counts *counts, unsigned int r,
			unsigned int i, FILE *out)
{
	const struct options *options = counts->plan->options;
	const struct result *row = &counts->rows[r];
	const struct event_result *event = &row->events[i];
	uint64_t count;
	double share;

	count = result_estimate(row, counts->plan, i, &share);
	print_place(counts, row, out);
	print_count(counts, event, count, out);
	fprintf(out, " %s", options->events[i].name);
	print_ratio(counts, row, i, out);
	if (options->set_count > 1 && was_counted(event))
		fprintf(out, " (counted %.2f %% of the time)", 100 * share);
	if (counts->runs > 1 && was_counted(event))
		fprintf(out, " ( +- %.2f %% )", counts_deviation(counts, r, i));
	fputc('\n', out);
}

static void print_time(const struct counts *counts, uint64_t ns,
		       uint64_t spread, const char *name, FILE *out)
{
	fprintf(out, "%20.9f s %s", (double)ns / S, name);
	if (counts->runs > 1)
		fprintf(out, " ( +- %.2f %% )",
			ns ? 100 * (double)spread / (double)ns : 0);
	fputc('\n', out);
}

void counts_print_times(const struct counts *counts, FILE *out)
{
	const struct options *options = counts->plan->options;
	const struct times *times = &counts->times;

	if (counts->interval ||
	    !(options->default_events || options->show_time ||
	      counts->runs > 1))
		return;
	fputc('\n', out);
	print_time(counts, times->elapsed, counts->spread.elapsed, "elapsed",
		   out);
	if (!options->command)
		return;
	print_time(counts, times->user, counts->spread.user, "user", out);
	print_time(counts, times->system, counts->spread.system, "system", out);
}

void counts_print_text(const struct counts *counts, FILE *out)
{
	const struct options *options = counts->plan->options;

	for (unsigned int r = 0; r < counts->row_count; r++) {
		for (unsigned int i = 0; i < options->event_count; i++) {
			if (counts->rows[r].cpu == NO_CPU ||
			    plan_counts_on(counts->plan, i,
					   counts->rows[r].cpu))
				print_event(counts, r, i, out);
		}
	}
	counts_print_times(counts, out);
}
