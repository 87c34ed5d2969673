// SPDX-License-Identifier: MIT OR GPL-2.0
/* measure.c - what measuring a thread and measuring CPUs have in common */
#define _GNU_SOURCE
#include "measure.h"
#include "report.h"
#include "util.h"

static bool record_processes(struct measurement *m, pid_t tgid)
{
	return tgid == ALL_PROCESSES ? recording_all_processes(m->recording) :
	       recording_process(m->recording, tgid);
}

bool measurement_init(struct measurement *m)
{
	if (!plan_init(&m->plan, m->options))
		return false;
	results_init(&m->results, &m->plan);
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
	m->recording = recording_open(&m->plan);
	return m->recording &&
	       recording_begin(m->recording, &m->plan, m->contexts, m->count) &&
	       recording_clocks(m->recording, &m->start) &&
	       record_processes(m, tgid) &&
	       stream_start(&m->stream, m->recording, m->waiter);
}

void measurement_add_result(struct measurement *m,
			    const struct context *context)
{
	results_add(&m->results, &context->result, !m->options->aggregate);
}

bool measurement_record_clocks(struct measurement *m, int cpu)
{
	struct moment moment = clocks_read(cpu);

	return recording_clocks(m->recording, &moment);
}

bool measurement_start_time(struct measurement *m)
{
	return waiter_start(m->waiter, m->options->timeout_ns,
			    progress_wanted(m->options));
}

void measurement_print_progress(const struct measurement *m)
{
	struct totals totals;

	if (m->recording)
		totals = recording_totals(m->recording);
	progress_print(&m->plan, m->recording ? &totals : NULL);
}

/* A command may outlive its measurement. */
static int exit_status_of(const struct measurement *m)
{
	return m->command.pid && m->command.ended ?
	       command_exit_status(&m->command) : NO_EXIT_STATUS;
}

static void add_results(struct measurement *m)
{
	for (unsigned int i = 0; i < m->count; i++)
		measurement_add_result(m, m->contexts[i]);
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
	report_summary(&totals, &m->results);
	return ok;
}

static bool finish_counting(struct measurement *m,
			    bool (*complete)(struct measurement *m))
{
	if (!complete(m))
		return false;
	add_results(m);
	return report_counts(&m->results);
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

bool measurement_close(struct measurement *m)
{
	stream_close(&m->stream);
	return !m->recording || recording_close(m->recording);
}
