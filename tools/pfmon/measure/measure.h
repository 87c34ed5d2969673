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
	struct results results;		/* of contexts that have ended */
	bool failed;
};

/*
 * Measures a command, a running thread or a running process. Returns the exit
 * status.
 */
int measure_thread(const struct options *options, struct waiter *waiter,
		   struct counting *counting);

/* Measures CPUs, with a context and a thread for each; returns exit status. */
int measure_cpus(const struct options *options, struct waiter *waiter,
		 struct counting *counting);

/* All functions that can fail return false with a message. */

/* Makes the plan from m->options, which the caller has set. */
bool measurement_init(struct measurement *m);
void measurement_free(struct measurement *m);

/*
 * Opens the capture if events are sampled. It begins with the mappings of a
 * process, or of ALL_PROCESSES.
 */
bool measurement_start_recording(struct measurement *m, pid_t tgid);

/*
 * Adds the counts of a context to the results, if the context is closed before
 * the measurement is finished. measurement_finish() adds all open contexts.
 */
void measurement_add_result(struct measurement *m,
			    struct context *context);

/* Records the clocks as read by clocks_read(). */
bool measurement_record_clocks(struct measurement *m, int cpu);

/*
 * Starts the session's timers: timeout, delay, progress reports, snapshots,
 * refreshes, and the search for code that needs unwind tables.
 */
bool measurement_start_time(struct measurement *m);

/*
 * Whether measuring is delayed, by --delay or --trigger-start. The start calls
 * measurement_has_begun(), which starts the timers of the duration and of
 * intervals.
 */
bool measurement_waits(const struct measurement *m);
bool measurement_has_begun(struct measurement *m);

void measurement_print_progress(const struct measurement *m);

/*
 * Takes a snapshot after all contexts have been saved and their counts read:
 * closes the capture and begins another one, or prints the counts so far. tgid
 * is as for measurement_start_recording().
 */
bool measurement_snapshot(struct measurement *m, pid_t tgid);

/* Refreshes the live view after all contexts have been saved. */
bool measurement_refresh(struct measurement *m);

/*
 * Changes fields of the format's argument, NAME=VALUE,..., in m->contexts and
 * later ones. On an error nothing changes; a message tells why.
 */
void measurement_set(struct measurement *m, const char *assignments);

/*
 * Waits for a command that outlives the measurement, and passes signals to it.
 * Returns status, or the command's exit status if status is 0.
 */
int measurement_await_command(struct measurement *m, int status);

/*
 * Ends the recording and prints its summary, or prints the counts. complete()
 * is called after the last samples; if it fails, the last chunk and the counts
 * are omitted. Returns the exit status: that of the command, unless something
 * failed.
 */
int measurement_finish(struct measurement *m,
		       bool (*complete)(struct measurement *m));

/* Closes the stream and the capture of measurement_start_recording(). */
bool measurement_close(struct measurement *m);

#endif /* PFMON_MEASURE_MEASURE_H */
