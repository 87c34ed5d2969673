/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* measure.h - code shared by measurements of threads and of CPUs */
#ifndef PFMON_MEASURE_MEASURE_H
#define PFMON_MEASURE_MEASURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/settings.h"
#include "base/util.h"
#include "capture/clocks.h"
#include "capture/recording.h"
#include "measure/counting.h"
#include "measure/stream.h"
#include "measure/waiter.h"
#include "process/command.h"
#include "session/context.h"
#include "session/plan.h"
#include "session/results.h"

struct measurement {
	const struct options *options;
	struct waiter *waiter;
	struct counting *counting;	/* prints the counts */
	struct plan plan;
	struct recording *recording;	/* NULL when counting */
	struct moment start;		/* clocks_read() at the start */
	struct times begun;		/* times_read() at the start */
	struct stream stream;
	struct command command;
	struct context **contexts;
	unsigned int count;		/* of the contexts */
	struct results results;		/* of the contexts closed so far */
	bool failed;
};

/*
 * Measures a command, a running thread or a running process. Returns the exit
 * status.
 */
int measure_thread(const struct options *options, struct waiter *waiter,
		   struct counting *counting);

/*
 * Measures CPUs, each with its own context and thread of pfmon. Returns the
 * exit status.
 */
int measure_cpus(const struct options *options, struct waiter *waiter,
		 struct counting *counting);

/* On failure, these functions print a message and return false. */

/* Makes the plan from m->options, which the caller has set. */
bool measurement_init(struct measurement *m);
void measurement_free(struct measurement *m);

/*
 * Opens the capture if events are sampled, and records the mappings of the
 * process @tgid, or of ALL_PROCESSES.
 */
bool measurement_start_recording(struct measurement *m, pid_t tgid);

/*
 * Adds the counts of a context. Call it for a context that will be closed
 * before measurement_finish(); that function adds the counts of all open
 * contexts.
 */
void measurement_add_result(struct measurement *m,
			    struct context *context);

/* Reads the clocks with clocks_read(), and records them. */
bool measurement_record_clocks(struct measurement *m, int cpu);

/*
 * Starts the session's timers: for the timeout, the delay, progress reports,
 * snapshots and refreshes, and for reading perf's records or searching for
 * mapped code.
 */
bool measurement_start_time(struct measurement *m);

/*
 * measurement_waits() returns whether measuring is delayed, by --delay or
 * --trigger-start. When measuring starts, the caller calls
 * measurement_has_begun(), which starts the timers of the duration and of
 * intervals.
 */
bool measurement_waits(const struct measurement *m);
bool measurement_has_begun(struct measurement *m);

void measurement_print_progress(const struct measurement *m);

/*
 * Takes a snapshot: closes the capture and begins another one, or prints the
 * counts so far. Call it after saving all contexts and reading their counts.
 * @tgid has the same meaning as for measurement_start_recording().
 */
bool measurement_snapshot(struct measurement *m, pid_t tgid);

/* Refreshes the live view. Call it after saving all contexts. */
bool measurement_refresh(struct measurement *m);

/*
 * Changes fields of the format's argument, given as NAME=VALUE,..., in
 * m->contexts and in later contexts, and records the new argument. On failure,
 * changes nothing and prints a message.
 */
void measurement_set(struct measurement *m, const char *assignments);

/*
 * If the command outlives the measurement, waits for the command and passes
 * signals to it. Returns @status or, if @status is 0, the command's exit
 * status.
 */
int measurement_await_command(struct measurement *m, int status);

/*
 * When sampling, ends the recording and prints its summary; when counting,
 * prints the counts. First calls complete(). If that fails, omits the last
 * chunk of the capture, or the counts. Returns PFMON_EXIT_ERROR on failure,
 * otherwise the exit status of the command, or 0 if no command has ended.
 */
int measurement_finish(struct measurement *m,
		       bool (*complete)(struct measurement *m));

/*
 * Closes the stream and the capture that measurement_start_recording() opened.
 */
bool measurement_close(struct measurement *m);

#endif /* PFMON_MEASURE_MEASURE_H */
