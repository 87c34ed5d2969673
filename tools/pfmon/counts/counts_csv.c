// SPDX-License-Identifier: MIT OR GPL-2.0
/* counts_csv.c - print counts as CSV */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "counts/counts.h"
#include "counts/ratios.h"

static const char * const columns[] = {
	"time", "cpu", "pid", "tid", "comm", "event", "count", "deviation",
	"share", "ratio", "unit", "cgroup",
};

void counts_print_csv_header(const struct plan *plan, FILE *out)
{
	const char *separator = plan->options->csv;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(out, "%s%s", i ? separator : "", columns[i]);
	fputc('\n', out);
}

/* Quotes text that contains the separator, quotes or line ends. */
static void print_text(const char *text, const char *separator, FILE *out)
{
	if (!strstr(text, separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_place(const struct counts *counts, const struct result *row,
			const char *separator, FILE *out)
{
	char *comm = printable(row->comm);

	if (counts->interval)
		fprintf(out, "%.9f", (double)counts->end_ns / 1e9);
	fputs(separator, out);
	if (row->cpu != NO_CPU)
		fprintf(out, "%d", row->cpu);
	fputs(separator, out);
	if (row->tgid)
		fprintf(out, "%d", row->tgid);
	fputs(separator, out);
	if (row->tid)
		fprintf(out, "%d", row->tid);
	fputs(separator, out);
	print_text(comm, separator, out);
	free(comm);
	fputs(separator, out);
}

static void print_count(const struct event_result *event, uint64_t count,
			FILE *out)
{
	if (event->unsupported)
		fputs("<not supported>", out);
	else if (event->denied)
		fputs("<not counted>", out);
	else
		fprintf(out, "%" PRIu64, count);
}

static void print_event(const struct counts *counts, unsigned int r,
			unsigned int i, FILE *out)
{
	const struct result *row = &counts->rows[r];
	const struct options *options = counts->plan->options;
	const char *separator = options->csv;
	struct ratio ratio;
	uint64_t count;
	double share;

	count = result_estimate(row, counts->plan, i, &share);
	print_place(counts, row, separator, out);
	print_text(options->events[i].name, separator, out);
	fputs(separator, out);
	print_count(&row->events[i], count, out);
	fputs(separator, out);
	if (counts->runs > 1 && was_counted(&row->events[i]))
		fprintf(out, "%.4f", counts_deviation(counts, r, i));
	fputs(separator, out);
	if (was_counted(&row->events[i]))
		fprintf(out, "%.2f", 100 * share);
	fputs(separator, out);
	if (ratio_find(counts->plan, row, counts->times.elapsed, i, &ratio)) {
		fprintf(out, "%.6f%s", ratio.value, separator);
		print_text(ratio.unit, separator, out);
	} else {
		fputs(separator, out);
	}
	fputs(separator, out);
	if (row->cgroup)
		print_text(row->cgroup, separator, out);
	fputc('\n', out);
}

void counts_print_csv(const struct counts *counts, FILE *out)
{
	for (unsigned int r = 0; r < counts->row_count; r++) {
		for (unsigned int i = 0;
		     i < counts->plan->options->event_count; i++) {
			if (counts->rows[r].cpu == NO_CPU ||
			    plan_counts_on(counts->plan, i,
					   counts->rows[r].cpu))
				print_event(counts, r, i, out);
		}
	}
}
