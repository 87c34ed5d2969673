// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow_thread.c - one followed thread and its context */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/recording_processes.h"
#include "capture/recording_totals.h"
#include "measure/follow_thread.h"
#include "measure/follow_watch.h"
#include "session/evtset.h"
#include "session/lifetime.h"
#include "session/saving.h"

/*
 * Number of messages to handle before signals and timers are checked. Threads
 * on other CPUs may fill the buffers of a shared context as fast as pfmon saves
 * them, so that pfmon would never run out of messages.
 */
#define MOST_MESSAGES	64

void follow_fail(struct follow *follow)
{
	follow->m->failed = true;
}

bool follow_reads_proc(const struct follow *follow)
{
	const struct recording *recording = follow->m->recording;

	return recording && !recording_has_events(recording);
}

struct thread *follow_thread_add(struct follow *follow, pid_t tid, pid_t tgid)
{
	struct thread *thread = pid_table_get(&follow->threads, tid,
					      sizeof(*thread));

	thread->process = pid_table_get(&follow->processes, tgid,
					sizeof(*thread->process));
	thread->process->threads++;
	return thread;
}

/*
 * Returns whether the process certainly has only one thread: pfmon follows new
 * threads, and knows of only one.
 */
static bool has_one_thread(const struct follow *follow,
			   const struct process *process)
{
	return process->threads == 1 &&
	       follow->m->command.trace.flags & TRACE_CLONE;
}

void follow_process_record(struct follow *follow, const struct process *process)
{
	struct recording *recording = follow->m->recording;
	pid_t tgid = process->entry.pid;
	bool ok = true;

	if (recording && has_one_thread(follow, process))
		ok = recording_process_of_one(recording, tgid);
	else if (recording)
		ok = recording_process(recording, tgid);
	if (!ok)
		follow_fail(follow);
}

void follow_process_remove(struct follow *follow, struct process *process)
{
	if (follow->m->recording)
		recording_forget_process(follow->m->recording,
					 process->entry.pid);
	results_forget_process(&follow->m->results, process->entry.pid);
	pid_table_remove(&follow->processes, &process->entry);
	free(process);
}

void follow_thread_remove(struct follow *follow, struct thread *thread)
{
	struct process *process = thread->process;

	if (follow->m->recording)
		recording_forget_thread(follow->m->recording,
					thread->entry.pid);
	process->leaving -= thread->leaving;
	if (!--process->threads)
		follow_process_remove(follow, process);
	pid_table_remove(&follow->threads, &thread->entry);
	free(thread);
}

/* Returns whether waitpid() reports the thread's end. */
static bool is_awaited(const struct follow *follow, pid_t tid)
{
	const struct command *command = &follow->m->command;

	return tid == command->pid ||
	       pid_table_find(&command->trace.tracees, tid);
}

/*
 * Returns whether the thread's name will be printed. When sampling, the capture
 * contains the names. A sum is printed with the first thread's name.
 */
static bool shows_name(const struct follow *follow, pid_t pid)
{
	const struct options *options = follow->m->options;

	return !options->sampling && (pid == follow->first ||
		options->aggregation == AGGREGATE_THREAD ||
		options->aggregation == AGGREGATE_PROCESS);
}

static void read_name(const struct follow *follow, pid_t pid,
		      char name[COMM_LENGTH])
{
	char *comm = shows_name(follow, pid) ? read_comm(pid) : NULL;

	if (comm)
		snprintf(name, COMM_LENGTH, "%s", comm);
	free(comm);
}

void follow_thread_read_name(const struct follow *follow,
			     const struct thread *thread)
{
	read_name(follow, thread->entry.pid, thread->context->result.comm);
}

void follow_process_read_name(const struct follow *follow,
			      struct process *process)
{
	read_name(follow, process->entry.pid, process->comm);
}

void follow_thread_inherit_name(const struct thread *thread)
{
	memcpy(thread->context->result.comm, thread->process->comm,
	       COMM_LENGTH);
}

/*
 * Returns the thread's context to the pool. The context must be detached, and
 * its counts must have been read.
 */
