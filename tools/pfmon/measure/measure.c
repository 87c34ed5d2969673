// SPDX-License-Identifier: MIT OR GPL-2.0
/* measure.c - code shared by measurements of threads and of CPUs */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/recording_processes.h"
#include "capture/recording_totals.h"
#include "formats/described.h"
#include "measure/measure.h"
#include "measure/report.h"

#define PROGRESS_NS	1000000000

bool measurement_init(struct measurement *m)
{
	if (!plan_init(&m->plan, m->options))
		return false;
	report_missing_proc(m->options);
	results_init(&m->results, &m->plan);
	if (m->waiter->viewer)
		m->command.trace.bystander = &m->waiter->viewer->process;
	return true;
}

void measurement_free(struct measurement *m)
{
	results_free(&m->results);
	plan_free(&m->plan);
}

bool measurement_start_recording(struct measurement *m, pid_t tgid)
{
	if (!m->options->sampling)
		return true;
	if (!stream_open(&m->stream, &m->plan.format))
		return false;
	m->recording = recording_open(&m->plan, tgid,
				      m->count &&
				      context_has_family(m->contexts[0]));
	return m->recording &&
	       recording_begin(m->recording, &m->plan, m->contexts, m->count) &&
	       recording_clocks(m->recording, &m->start) &&
	       recording_processes(m->recording, tgid) &&
	       stream_start(&m->stream, m->recording, m->waiter);
}

/* With --print-interval, adds only the part that has not been printed yet. */
static void add_part(struct results *results, const struct result *now,
		     struct result *printed)
{
	struct result part;

	if (!results->plan->options->interval_ns) {
		results_add(results, now);
		return;
	}
	result_init(&part, results->plan, now->cpu);
	result_part(&part, results->plan, printed, now);
	results_add(results, &part);
	result_free(&part);
}

static void add_context(struct results *results, struct context *context)
{
	if (!context->plan->by_cgroup)
		add_part(results, &context->result, &context->printed);
	for (unsigned int i = 0; context->cgroups &&
	     i < context->plan->cgroup_count; i++)
		add_part(results, &context->cgroups[i].now,
			 &context->cgroups[i].printed);
}

void measurement_add_result(struct measurement *m,
			    struct context *context)
{
	add_context(&m->results, context);
}

bool measurement_record_clocks(struct measurement *m, int cpu)
{
	struct moment moment = clocks_read(cpu);

	return recording_clocks(m->recording, &moment);
}

bool measurement_waits(const struct measurement *m)
{
	return m->options->delay_ns || m->options->delayed_for_good ||
	       m->options->trigger_start;
}

/*
 * Returns whether TIMER_RECORDS is needed. On this timer, pfmon reads perf's
 * records or, if perf refuses to provide them, searches /proc for mapped code.
 */
static bool reads_records(const struct measurement *m)
{
	return m->recording && (m->plan.format.tables ||
				recording_has_events(m->recording));
}

bool measurement_start_time(struct measurement *m)
{
	const struct options *options = m->options;

	if (measurement_waits(m))
		m->begun = times_read();
	return waiter_start_once(m->waiter, TIMER_TIMEOUT,
				 options->timeout_ns) &&
	       waiter_start_once(m->waiter, TIMER_DELAY, options->delay_ns) &&
	       waiter_start_ticking(m->waiter, TIMER_PROGRESS,
				    progress_wanted(options) ?
				    PROGRESS_NS : 0) &&
	       waiter_start_ticking(m->waiter, TIMER_SNAPSHOT,
				    options->snapshot_ns) &&
	       waiter_start_ticking(m->waiter, TIMER_RECORDS,
				    reads_records(m) ? RECORDING_EVENTS_NS :
						       0) &&
	       waiter_start_ticking(m->waiter, TIMER_REFRESH,
				    options->top.interval_ns);
}

bool measurement_has_begun(struct measurement *m)
{
	m->begun = times_read();
	return waiter_start_once(m->waiter, TIMER_DURATION,
				 m->options->duration_ns) &&
	       waiter_start_ticking(m->waiter, TIMER_SNAPSHOT,
				    m->options->interval_ns);
}

void measurement_print_progress(const struct measurement *m)
{
	struct totals totals;

	if (m->recording)
		totals = recording_now(m->recording, m->contexts, m->count);
	progress_print(&m->plan, m->recording ? &totals : NULL);
}

static bool divide(struct measurement *m, pid_t tgid)
{
	struct division division;

	if (!recording_divide(m->recording, &m->plan, m->contexts, m->count,
			      &division))
		return false;
	if (!division.path)
		return true;
	progress_end(m->options);
	report_summary(&division.totals, division.path);
	free(division.path);
	return recording_clocks(m->recording, &m->start) &&
	       recording_processes(m->recording, tgid);
}

static void add_results(struct measurement *m)
{
	for (unsigned int i = 0; i < m->count; i++)
		measurement_add_result(m, m->contexts[i]);
}

/* Prints the counts since the last interval. */
static bool report_interval(struct measurement *m)
{
	struct times times = times_since(&m->begun);
	bool ok;

	add_results(m);
	ok = counting_interval(m->counting, &m->results, &times);
	results_clear(&m->results);
	return ok;
}

