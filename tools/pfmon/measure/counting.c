// SPDX-License-Identifier: MIT OR GPL-2.0
/* counting.c - print the counts of one or of several measurements */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "measure/counting.h"
#include "measure/report.h"
#include "process/command.h"

bool counting_open(struct counting *counting, const struct options *options)
{
	memset(counting, 0, sizeof(*counting));
	counting->options = options;
	return options->sampling ||
	       output_open(&counting->output, options->outfile,
			   options->append,
			   options->to_stdout ? STDOUT_FILENO : STDERR_FILENO);
}

static void print_heading(const struct counting *counting,
			  const struct plan *plan, bool at_start)
{
	FILE *out = counting->output.file;

	if (counting->options->with_header)
		report_header(plan, out);
	if (counting->options->csv && at_start)
		counts_print_csv_header(plan, out);
}

static bool try_to_print(struct counting *counting,
			 const struct counts *counts)
{
	struct output *output = &counting->output;
	bool first = !output->begun, at_start;

	if (!output_begin(output, &at_start))
		return false;
	if (first)
		print_heading(counting, counts->plan, at_start);
	if (counting->options->json)
		counts_print_json(counts, output->file);
	else if (counting->options->csv)
		counts_print_csv(counts, output->file);
	else if (counting->options->table)
		counts_print_table(counts, output->file);
	else
		counts_print_text(counts, output->file);
	return output_flush(output);
}

static bool print(struct counting *counting, const struct counts *counts)
{
	bool ok = try_to_print(counting, counts);

	counting->failed |= !ok;
	return ok;
}

/*
 * Returns the rows to print: only the sum, or one row for each control group,
 * CPU, thread or process.
 */
static const struct result *rows_of(const struct counting *counting,
				    const struct results *results,
				    unsigned int *count)
{
	bool sum = !results->row_count || (counting->options->aggregate &&
					   !results->rows->cgroup);

	*count = sum ? 1 : results->row_count;
	return sum ? &results->sum : results->rows;
}

static struct counts make_counts(const struct counting *counting,
				 const struct results *results,
				 const struct times *times, int exit_status)
{
	struct counts counts = {
		.plan = results->plan,
		.times = *times,
		.runs = 1,
		.exit_status = exit_status,
	};

	counts.rows = rows_of(counting, results, &counts.row_count);
	return counts;
}

static bool print_interval(struct counting *counting,
			   const struct results *results,
			   const struct times *times, int exit_status)
{
	struct counts counts = make_counts(counting, results, times,
					   exit_status);

	if (!results->sum.parts)
		counts.row_count = 0;
	counts.interval = ++counting->intervals;
	counts.end_ns = times->elapsed;
	counts.times.elapsed -= counting->last.elapsed;
	counting->last = *times;
	return print(counting, &counts);
}

bool counting_interval(struct counting *counting, const struct results *results,
		       const struct times *times)
{
	return print_interval(counting, results, times, NO_EXIT_STATUS);
}

/*
 * Prints the last interval. If no counts have been added since the previous
 * one, prints only an exit status, which is in JSON but not in other formats.
 */
static bool print_last_interval(struct counting *counting,
				const struct results *results,
				const struct times *times, int exit_status)
{
	bool with_status = counting->options->json &&
			   exit_status != NO_EXIT_STATUS;

	return (!results->sum.parts && !with_status) ||
	       print_interval(counting, results, times, exit_status);
}

bool counting_snapshot(struct counting *counting, const struct results *results,
		       const struct times *times)
{
	struct counts counts = make_counts(counting, results, times,
					   NO_EXIT_STATUS);

	output_begin_anew(&counting->output);
	return print(counting, &counts);
}

static bool print_means(struct counting *counting,
			const struct results *results)
{
	const struct plan *plan = results->plan;
	struct runs *runs = &counting->runs;
	double *deviations = runs_deviations(runs, plan);
	struct counts counts = {
		.plan = plan,
		.rows = runs->sums,
		.row_count = runs->row_count,
		.times = runs_mean(runs, plan),
		.runs = runs->count,
		.deviations = deviations,
		.spread = {
			.elapsed = (uint64_t)runs_error(runs, &runs->elapsed),
			.user = (uint64_t)runs_error(runs, &runs->user),
			.system = (uint64_t)runs_error(runs, &runs->system),
		},
		.exit_status = counting->status,
	};
	bool ok = print(counting, &counts);

	free(deviations);
	return ok;
}

static void add_run(struct counting *counting, const struct results *results,
		    const struct times *times)
{
	unsigned int count;
	const struct result *rows = rows_of(counting, results, &count);

	if (runs_add(&counting->runs, results->plan, rows, count, times))
		return;
	message("the means do not include run %u: a CPU went online or offline since run 1",
		counting->done);
	counting->failed = true;
}

bool counting_is_over(const struct counting *counting, bool interrupted)
{
	return interrupted || counting->done >= counting->options->runs;
}

bool counting_end(struct counting *counting, const struct results *results,
		  const struct times *times, int exit_status, bool interrupted)
{
	struct counts counts;
	bool ok;

	counting->done++;
	/* The final counts replace snapshots. */
	if (!counting->options->interval_ns)
		output_begin_anew(&counting->output);
	if (!counting->status && exit_status != NO_EXIT_STATUS)
		counting->status = exit_status;
	if (counting->options->interval_ns) {
		ok = print_last_interval(counting, results, times, exit_status);
	} else if (counting->options->runs > 1) {
		add_run(counting, results, times);
		ok = !counting_is_over(counting, interrupted) ||
		     print_means(counting, results);
	} else {
		counts = make_counts(counting, results, times, exit_status);
		ok = print(counting, &counts);
	}
	report_denied(results);
	return ok;
}

bool counting_close(struct counting *counting)
{
	runs_free(&counting->runs);
	return output_close(&counting->output) && !counting->failed;
}
