// SPDX-License-Identifier: MIT OR GPL-2.0
/* main.c - pfmon: count events, or record samples in a capture */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "access/cgroup.h"
#include "base/util.h"
#include "capture/view.h"
#include "doctor/doctor.h"
#include "dry_run.h"
#include "event_check.h"
#include "events/event_list.h"
#include "formats/table.h"
#include "measure/measure.h"
#include "measure/waiter.h"
#include "options/options.h"
#include "top.h"

/*
 * Performs one measurement, and sets *over if it was the last one. Returns the
 * exit status. @viewer is NULL unless this is a live view.
 */
static int measure_once(struct counting *counting, struct viewer *viewer,
			struct control *control, bool *over)
{
	const struct options *options = counting->options;
	unsigned int done = counting->done;
	struct waiter waiter;
	int status;

	*over = true;
	if (!waiter_init(&waiter))
		return PFMON_EXIT_ERROR;
	waiter.viewer = viewer;
	waiter.control = control;
	if (options->system_wide)
		status = measure_cpus(options, &waiter, counting);
	else
		status = measure_thread(options, &waiter, counting);
	if (counting->done > done) {
		*over = counting_is_over(counting, waiter.interrupted);
		status = counting->status ? counting->status : status;
	}
	waiter_close(&waiter);
	return status;
}

static int measure_controlled(const struct options *options,
			      struct viewer *viewer, struct control *control)
{
	struct counting counting;
	int status;
	bool over;

	if (!counting_open(&counting, options))
		return PFMON_EXIT_ERROR;
	do {
		status = measure_once(&counting, viewer, control, &over);
	} while (!over);
	if (!counting_close(&counting))
		status = PFMON_EXIT_ERROR;
	return status;
}

static int measure_anything(const struct options *options,
			    struct viewer *viewer)
{
	struct control control;
	int status;

	if (!control_open(&control, options->control, options->control_ack))
		return PFMON_EXIT_ERROR;
	status = measure_controlled(options, viewer, &control);
	control_close(&control);
	return status;
}

/* Measures, then shows a view of the capture if the options request one. */
static int measure(const struct options *options)
{
	char *program;
	int status;

	if (!view_find_program(options, &program))
		return PFMON_EXIT_ERROR;
	status = measure_anything(options, NULL);
	if (program && status != PFMON_EXIT_ERROR &&
	    !view_show(program, options->outfile))
		status = PFMON_EXIT_ERROR;
	free(program);
	return status;
}

static void do_nothing(int signal)
{
	(void)signal;
}

/*
 * Sets a handler instead of SIG_IGN, because exec() resets handlers to the
 * default action but keeps SIG_IGN. A signal that pfmon's parent ignored stays
 * ignored, also in the programs that pfmon starts.
 */
static void survive(int signal)
{
	const struct sigaction handled = {
		.sa_handler = do_nothing, .sa_flags = SA_RESTART
	};
	struct sigaction now;

	if (!sigaction(signal, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaction(signal, &handled, NULL);
}

/*
 * Lets pfmon survive SIGPIPE and SIGXFSZ: its write then fails with EPIPE or
 * EFBIG. In the programs that pfmon starts, these signals keep the action that
 * pfmon inherited.
 */
static void survive_output_signals(void)
{
	survive(SIGPIPE);
	survive(SIGXFSZ);
}

static int perform(const struct options *options)
{
	switch (options->action) {
	case ACTION_HELP:
		options_help();
		return 0;
	case ACTION_VERSION:
		puts("pfmon " PFM_PROJECT_VERSION);
		return 0;
	case ACTION_LIST_EVENTS:
		return events_list("", options->pattern, options->json);
	case ACTION_EVENT_INFO:
		return events_explain("", options->pattern, options->json);
	case ACTION_CHECK_EVENTS:
		return check_events(options) ? 0 : PFMON_EXIT_ERROR;
	case ACTION_DRY_RUN:
		return dry_run(options) ? 0 : PFMON_EXIT_ERROR;
	case ACTION_LIST_FORMATS:
		return smpl_formats_list(options->json) ? 0 : PFMON_EXIT_ERROR;
	case ACTION_DOCTOR:
		return doctor(options->json);
	case ACTION_TOP:
	case ACTION_MEASURE:
		break;
	}
	if (options->cgroups && options->sampling)
		cgroup_check(options->cgroups);
	survive_output_signals();
	return options->action == ACTION_TOP ?
	       top_show(options, measure_anything) : measure(options);
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	open_missing_streams();
	if (!options_parse(&options, argc, argv))
		return PFMON_EXIT_USAGE;
	status = perform(&options);
	if (fflush(stdout)) {
		message("cannot write to standard output");
		status = PFMON_EXIT_ERROR;
	}
	options_free(&options);
	return status;
}