/* Prints the counts so far, of closed and of open contexts. */
static bool report_so_far(const struct measurement *m)
{
	const struct results *over = &m->results;
	struct times times = times_since(&m->begun);
	struct results now;
	bool ok;

	results_init(&now, &m->plan);
	for (unsigned int i = 0; i < over->row_count; i++)
		results_add(&now, &over->rows[i]);
	for (unsigned int i = 0; i < m->count; i++)
		add_context(&now, m->contexts[i]);
	ok = counting_snapshot(m->counting, &now, &times);
	results_free(&now);
	return ok;
}

bool measurement_snapshot(struct measurement *m, pid_t tgid)
{
	if (!m->recording) {
		progress_end(m->options);
		return m->options->interval_ns ? report_interval(m) :
						 report_so_far(m);
	}
	if (!m->plan.format.device)
		return divide(m, tgid);
	message("cannot take a snapshot: the samples of the format %s are one stream from %s, which cannot be split",
		m->plan.format.name, m->plan.format.device_path);
	return true;
}

/*
 * Sets the argument of all contexts; returns false, with a message, on failure.
 * All contexts have the same format, so if the first accepts the argument, all
 * do.
 */
static bool set_in_contexts(const struct measurement *m, const void *arg,
			    const char *assignments)
{
	const struct smpl_format *format = &m->plan.format;

	for (unsigned int i = 0; i < m->count; i++) {
		if (!pfm_set_fmt_arg(m->contexts[i]->fd, arg, format->arg_size))
			continue;
		if (errno == EOPNOTSUPP)
			message("the sampling format %s cannot change %s while it records: in the output of --list-formats, \"live\" marks the fields that can be changed",
				format->name, assignments);
		else
			message("the sampling format %s rejects %s: %s",
				format->name, assignments, strerror(errno));
		return false;
	}
	return true;
}

void measurement_set(struct measurement *m, const char *assignments)
{
	struct smpl_format *format = &m->plan.format;
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	unsigned char *arg;

	if (!m->options->sampling) {
		message("--control: set changes the argument of a sampling format, but this measurement does not sample");
		return;
	}
	arg = described_changed(format, assignments);
	if (arg && set_in_contexts(m, arg, assignments)) {
		memcpy(format->arg, arg, format->arg_size);
		recording_argument(m->recording, format, begun);
	}
	free(arg);
}

bool measurement_refresh(struct measurement *m)
{
	return recording_tick(m->recording, &m->plan, m->contexts, m->count);
}

/* Returns the command's exit status; NO_EXIT_STATUS if no command has ended. */
static int exit_status_of(const struct measurement *m)
{
	return m->command.pid && m->command.ended ?
	       command_exit_status(&m->command) : NO_EXIT_STATUS;
}

static bool finish_recording(struct measurement *m,
			     bool (*complete)(struct measurement *m))
{
	struct totals totals;
	bool ok;

	ok = stream_finish(&m->stream);
	ok = complete(m) && recording_end(m->recording, &m->plan, m->contexts,
					  m->count, exit_status_of(m)) && ok;
	add_results(m);
	totals = recording_totals(m->recording);
	if (!m->options->top.interval_ns)
		report_summary(&totals, m->options->outfile);
	report_throttled(&totals);
	report_unknown_samples(&totals);
	report_process_events(&totals);
	report_denied(&m->results);
	return ok;
}

/* Counts by control group miss context switches whose samples are throttled. */
static void report_limits(const struct measurement *m)
{
	struct totals totals = { .samples = 0 };

	for (unsigned int i = 0; m->plan.by_cgroup && i < m->count; i++) {
		totals.throttled += m->contexts[i]->stats.throttled;
		totals.limited += m->contexts[i]->stats.limited;
	}
	report_throttled(&totals);
}

static bool finish_counting(struct measurement *m,
			    bool (*complete)(struct measurement *m))
{
	struct times times = times_since(&m->begun);

	if (!complete(m))
		return false;
	add_results(m);
	report_limits(m);
	return counting_end(m->counting, &m->results, &times, exit_status_of(m),
			    m->waiter->interrupted);
}

int measurement_finish(struct measurement *m,
		       bool (*complete)(struct measurement *m))
{
	int exit_status = exit_status_of(m);
	bool ok;

	progress_end(m->options);
	if (m->recording)
		ok = finish_recording(m, complete);
	else
		ok = finish_counting(m, complete);
	if (!ok || m->failed)
		return PFMON_EXIT_ERROR;
	return exit_status == NO_EXIT_STATUS ? 0 : exit_status;
}

int measurement_await_command(struct measurement *m, int status)
{
	unsigned int wake = 0;

	while (m->command.pid && !m->command.ended && !(wake & WAKE_ERROR)) {
		wake = waiter_wait(m->waiter, -1);
		if (wake & WAKE_SIGNAL)
			waiter_handle_signals(m->waiter, &m->command);
		if (wake & WAKE_TIMER(TIMER_TIMEOUT))
			command_signal(&m->command, SIGTERM);
	}
	if (status || !m->command.pid || !m->command.ended)
		return status;
	return command_exit_status(&m->command);
}

bool measurement_close(struct measurement *m)
{
	bool ok;

	stream_close(&m->stream);
	ok = !m->recording || recording_close(m->recording);
	m->recording = NULL;
	return ok;
}
