/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* report.h - print progress, header, warnings and summary */
#ifndef PFMON_MEASURE_REPORT_H
#define PFMON_MEASURE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/capture_json.h"
#include "session/results.h"

/* Returns whether progress must be printed every second. */
bool progress_wanted(const struct options *options);
void progress_print(const struct plan *plan, const struct totals *totals);

/* Erases the line that progress_print() has printed on a terminal. */
void progress_end(const struct options *options);

/*
 * Print a message if /proc cannot be used. Call report_missing_proc() before
 * measuring, and report_unknown_samples() after sampling.
 */
void report_missing_proc(const struct options *options);
void report_unknown_samples(const struct totals *totals);

/* Prints the machine and the session above the counts (--with-header). */
void report_header(const struct plan *plan, FILE *out);

/* Prints a message for each event with an incomplete count. */
void report_denied(const struct results *results);

/* Prints the totals of a capture to standard error. */
void report_summary(const struct totals *totals, const char *path);

/*
 * Prints a message if perf has throttled a counter, and another if perfmon's
 * limits on overflows have stopped threads or CPUs.
 */
void report_throttled(const struct totals *totals);

/* Prints a message if perf's records about processes are incomplete. */
void report_process_events(const struct totals *totals);

#endif /* PFMON_MEASURE_REPORT_H */
