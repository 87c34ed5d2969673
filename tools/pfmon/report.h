/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* report.h - what pfmon prints: progress, counts, summary */
#ifndef PFMON_REPORT_H
#define PFMON_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "recording.h"
#include "results.h"

/* Whether progress is to be printed, once a second. */
bool progress_wanted(const struct options *options);
void progress_print(const struct plan *plan, const struct totals *totals);

/* Ends the line that progress_print() rewrites. */
void progress_end(const struct options *options);

/* The machine and the session, above the counts. */
void report_header(const struct plan *plan, FILE *out);

/* Tells of counts that are incomplete. */
void report_denied(const struct results *results);

/* Says which counts are incomplete. */
void report_denied(const struct results *results);

/* What was sampled into a capture, to standard error. */
void report_summary(const struct totals *totals, const char *path);

#endif /* PFMON_REPORT_H */
