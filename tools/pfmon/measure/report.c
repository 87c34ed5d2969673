// SPDX-License-Identifier: MIT OR GPL-2.0
/* report.c - print progress, header, warnings and summary */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/util.h"
#include "events/pmu.h"
#include "measure/report.h"

#define NO_PROC \
	"/proc is not mounted, or belongs to another PID namespace " \
	"(mount -t proc none /proc): "

bool progress_wanted(const struct options *options)
{
	return options->verbose || isatty(STDERR_FILENO);
}

static void print_totals(const struct totals *totals)
{
	if (totals->samples_known)
		fprintf(stderr, "%" PRIu64 " sample%s", totals->samples,
			plural(totals->samples));
	else
		fputs("- samples", stderr);
	if (totals->lost_known)
		fprintf(stderr, ", %" PRIu64 " lost", totals->lost);
	else
		fputs(", - lost", stderr);
	if (totals->skipped)
		fprintf(stderr, ", %" PRIu64 " skipped", totals->skipped);
	if (totals->evicted)
		fprintf(stderr, ", %" PRIu64 " thread state%s evicted",
			totals->evicted, plural(totals->evicted));
	if (totals->cut)
		fputs(" before the error", stderr);
	if (totals->throttled)
		fprintf(stderr, ", throttled %" PRIu64 " time%s",
			totals->throttled, plural(totals->throttled));
	if (totals->limited)
		fprintf(stderr, ", limited %" PRIu64 " time%s",
			totals->limited, plural(totals->limited));
	fprintf(stderr, ", %" PRIu64 " notification%s, %" PRIu64 " byte%s",
		totals->notifications, plural(totals->notifications),
		totals->bytes, plural(totals->bytes));
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
			message("%s was counted only part of the time, or not at all, because the PMU had no free counter: see --switch-timeout",
				options->events[i].name);
	}
}

void report_summary(const struct totals *totals, const char *path)
{
	char *shown = printable(path);

	fputs("pfmon: ", stderr);
	print_totals(totals);
	fprintf(stderr, " -> %s\n", shown);
	free(shown);
}

void report_throttled(const struct totals *totals)
{
	if (totals->throttled)
		message("perf stopped counters that overflowed too often, each time until the next timer tick: samples and counts are missing; use longer periods, or raise kernel.perf_event_max_sample_rate");
	if (totals->limited)
		message("limit reached: the kernel stopped measuring threads or CPUs that overflowed too often, each time until pfmon resumed: samples and counts are missing; use longer periods, or raise ovfl_rate_max or ovfl_cpu_max in /sys/module/perfmon/parameters");
}

void report_missing_proc(const struct options *options)
{
	if (proc_is_usable())
		return;
	if (options->sampling && options->system_wide)
		message(NO_PROC "samples of the command, and of programs that were already running, have no files and functions, and lost samples are not counted");
	else if (options->sampling)
		message(NO_PROC "samples have no files and functions, and lost samples are not counted");
	else
		message(NO_PROC "threads have no names, and events that had no free counter are not reported");
}

void report_unknown_samples(const struct totals *totals)
{
	const struct process_totals *processes = &totals->processes;

	if (totals->lost_known)
		return;
	message("/proc could not be read: samples %shave no files and functions, and the number of lost samples is unknown",
		processes->wanted && !processes->error ?
		"of the command, and of programs that were already running, " :
		"");
}

void report_process_events(const struct totals *totals)
{
	const struct process_totals *processes = &totals->processes;

	if (processes->error)
		message("perf's records of processes are not available: %s%s; the files and functions of samples in short-lived processes or mappings may be unknown",
			strerror(processes->error), processes->error == EACCES ?
			" (see kernel.perf_event_paranoid)" : "");
	if (processes->lost)
		message("%" PRIu64 " of perf's records about processes were lost: the files and functions of samples in short-lived processes or mappings may be unknown",
			processes->lost);
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

void report_header(const struct plan *plan, FILE *out)
{
	const struct options *options = plan->options;
	time_t start = (time_t)(plan->start_ns / 1000000000);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char *pmu = pmu_name();
	struct utsname name;
	char date[64];
	struct tm tm;

	uname(&name);
	strftime(date, sizeof(date), "%F %T %z", localtime_r(&start, &tm));
	fprintf(out, "# date:    %s\n", date);
	fprintf(out, "# machine: %s, %s, %ld CPU%s\n", name.nodename,
		name.machine, cpus, plural(cpus));
	fprintf(out, "# kernel:  %s %s\n", name.release, name.version);
	fprintf(out, "# PMU:     %s\n", pmu ? pmu : "unknown");
	fprintf(out, "# session: %s\n", options->system_wide ? "system-wide" :
		options->attach || options->attach_process ?
		"attached" : "command");
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
