/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow.h - follow threads, each with its own context */
#ifndef PFMON_MEASURE_FOLLOW_H
#define PFMON_MEASURE_FOLLOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "measure/followed.h"

/*
 * Initializes @follow and, if pfmon follows threads, creates contexts in
 * advance. Returns false, with a message, on failure.
 */
bool follow_init(struct follow *follow, struct measurement *m);
void follow_free(struct follow *follow);

/*
 * Attaches contexts to existing threads, starts the recording and, unless
 * monitoring is delayed, calls follow_start(). It is not an error if some of
 * the threads have ended.
 */
bool follow_begin(struct follow *follow, pid_t tgid, const pid_t *tids,
		  unsigned int count);

/* Reads the name of the command's first thread, which may be a zombie. */
void follow_read_first_name(struct follow *follow);

/* Starts monitoring all threads; does nothing if that was done before. */
bool follow_start(struct follow *follow);

/* Stop and resume monitoring of all threads; repeated calls have no effect. */
bool follow_pause(struct follow *follow);
bool follow_go_on(struct follow *follow);

/* Handles an event of a traced thread; @data is the struct follow. */
void follow_handle(const struct trace_event *event, void *data);

/* Returns whether new threads and programs of a process are measured. */
bool follow_measures(const struct follow *follow, pid_t tgid);

/*
 * Reads pending messages. If none are pending, creates a context in advance, if
 * the pool needs one.
 */
void follow_serve(struct follow *follow);

/*
 * Returns whether pfmon must wait for processes other than the command. It does
 * not wait for daemons: processes that have left pfmon's session (setsid(2)).
 */
bool follow_has_company(struct follow *follow);

/*
 * follow_list() puts the contexts of all threads into m->contexts;
 * follow_unlist() empties m->contexts.
 */
void follow_list(struct follow *follow);
void follow_unlist(struct follow *follow);

/* Calls measurement_snapshot() for all threads. */
bool follow_snapshot(struct follow *follow, pid_t tgid);

/* Calls measurement_set() for all threads and for unused contexts. */
void follow_set(struct follow *follow, const char *assignments);

/* Calls frequency_look() for all threads. */
bool follow_look(struct follow *follow);

/* Calls measurement_refresh() for all threads. */
bool follow_refresh(struct follow *follow);

/* Records changed mappings and threads of all processes. */
void follow_record(struct follow *follow);

/*
 * Records code that a process has mapped, so that the unwind tables for the
 * code are loaded.
 */
void follow_look_for_code_of(struct follow *follow, pid_t tgid);
/* Reads perf's records, and records code that processes have mapped. */
void follow_read_records(struct follow *follow);

/* Stops measuring all threads, which continue to run. */
void follow_end(struct follow *follow);

/* Prints a message about threads that were not measured. */
void follow_report(const struct follow *follow);

#endif /* PFMON_MEASURE_FOLLOW_H */
