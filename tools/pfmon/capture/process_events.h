/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* process_events.h - write perf's records about processes to the capture */
#ifndef PFMON_CAPTURE_PROCESS_EVENTS_H
#define PFMON_CAPTURE_PROCESS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct maps;
struct perf_bytes;
struct perf_scope;

/*
 * New processes, programs, names, mappings and code of the kernel; the owner
 * provides locking.
 */
struct process_events;

/*
 * Starts recording on all CPUs. If perf refuses, returns NULL and stores the
 * errno in *error.
 */
struct process_events *process_events_open(const struct perf_scope *scope,
					   int *error);
void process_events_close(struct process_events *events);

/* Returns a descriptor that is readable if a CPU has come online, or -1. */
int process_events_fd(const struct process_events *events);

/*
 * Reads the events that have been recorded, and begins to observe CPUs that
 * have come online. Afterwards process_events_next() returns them in order of
 * time. Unless @last is set, very recent events are kept for the next call,
 * because other CPUs may still deliver earlier ones.
 */
void process_events_read(struct process_events *events, bool last);

/*
 * Returns the payload of the next PROC chunk, which is valid until the next
 * call; NULL if there are no more events. Identifies files with @maps. Does not
 * read /proc unless @proc is true.
 */
const struct perf_bytes *process_events_next(struct process_events *events,
					     struct maps *maps, bool proc);

/*
 * Returns whether perf still records a process, judging by the events returned
 * so far. An exec that changes credentials can remove perf's events from the
 * process.
 */
bool process_events_tell_of(const struct process_events *events, pid_t tgid);

/*
 * Calls visit with each process that perf records. Do not call it if perf
 * records all processes.
 */
void process_events_each(const struct process_events *events,
			 void (*visit)(pid_t tgid, void *data), void *data);

/* Forgets a process that has ended. */
void process_events_forget(struct process_events *events, pid_t tgid);

/* Returns whether the kernel's code has changed since the previous call. */
bool process_events_code_changed(struct process_events *events);

/* Returns the number of events that were lost so far. */
uint64_t process_events_lost(const struct process_events *events);

#endif /* PFMON_CAPTURE_PROCESS_EVENTS_H */
