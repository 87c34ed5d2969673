// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow_events.c - handle ptrace events of followed threads and processes */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "capture/recording_processes.h"
#include "measure/follow.h"
#include "measure/follow_thread.h"
#include "measure/follow_watch.h"
#include "measure/programs.h"
#include "stacks/table_set.h"

static bool wants(const struct follow *follow, const struct process *process)
{
	return process->measured && !follow->ended && !follow->m->failed;
}

bool follow_measures(const struct follow *follow, pid_t tgid)
{
	const struct process *process = pid_table_find(&follow->processes,
						       tgid);

	return process && wants(follow, process);
}

/*
 * Adds a process as soon as its parent has created it. The process gets its
 * name, and whether it is measured, from the parent, which may have ended
 * already when the process begins to run.
 */
static void made(struct follow *follow, const struct trace_event *event)
{
	struct process *parent = pid_table_find(&follow->processes,
						event->parent);
	struct process *process;

	if (pid_table_find(&follow->processes, event->tgid))
		return;
	process = pid_table_get(&follow->processes, event->tgid,
				sizeof(*process));
	process->measured = !parent || parent->measured;
	if (parent)
		memcpy(process->comm, parent->comm, sizeof(process->comm));
}

static void born(struct follow *follow, const struct trace_event *event)
{
	struct table_set *tables = follow->m->plan.format.tables;
	struct thread *thread;
	struct process *process;

	/* An untraced command stops for pfmon if it calls PTRACE_TRACEME. */
	if (pid_table_find(&follow->threads, event->tid))
		return;
	made(follow, event);
	thread = follow_thread_add(follow, event->tid, event->tgid);
	process = thread->process;
	if (!wants(follow, process))
		return;
	if (process->threads == 1 && follow_reads_proc(follow))
		follow_process_record(follow, process);
	/*
	 * Make the kernel look up the stack of a new thread, or the mappings of
	 * a new process.
	 */
	if (table_set_looks_up(tables)) {
		table_set_changed(tables, event->tgid);
		table_set_load(tables);
	}
	follow_thread_begin(follow, thread);
}

/* At an exec, the thread that calls it gets the ID of its process. */
static void rename_thread(struct follow *follow, struct thread *thread,
			  pid_t tid)
{
	if (tid == thread->entry.pid)
		return;
	pid_table_rename(&follow->threads, &thread->entry, tid);
	if (thread->watched && !follow_watch_renamed(follow, thread))
		follow_fail(follow);
}

static void execed(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->former);
	struct process *process;

	if (!thread)
		return;
	rename_thread(follow, thread, event->tid);
	process = thread->process;
	if (thread->context && follow_reads_proc(follow) &&
	    !follow_thread_save_before_exec(follow, thread))
		follow_fail(follow);
	process->measured = programs_choose(follow->m->options, event->tgid);
	process->examined = false;
	if (!wants(follow, process)) {
		follow_thread_finish(follow, thread);
		return;
	}
	if (follow_reads_proc(follow))
		follow_process_record(follow, process);
	follow_look_for_code_of(follow, event->tgid);
	follow_process_read_name(follow, process);
	if (!thread->context)
		follow_thread_begin(follow, thread);
	else
		follow_thread_inherit_name(thread);
}

/*
 * Returns whether this may be the last exit that is reported for the process.
 * If one thread ends the whole process, the kernel kills the other threads, and
 * their exits may not be reported. Therefore also returns true for the exit of
 * the main thread, and for the first exit since the last exec, even if other
 * threads still exist.
 */
static bool may_be_last(const struct process *process,
			const struct trace_event *event)
{
	return process->leaving >= process->threads ||
	       event->tid == event->tgid || !process->examined;
}

/* Records the whole process if it may end now, otherwise only the thread. */
static void record_exiting(struct follow *follow, struct process *process,
			   const struct trace_event *event)
{
	struct recording *recording = follow->m->recording;
	bool ok = true;

	if (may_be_last(process, event)) {
		process->examined = true;
		if (follow_reads_proc(follow))
			follow_process_record(follow, process);
		else
			ok = recording_last_of_process(recording, event->tgid);
	} else if (follow_reads_proc(follow)) {
		ok = recording_thread(recording, event->tgid, event->tid);
	}
	if (!ok)
		follow_fail(follow);
}

static void exiting(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->tid);
	struct process *process;

	if (!thread || !thread->context)
		return;
	process = thread->process;
	process->leaving += !thread->leaving;
	thread->leaving = true;
	follow_thread_read_name(follow, thread);
	if (follow->m->recording)
		record_exiting(follow, process, event);
}

/* Removes a process that was killed before any of its threads ran. */
static void forget_unborn(struct follow *follow, pid_t tgid)
{
	struct process *process = pid_table_find(&follow->processes, tgid);

	if (process && !process->threads)
		follow_process_remove(follow, process);
}

/*
 * Handles the end of a thread. Reads the messages of its context only when
 * recording, because a context that only counts sends just one message: that it
 * was detached.
 */
static void gone(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->tid);

	if (!thread) {
		forget_unborn(follow, event->tgid);
		return;
	}
	if (follow->m->recording)
		follow_thread_handle(follow, thread);
	/*
	 * The end of the thread has detached its context, unless children
	 * inherit the context: then the context is still attached.
	 */
	if (thread->context)
		thread->loaded = context_has_family(thread->context);
	follow_thread_finish(follow, thread);
	follow_thread_remove(follow, thread);
}

void follow_handle(const struct trace_event *event, void *data)
{
	switch (event->what) {
	case TRACE_MADE:
		made(data, event);
		break;
	case TRACE_BORN:
		born(data, event);
		break;
	case TRACE_EXECED:
		execed(data, event);
		break;
	case TRACE_EXITING:
		exiting(data, event);
		break;
	case TRACE_GONE:
		gone(data, event);
		break;
	}
}
