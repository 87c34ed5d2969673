// SPDX-License-Identifier: MIT OR GPL-2.0
/* report.c - what pfmon prints: progress, counts, summary */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"
#include "report.h"
#include "util.h"

bool progress_wanted(const struct options *options)
{
	return options->verbose || isatty(STDERR_FILENO);
}

static void print_totals(const struct totals *totals)
{
	if (totals->samples_known)
		fprintf(stderr, "%" PRIu64 " samples", totals->samples);
	else
		fputs("- samples", stderr);
	fprintf(stderr, ", %" PRIu64 " lost, %" PRIu64 " notifications, %"
		PRIu64 " bytes", totals->lost, totals->notifications,
		totals->bytes);
}

void progress_print(const struct plan *plan, const struct totals *totals)
{
	uint64_t seconds = (clock_ns(CLOCK_REALTIME) - plan->start_ns) /
			   1000000000;

	fprintf(stderr, "%spfmon: %" PRIu64 " s", isatty(STDERR_FILENO) ?
		"\r\033[K" : "", seconds);
	if (totals) {
		fputs(", ", stderr);
		print_totals(totals);
	}
	if (!isatty(STDERR_FILENO))
		fputc('\n', stderr);
	fflush(stderr);
}

void progress_end(const struct options *options)
{
	if (progress_wanted(options) && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

void report_denied(const struct results *results)
{
	const struct options *options = results->plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (results->sum.events[i].denied)
			message("%s was not counted, or not always: the PMU had no counter left for it; see --switch-timeout",
				options->events[i].name);
	}
}

void report_summary(const struct totals *totals, const char *path)
{
	fputs("pfmon: ", stderr);
	print_totals(totals);
	fprintf(stderr, " -> %s\n", path);
}

static void print_pmcs(const struct plan *plan, const pfarg_pmc_t *pmcs,
		       unsigned int count, FILE *out)
{
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "# set %u, PMC%u: %#018llx %s\n",
			pmcs[i].reg_set, pmcs[i].reg_num,
			(unsigned long long)pmcs[i].reg_value,
			plan->options->events[pmcs[i].reg_smpl_eventid].name);
}

static void print_header(const struct plan *plan, FILE *out)
{
	const struct options *options = plan->options;
	time_t start = (time_t)(plan->start_ns / 1000000000);
	char *pmu = pmu_name();
	struct utsname name;
	char date[64];
	struct tm tm;

	uname(&name);
	strftime(date, sizeof(date), "%F %T %z", localtime_r(&start, &tm));
	fprintf(out, "# date:    %s\n", date);
	fprintf(out, "# machine: %s, %s, %ld CPUs\n", name.nodename,
		name.machine, sysconf(_SC_NPROCESSORS_ONLN));
	fprintf(out, "# kernel:  %s %s\n", name.release, name.version);
	fprintf(out, "# PMU:     %s\n", pmu ? pmu : "unknown");
	fprintf(out, "# session: %s\n", options->system_wide ? "system-wide" :
		options->attach ? "attached" : "command");
	if (options->command) {
		fputs("# command:", out);
		for (char **word = options->command; *word; word++)
			fprintf(out, " %s", *word);
		fputc('\n', out);
	}
	print_pmcs(plan, plan->pmcs, options->event_count, out);
	print_pmcs(plan, plan->configs, plan->config_count, out);
	free(pmu);
}

static void print_count(bool denied, uint64_t count, const char *name,
			FILE *out)
{
	if (denied)
		fprintf(out, "%20s %s", "<not counted>", name);
	else
		fprintf(out, "%20" PRIu64 " %s", count, name);
}

static void print_row(const struct plan *plan, const struct result *row,
		      FILE *out)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		uint64_t count;
		double share;

		if (!plan_counts_on(plan, i, row->cpu))
			continue;
		count = result_estimate(row, plan, i, &share);
		if (row->cpu != NO_CPU)
			fprintf(out, "CPU%-4d ", row->cpu);
		print_count(row->events[i].denied, count,
			    options->events[i].name, out);
		if (options->set_count > 1)
			fprintf(out, " (counted %.2f %% of the time)",
				100 * share);
		fputc('\n', out);
	}
}

static void print_sum(const struct plan *plan, const struct result *sum,
		      FILE *out)
{
	const struct options *options = plan->options;
	double share;

	for (unsigned int i = 0; i < options->event_count; i++) {
		print_count(sum->events[i].denied,
			    result_estimate(sum, plan, i, &share),
			    options->events[i].name, out);
		fputc('\n', out);
	}
}

static bool print_all(const struct results *results, FILE *out)
{
	const struct plan *plan = results->plan;

	if (plan->options->with_header)
		print_header(plan, out);
	if (plan->options->aggregate)
		print_sum(plan, &results->sum, out);
	for (unsigned int i = 0; i < results->row_count; i++)
		print_row(plan, &results->rows[i], out);
	return !fflush(out) && !ferror(out);
}

bool report_counts(const struct results *results)
{
	const char *path = results->plan->options->outfile;
	FILE *out = path ? fopen(path, "we") : stdout;
	bool ok = out && print_all(results, out);
	int error = errno;

	if (out && path && fclose(out)) {
		error = ok ? errno : error;
		ok = false;
	}
	if (!ok)
		message("cannot write %s: %s", path ? path : "the counts",
			strerror(error));
	report_denied(results);
	return ok;
}