static void give_back(struct follow *follow, struct thread *thread)
{
	if (thread->watched)
		follow_watch_no_more(follow, thread);
	thread->watched = false;
	pool_give_back(&follow->pool, thread->context);
	thread->context = NULL;
}

static void count_unmeasured(struct follow *follow, uint64_t count,
			     const char *reason)
{
	follow->unmeasured += count;
	if (count && !follow->reason)
		follow->reason = checked_strdup(reason ? reason : "");
}

void follow_thread_finish(struct follow *follow, struct thread *thread)
{
	struct recording *recording = follow->m->recording;
	struct context *context = thread->context;

	if (!context)
		return;
	if (thread->loaded)
		context_unload(context);
	thread->loaded = false;
	if (recording && context_save_rest(context) &&
	    !recording_buffer(recording, context))
		follow_fail(follow);
	if (!context_read_counts(context))
		follow_fail(follow);
	count_unmeasured(follow, context->stats.unborn,
			 "they executed programs that gain privileges (such as set-user-ID programs), memory ran out, or the limit perfmon.family_max was reached");
	measurement_add_result(follow->m, context);
	if (recording)
		recording_context_ended(recording, context);
	give_back(follow, thread);
	follow_watch_pool(follow);
}

void follow_thread_finish_if_ended(struct follow *follow, struct thread *thread)
{
	if (!thread->context || thread->loaded)
		return;
	if (!thread->leaving)
		follow_thread_read_name(follow, thread);
	follow_thread_finish(follow, thread);
	if (!is_awaited(follow, thread->entry.pid))
		follow_thread_remove(follow, thread);
}

static bool record_new(const struct follow *follow, const struct thread *thread)
{
	return !follow_reads_proc(follow) ||
	       recording_new_of_process(follow->m->recording,
					thread->process->entry.pid);
}

/*
 * Saves the buffer and restarts monitoring. Then records new mappings and
 * finally the saved samples. After an exec, does not record mappings, because
 * the samples are from the previous program, whose mappings are gone. Returns
 * false on failure.
 */
static bool handle_overflow(struct follow *follow, struct thread *thread,
			    bool after_exec)
{
	struct recording *recording = follow->m->recording;
	int saved = context_handle_overflow(thread->context);

	if (saved < 0)
		return false;
	if (!recording)
		return true;
	recording_notification(recording);
	return (after_exec || record_new(follow, thread)) &&
	       (!saved || recording_buffer(recording, thread->context));
}

/* Handles the next message. Returns false if no message is left. */
static bool handle_message(struct follow *follow, struct thread *thread,
			   bool after_exec)
{
	int type;

	if (!thread->loaded || follow->m->failed)
		return false;
	type = context_next_message(thread->context);
	if (type == PFM_MSG_END)
		thread->loaded = context_has_family(thread->context);
	else if (type < 0 || (type == PFM_MSG_OVFL &&
			      !handle_overflow(follow, thread, after_exec)))
		follow_fail(follow);
	return type;
}

/* Handles all messages of a stopped context. */
static void handle_messages(struct follow *follow, struct thread *thread,
			    bool after_exec)
{
	while (handle_message(follow, thread, after_exec))
		;
}

void follow_thread_handle(struct follow *follow, struct thread *thread)
{
	unsigned int left = MOST_MESSAGES;

	while (left && handle_message(follow, thread, false))
		left--;
}

/*
 * Handles pending messages, then saves the buffer and restarts monitoring. The
 * restart, which no message has asked for, frees the saved samples, so that
 * they are not saved again. If the buffer's layout is not known, only handles
 * the messages.
 */
bool follow_thread_save_before_exec(struct follow *follow,
				    struct thread *thread)
{
	int saved;

	if (!thread->context)
		return true;
	handle_messages(follow, thread, true);
	if (!thread->loaded || !thread->context->buffers.layout)
		return !follow->m->failed;
	saved = context_save_and_restart(thread->context, SMPL_EXEC);
	return !saved || (saved > 0 && recording_buffer(follow->m->recording,
							thread->context));
}

