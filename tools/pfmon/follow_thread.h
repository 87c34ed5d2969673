/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_thread.h - one thread that is followed, and its context */
#ifndef PFMON_FOLLOW_THREAD_H
#define PFMON_FOLLOW_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "follow.h"
#include "formats/format.h"

struct process {
	struct pid_entry entry;
	char comm[COMM_LENGTH];	/* that of a new one is its parent's; or "" */
	unsigned int threads;
	unsigned int leaving;	/* of them, those that exit */
	bool measured;
	bool examined;		/* since its exec, when a thread left */
};

struct thread {
	struct pid_entry entry;
	struct process *process;
	struct context *context;	/* NULL if it is not measured */
	bool loaded;			/* and neither unloaded nor ended */
	bool watched;			/* messages of its context */
	bool leaving;
};

/* What cannot be made good ends the measurement. */
void follow_fail(struct follow *follow);

/* Puts its mappings into the capture, before anything of it. */
void follow_process_record(struct follow *follow,
			   const struct process *process);

void follow_process_remove(struct follow *follow, struct process *process);

/* A new thread, of a process that may be new, too. */
struct thread *follow_thread_add(struct follow *follow, pid_t tid, pid_t tgid);

/* Takes out a thread without a context, and the process with its last one. */
void follow_thread_remove(struct follow *follow, struct thread *thread);

/*
 * Attaches a context, at the start; false with a message if that failed, and
 * with another one or none if the thread has ended.
 */
bool follow_thread_load(struct follow *follow, struct thread *thread);

/*
 * Attaches a context and starts it, if all are started. A thread that cannot be
 * measured goes on all the same, and is counted.
 */
void follow_thread_begin(struct follow *follow, struct thread *thread);

/* False with a message; a thread that has ended is no failure. */
bool follow_thread_start(struct thread *thread);

/* Reads what its context has to say. */
void follow_thread_handle(struct follow *follow, struct thread *thread);

/* Saves what there is although the buffer is not full; false on a failure. */
bool follow_thread_save(struct follow *follow, struct thread *thread,
			enum smpl_moment moment);

/*
 * Saves the samples of the program that an exec has just replaced, so that they
 * come before the new mappings; false on a failure.
 */
bool follow_thread_save_before_exec(struct follow *follow,
				    struct thread *thread);

/* Reads the name of a thread that still exists, if it is going to be shown. */
void follow_thread_read_name(const struct follow *follow,
			     const struct thread *thread);
void follow_process_read_name(const struct follow *follow,
			      struct process *process);

/* It has the name of its process until its own is read. */
void follow_thread_inherit_name(const struct thread *thread);

/* Detaches the context, takes all that it has, and gives it back. */
void follow_thread_finish(struct follow *follow, struct thread *thread);
/* If its END message has been read. */
void follow_thread_finish_if_ended(struct follow *follow,
				   struct thread *thread);

#endif /* PFMON_FOLLOW_THREAD_H */
