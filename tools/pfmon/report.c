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

#include "evtset.h"
#include "pmu.h"
#include "report.h"
#include "util.h"

bool progress_wanted(const struct options *options)
{
	return options->verbose || isatty(STDERR_FILENO);
}

static void print_samples(const struct totals *totals)
{
	if (totals->samples_known)
		fprintf(stderr, "%" PRIu64 " samples", totals->samples);
	else
		fputs("- samples", stderr);
}

void progress_print(const struct plan *plan, const struct totals *totals)
{
	uint64_t seconds = (clock_ns(CLOCK_REALTIME) - plan->start_ns) /
			   1000000000;

	fprintf(stderr, "%spfmon: %" PRIu64 " s", isatty(STDERR_FILENO) ?
		"\r\033[K" : "", seconds);
	if (totals) {
		fputs(", ", stderr);
		print_samples(totals);
		fprintf(stderr, ", %" PRIu64 " notifications",
			totals->notifications);
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

static bool is_denied(struct context *const *contexts, unsigned int count,
		      unsigned int event)
{
	for (unsigned int c = 0; c < count; c++) {
		if (contexts[c]->denied[event])
			return true;
	}
	return false;
}

/* Counts that are incomplete. */
static void print_denied(const struct plan *plan,
			 struct context *const *contexts, unsigned int count)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (is_denied(contexts, count, i))
			message("%s was not counted, or not always: the PMU had no counter left for it; see --switch-timeout",
				options->events[i].name);
	}
}

void report_summary(const struct plan *plan, const struct totals *totals,
		    struct context *const *contexts, unsigned int count)
{
	fputs("pfmon: ", stderr);
	print_samples(totals);
	fprintf(stderr, ", %" PRIu64 " lost, %" PRIu64 " notifications, %"
		PRIu64 " bytes -> %s\n", totals->lost, totals->notifications,
		totals->bytes, plan->options->outfile);
	print_denied(plan, contexts, count);
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

static void print_counts(const struct plan *plan,
			 const struct context *context, FILE *out)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		uint64_t count;
		double share;

		if (!plan_counts_on(plan, i, context->cpu))
			continue;
		count = evtsets_estimate(context, i, &share);
		if (context->cpu != NO_CPU)
			fprintf(out, "CPU%-4d ", context->cpu);
		print_count(context->denied[i], count, options->events[i].name,
			    out);
		if (options->set_count > 1)
			fprintf(out, " (counted %.2f %% of the time)",
				100 * share);
		fputc('\n', out);
	}
}

static void print_sums(const struct plan *plan,
		       struct context *const *contexts, unsigned int count,
		       FILE *out)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		uint64_t sum = 0;
		double share;

		/* Where it is not counted it is 0. */
		for (unsigned int c = 0; c < count; c++)
			sum += evtsets_estimate(contexts[c], i, &share);
		print_count(is_denied(contexts, count, i), sum,
			    options->events[i].name, out);
		fputc('\n', out);
	}
}

static bool print_all(const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      FILE *out)
{
	if (plan->options->with_header)
		print_header(plan, out);
	if (plan->options->aggregate) {
		print_sums(plan, contexts, count, out);
	} else {
		for (unsigned int i = 0; i < count; i++)
			print_counts(plan, contexts[i], out);
	}
	return !fflush(out) && !ferror(out);
}

bool report_counts(const struct plan *plan,
		   struct context *const *contexts, unsigned int count)
{
	const char *path = plan->options->outfile;
	FILE *out = path ? fopen(path, "we") : stdout;
	bool ok = out && print_all(plan, contexts, count, out);
	int error = errno;

	if (out && path && fclose(out)) {
		error = ok ? errno : error;
		ok = false;
	}
	if (!ok)
		message("cannot write %s: %s", path ? path : "the counts",
			strerror(error));
	print_denied(plan, contexts, count);
	return ok;
}