bool follow_thread_save(struct follow *follow, struct thread *thread,
			enum smpl_moment moment)
{
	struct recording *recording = follow->m->recording;
	struct context *context = thread->context;
	int saved = 0;

	if (!recording)
		return true;
	if (!context_pause(context))
		return false;
	handle_messages(follow, thread, false);
	if (thread->loaded && context->buffers.layout)
		saved = context_save_and_restart(context, moment);
	if (saved < 0 || !context_go_on(context))
		return false;
	return !saved || (record_new(follow, thread) &&
			  recording_buffer(recording, context));
}

/*
 * Attaches a context to a stopped or running thread. Returns false, with errno
 * set, on failure.
 */
static bool load(struct follow *follow, struct thread *thread)
{
	struct context *context = thread->context;

	if (!context_load(context, thread->entry.pid))
		return false;
	context->result.tgid = thread->process->entry.pid;
	thread->loaded = true;
	/*
	 * No messages are needed if events are only counted and waitpid()
	 * reports the thread's end.
	 */
	thread->watched = follow->m->options->sampling ||
			  !is_awaited(follow, thread->entry.pid);
	return !thread->watched || follow_watch_thread(follow, thread);
}

/*
 * Returns whether attaching failed with @error because the thread has ended.
 * This is possible even if the thread was stopped: it may have been killed.
 */
static bool has_ended(const struct thread *thread, int error)
{
	return error == ESRCH ||
	       (thread->loaded &&
		context_next_message(thread->context) == PFM_MSG_END);
}

/* Like load(), but if that fails, stores the message in *reason. */
static bool load_quietly(struct follow *follow, struct thread *thread,
			 char **reason)
{
	bool ok;

	message_keep(reason);
	ok = load(follow, thread);
	message_keep(NULL);
	return ok;
}

static bool start_quietly(const struct follow *follow, struct thread *thread,
			  char **reason)
{
	bool ok;

	message_keep(reason);
	ok = command_waits(&follow->m->command) ?
		     context_start_at_exec(thread->context,
					   evtsets_first(thread->context)) :
		     context_start(thread->context);
	message_keep(NULL);
	return ok;
}

bool follow_thread_start(const struct follow *follow, struct thread *thread)
{
	char *reason = NULL;
	bool ok = start_quietly(follow, thread, &reason);

	if (!ok && has_ended(thread, errno)) {
		thread->loaded = false;
		ok = true;
	}
	if (!ok)
		message("%s", reason);
	free(reason);
	return ok;
}

/*
 * Attaches a context and starts it. If writing the capture fails, the whole
 * measurement ends.
 */
static bool load_and_start(struct follow *follow, struct thread *thread,
			   char **reason)
{
	struct recording *recording = follow->m->recording;

	if (!load_quietly(follow, thread, reason))
		return false;
	if (recording && !recording_context(recording, thread->context)) {
		follow_fail(follow);
		return true;
	}
	return !follow->begun || start_quietly(follow, thread, reason);
}

/* Closes a context that may still be attached. */
static void close_context(struct follow *follow, struct thread *thread)
{
	pool_close(&follow->pool, thread->context);
	thread->context = NULL;
	thread->loaded = false;
	thread->watched = false;
}

static bool take_context(struct follow *follow, struct thread *thread)
{
	thread->context = pool_take(&follow->pool);
	if (thread->context)
		follow_thread_inherit_name(thread);
	return thread->context;
}

bool follow_thread_load(struct follow *follow, struct thread *thread)
{
	if (!take_context(follow, thread)) {
		message("%s", follow->pool.reason);
		return false;
	}
	if (load(follow, thread))
		return true;
	close_context(follow, thread);
	return false;
}

void follow_thread_begin(struct follow *follow, struct thread *thread)
{
	char *reason = NULL;
	bool gone;

	take_context(follow, thread);
	follow_watch_pool(follow);
	if (!thread->context) {
		count_unmeasured(follow, 1, follow->pool.reason);
		return;
	}
	if (!load_and_start(follow, thread, &reason)) {
		gone = has_ended(thread, errno);
		close_context(follow, thread);
		if (!gone)
			count_unmeasured(follow, 1, reason);
	}
	free(reason);
}
