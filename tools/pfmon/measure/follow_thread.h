/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_thread.h - one followed thread and its context */
#ifndef PFMON_MEASURE_FOLLOW_THREAD_H
#define PFMON_MEASURE_FOLLOW_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "formats/format.h"
#include "measure/followed.h"

/* Ends the measurement after an unrecoverable error. */
void follow_fail(struct follow *follow);

/*
 * Returns whether pfmon must read information about processes from /proc,
 * because perf does not record them.
 */
bool follow_reads_proc(const struct follow *follow);

/*
 * Records the mappings of a process. Call it before recording any sample of the
 * process.
 */
void follow_process_record(struct follow *follow,
			   const struct process *process);

void follow_process_remove(struct follow *follow, struct process *process);

/* Adds a thread, and its process if it is new. */
struct thread *follow_thread_add(struct follow *follow, pid_t tid, pid_t tgid);

/*
 * Removes a thread without a context; if it was the process's last thread, also
 * removes the process.
 */
void follow_thread_remove(struct follow *follow, struct thread *thread);

/*
 * Attaches a context at the start of the measurement. Returns false, with a
 * message, on failure, for example if the thread has ended.
 */
bool follow_thread_load(struct follow *follow, struct thread *thread);

/*
 * Attaches a context and starts it if monitoring has begun. A thread that
 * cannot be measured continues to run, and is counted in follow->unmeasured.
 */
void follow_thread_begin(struct follow *follow, struct thread *thread);

/*
 * Starts monitoring a thread. If it is the thread of the command, and the
 * command still waits before its exec, monitoring starts at the exec. Returns
 * false, with a message, on failure. It is not a failure if the thread has
 * ended.
 */
bool follow_thread_start(const struct follow *follow, struct thread *thread);

/* Reads and handles pending messages of the thread's context. */
void follow_thread_handle(struct follow *follow, struct thread *thread);

/* Saves the buffer, which need not be full; returns false on failure. */
bool follow_thread_save(struct follow *follow, struct thread *thread,
			enum smpl_moment moment);

/*
 * Saves the samples of the program that an exec has just replaced, so that they
 * precede the new program's mappings in the capture; returns false on failure.
 */
bool follow_thread_save_before_exec(struct follow *follow,
				    struct thread *thread);

/* Read the name of an existing thread or process, if it will be printed. */
void follow_thread_read_name(const struct follow *follow,
			     const struct thread *thread);
void follow_process_read_name(const struct follow *follow,
			      struct process *process);

/* Gives a thread the name of its process, until its own name is read. */
void follow_thread_inherit_name(const struct thread *thread);

/* Detaches the context, saves its results, and returns it to the pool. */
void follow_thread_finish(struct follow *follow, struct thread *thread);
/* Calls follow_thread_finish() if the END message has been read. */
void follow_thread_finish_if_ended(struct follow *follow,
				   struct thread *thread);

#endif /* PFMON_MEASURE_FOLLOW_THREAD_H */
