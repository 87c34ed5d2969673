/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording_processes.h - record processes, from /proc or perf's events */
#ifndef PFMON_CAPTURE_RECORDING_PROCESSES_H
#define PFMON_CAPTURE_RECORDING_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

struct context;
struct recording;

/*
 * Write changed mappings and threads. recording_process() writes those of one
 * process. recording_processes() writes those of all sampled processes; its
 * @tgid is the first process, or ALL_PROCESSES. recording_new_of_process() is
 * faster than recording_process(), because it examines only new threads.
 */
bool recording_process(struct recording *recording, pid_t tgid);
bool recording_processes(struct recording *recording, pid_t tgid);
bool recording_new_of_process(struct recording *recording, pid_t tgid);

/* Loads the unwind table of a program that is about to be executed. */
void recording_program(struct recording *recording, const char *path);

/* Like recording_process(), for a process with only one thread. */
bool recording_process_of_one(struct recording *recording, pid_t tgid);

/* Writes a thread if it has changed. */
bool recording_thread(struct recording *recording, pid_t tgid, pid_t tid);

/* Forget a process or thread that has ended, because its ID may be reused. */
void recording_forget_process(struct recording *recording, pid_t tgid);
void recording_forget_thread(struct recording *recording, pid_t tid);

/*
 * A session usually records events: perf's records about what the sampled
 * processes do during the session. (open_events() in recording.c lists the
 * exceptions.) Without events, pfmon reads mappings from /proc whenever it
 * saves samples, and the caller has to record programs that start and threads
 * that end.
 *
 * recording_events() writes the events: call it every RECORDING_EVENTS_NS, and
 * when the descriptor of recording_events_fd(), if it is not -1, is readable
 * because a CPU has come online. Without events, or after a loss of events,
 * recording_new_processes() calls recording_processes(). Call
 * recording_last_of_process() before a process ends: it writes the events and,
 * if they do not include the process, reads the process from /proc.
 */
#define RECORDING_EVENTS_NS	20000000
int recording_events_fd(const struct recording *recording);
bool recording_has_events(const struct recording *recording);
bool recording_events(struct recording *recording);
bool recording_new_processes(struct recording *recording, pid_t tgid);
bool recording_last_of_process(struct recording *recording, pid_t tgid);

/*
 * Only for the other files that write a recording. The caller holds the
 * recording's lock.
 *
 * recording_write_events() writes the events so far, before the samples that
 * need them; @last is set at the end of a capture. recording_write_sampled()
 * writes the mappings that the samples in a context's buffer need.
 */
bool recording_write_events(struct recording *recording, bool last);
bool recording_write_sampled(struct recording *recording,
			     const struct context *context);

#endif /* PFMON_CAPTURE_RECORDING_PROCESSES_H */
