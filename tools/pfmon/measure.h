/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* measure.h - what measuring a thread and measuring CPUs have in common */
#ifndef PFMON_MEASURE_H
#define PFMON_MEASURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "clocks.h"
#include "command.h"
#include "context.h"
#include "options.h"
#include "plan.h"
#include "recording.h"
#include "stream.h"
#include "waiter.h"

#define ALL_PROCESSES	0

struct measurement {
	const struct options *options;
	struct waiter *waiter;
	struct plan plan;
	struct recording *recording;	/* NULL when counting */
	struct moment start;		/* the clocks then */
	struct stream stream;
	struct command command;
	struct context **contexts;
	unsigned int count;		/* of the contexts */
	bool failed;
};

/*
 * Measures a command's first thread, or a running thread. Returns the exit
 * status.
 */
int measure_thread(const struct options *options, struct waiter *waiter);

/*
 * Measures CPUs, with a context and a thread for each. Returns the exit status.
 */
int measure_cpus(const struct options *options, struct waiter *waiter);

/* All functions that can fail return false with a message. */

/*
 * Opens the capture if there are events to be sampled. It begins with the
 * mappings of a process, or of ALL_PROCESSES.
 */
bool measurement_start_recording(struct measurement *m, pid_t tgid);

/* What the clocks show now: clocks_read(). */
bool measurement_record_clocks(struct measurement *m, int cpu);

/* Starts the time after which the measurement ends, and progress reports. */
bool measurement_start_time(struct measurement *m);

void measurement_print_progress(const struct measurement *m);

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
