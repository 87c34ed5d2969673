/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* measure.h - what measuring a thread and measuring CPUs have in common */
#ifndef PFMON_MEASURE_H
#define PFMON_MEASURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "clocks.h"
#include "command.h"
#include "context.h"
#include "counting.h"
#include "options.h"
#include "plan.h"
#include "recording.h"
#include "results.h"
#include "stream.h"
#include "times.h"
#include "waiter.h"

#define ALL_PROCESSES	0

struct measurement {
	const struct options *options;
	struct waiter *waiter;
	struct counting *counting;	/* what becomes of the counts */
	struct plan plan;
	struct recording *recording;	/* NULL when counting */
	struct moment start;		/* the clocks then */
	struct times begun;		/* when it was started */
	struct stream stream;
	struct command command;
	struct context **contexts;
	unsigned int count;		/* of the contexts */
	struct results results;		/* of contexts that have ended */
	bool failed;
};

/*
 * Measures a command's first thread, or a running thread. Returns the exit
 * status.
 */
int measure_thread(const struct options *options, struct waiter *waiter,
		   struct counting *counting);

/*
 * Measures CPUs, with a context and a thread for each. Returns the exit status.
 */
int measure_cpus(const struct options *options, struct waiter *waiter,
		 struct counting *counting);

/* All functions that can fail return false with a message. */

/* Makes the plan from the options, which are set before. */
bool measurement_init(struct measurement *m);
void measurement_free(struct measurement *m);

/*
 * Opens the capture if there are events to be sampled. It begins with the
 * mappings of a process, or of ALL_PROCESSES.
 */
bool measurement_start_recording(struct measurement *m, pid_t tgid);

/*
 * Adds what was read of a context to the results, if it is closed before the
 * measurement is finished: that adds those of all contexts there are.
 */
void measurement_add_result(struct measurement *m,
			    struct context *context);

/* What the clocks show now: clocks_read(). */
bool measurement_record_clocks(struct measurement *m, int cpu);

/*
 * Starts the session's time: when it ends, when measuring begins if that is put
 * off, progress reports, snapshots.
 */
bool measurement_start_time(struct measurement *m);

/* Is the beginning put off? measurement_has_begun() is called at it. */
bool measurement_waits(const struct measurement *m);
bool measurement_has_begun(struct measurement *m);

void measurement_print_progress(const struct measurement *m);

/*
 * Once all contexts have been saved, and their counts read: finishes the
 * capture and begins another one, which tgid is for as in
 * measurement_start_recording(), or prints the counts so far.
 */
bool measurement_snapshot(struct measurement *m, pid_t tgid);

/* Once all contexts have been saved: who watches is to show it. */
bool measurement_refresh(struct measurement *m);

/*
 * When the measurement is over, and the command is not: goes on as if it was
 * the command. Returns the exit status, that of the measurement unless 0.
 */
int measurement_await_command(struct measurement *m, int status);

/*
 * Ends the recording and prints its summary, or prints the counts. complete()
 * is called behind the last samples; if it fails, there is no last chunk and no
 * counts are printed. Returns the exit status: the command's, unless anything
 * failed.
 */
int measurement_finish(struct measurement *m,
		       bool (*complete)(struct measurement *m));

/* Closes what measurement_start_recording() has opened. */
bool measurement_close(struct measurement *m);

#endif /* PFMON_MEASURE_H */
