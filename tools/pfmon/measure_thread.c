// SPDX-License-Identifier: MIT OR GPL-2.0
/* measure_thread.c - measures a command's first thread, or a running thread */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "frequency.h"
#include "measure.h"
#include "util.h"

/* No lengthy work lies between a thread's end and its END message. */
#define END_TIMEOUT_MS	5000

struct thread {
	struct measurement m;
	struct context context;
	struct context *contexts[1];	/* the context, as a list */
	pid_t tgid;
	bool loaded;			/* and neither unloaded nor ended */
	bool over;			/* it ends before the command */
};

/*
 * Monitoring goes on while what was saved is written. Mappings that are new
 * come before the samples, except those of an exec.
 */
static bool handle_overflow(struct thread *thread, bool after_exec)
{
	struct recording *recording = thread->m.recording;
	int saved = context_save_and_restart(&thread->context, SMPL_NOTIFIED);

	if (saved < 0)
		return false;
	if (!recording)
		return true;
	recording_notification(recording);
	return (after_exec ||
		recording_new_of_process(recording, thread->tgid)) &&
	       (!saved || recording_buffer(recording, &thread->context));
}

static void handle_messages(struct thread *thread, bool after_exec)
{
	int type;

	while (thread->loaded && !thread->m.failed) {
		type = context_next_message(&thread->context);
		if (!type)
			return;
		if (type == PFM_MSG_END)
			thread->loaded = false;
		else if (type < 0 || (type == PFM_MSG_OVFL &&
				      !handle_overflow(thread, after_exec)))
			thread->m.failed = true;
	}
}

/*
 * Saves the samples of the program that an exec has just replaced, so that they
 * come before the new mappings. A restart that no notification asked for
 * empties the buffers whose layout is known, or what is in them may be saved
 * again; of others nothing is known.
 */
static bool save_before_exec(struct thread *thread)
{
	int saved;

	handle_messages(thread, true);
	if (!thread->loaded || !thread->context.layout)
		return !thread->m.failed;
	saved = context_save_and_restart(&thread->context, SMPL_EXEC);
	return !saved || (saved > 0 && recording_buffer(thread->m.recording,
							&thread->context));
}

/* Saves what there is although the buffer is not full. */
static bool save_now(struct thread *thread, enum smpl_moment moment)
{
	struct context *context = &thread->context;
	struct recording *recording = thread->m.recording;
	int saved = 0;

	if (!recording)
		return true;
	if (!context_pause(context))
		return false;
	handle_messages(thread, false);
	if (thread->loaded && context->layout)
		saved = context_save_and_restart(context, moment);
	if (saved < 0 || !context_go_on(context))
		return false;
	return !saved || (recording_new_of_process(recording, thread->tgid) &&
			  recording_buffer(recording, context));
}

static void take_snapshot(struct thread *thread)
{
	if (!thread->loaded || thread->m.failed)
		return;
	if (!save_now(thread, SMPL_NOTIFIED) ||
	    !context_read_counts(&thread->context) ||
	    !measurement_snapshot(&thread->m, thread->tgid))
		thread->m.failed = true;
}

/* Who watches sees what there is. */
static void refresh(struct thread *thread)
{
	if (!thread->loaded || thread->m.failed)
		return;
	if (!save_now(thread, SMPL_EXEC) || !measurement_refresh(&thread->m))
		thread->m.failed = true;
}

static void process_stopped(pid_t pid, bool after_exec, void *data)
{
	struct thread *thread = data;

	if (!thread->m.recording || thread->m.failed)
		return;
	if ((after_exec && !save_before_exec(thread)) ||
	    !recording_process(thread->m.recording, pid))
		thread->m.failed = true;
}

/* Ends the measurement early; a command goes on without it. */
static void stop_measuring(struct thread *thread)
{
	if (thread->loaded)
		context_unload(&thread->context);
	thread->loaded = false;
}

static void handle_timeout(struct thread *thread)
{
	if (thread->m.command.pid)
		command_signal(&thread->m.command, SIGTERM);
	else
		stop_measuring(thread);
}

static bool begin(struct thread *thread)
{
	return thread->context.started ||
	       (context_start(&thread->context) &&
		measurement_has_begun(&thread->m));
}

static void begin_late(struct thread *thread)
{
	if (thread->loaded && !begin(thread))
		thread->m.failed = true;
}

/* The command goes on, but measuring it does not. */
static void end_duration(struct thread *thread)
{
	stop_measuring(thread);
	if (thread->m.recording &&
	    !recording_process(thread->m.recording, thread->tgid))
		thread->m.failed = true;
	command_detach(&thread->m.command);
	thread->over = true;
}

static void handle_signals(struct thread *thread)
{
	unsigned int wishes = waiter_handle_signals(thread->m.waiter,
						    &thread->m.command);

	if (wishes & WISH_END)
		stop_measuring(thread);
	if (wishes & WISH_BEGIN)
		begin_late(thread);
	if (wishes & WISH_SNAPSHOT)
		take_snapshot(thread);
}

static void handle_timers(struct thread *thread, unsigned int wake)
{
	if (wake & WAKE_TIMER(TIMER_TIMEOUT))
		handle_timeout(thread);
	if (wake & WAKE_TIMER(TIMER_DELAY))
		begin_late(thread);
	if (wake & WAKE_TIMER(TIMER_DURATION))
		end_duration(thread);
	if (wake & WAKE_TIMER(TIMER_PROGRESS))
		measurement_print_progress(&thread->m);
	if (wake & WAKE_TIMER(TIMER_SNAPSHOT))
		take_snapshot(thread);
	if (wake & WAKE_TIMER(TIMER_REFRESH))
		refresh(thread);
	if ((wake & WAKE_TIMER(TIMER_LOOK)) && thread->loaded &&
	    !frequency_look(&thread->context))
		thread->m.failed = true;
}

static bool goes_on(const struct thread *thread)
{
	if (thread->over)
		return false;
	return thread->m.command.pid ? !thread->m.command.ended :
				       thread->loaded;
}

static void run(struct thread *thread)
{
	struct measurement *m = &thread->m;
	unsigned int wake;

	while (goes_on(thread)) {
		wake = waiter_wait(m->waiter,
				   thread->loaded ? thread->context.fd : -1);
		if (wake & WAKE_FD)
			handle_messages(thread, false);
		if (wake & WAKE_SIGNAL)
			handle_signals(thread);
		handle_timers(thread, wake);
		if (wake & WAKE_UNWATCHED)
			handle_timeout(thread);
		if (wake & (WAKE_ALARM | WAKE_ERROR))
			m->failed = true;
		if (m->failed)
			stop_measuring(thread);
		if (wake & WAKE_ERROR)
			break;
	}
}

/* The command is gone; its END message is there or about to come. */
static void wait_for_end_message(struct thread *thread)
{
	struct pollfd fd = { .fd = thread->context.fd, .events = POLLIN };

	while (thread->loaded && !thread->m.failed &&
	       poll(&fd, 1, END_TIMEOUT_MS) > 0)
		handle_messages(thread, false);
	stop_measuring(thread);
}

static bool load_and_start(struct thread *thread, pid_t tid)
{
	thread->m.plan.start_ns = clock_ns(CLOCK_REALTIME);
	if (!context_load(&thread->context, tid))
		return false;
	thread->loaded = true;
	thread->m.start = clocks_read(NO_CPU);
	return measurement_start_recording(&thread->m, thread->tgid) &&
	       (measurement_waits(&thread->m) || begin(thread)) &&
	       waiter_start_ticking(thread->m.waiter, TIMER_LOOK,
				    thread->context.frequency ?
				    FREQUENCY_LOOK_NS : 0) &&
	       measurement_start_time(&thread->m);
}

static bool read_counts(struct measurement *m)
{
	return context_read_counts(m->contexts[0]);
}

/* Returns the exit status. */
static int finish(struct thread *thread)
{
	struct recording *recording = thread->m.recording;

	if (recording && context_save_rest(&thread->context) &&
	    !recording_buffer(recording, &thread->context))
		thread->m.failed = true;
	if (recording && !measurement_record_clocks(&thread->m, NO_CPU))
		thread->m.failed = true;
	return measurement_finish(&thread->m, read_counts);
}

static int measure_command(struct thread *thread)
{
	struct command *command = &thread->m.command;

	command->stopped = process_stopped;
	command->data = thread;
	if (!command_launch(command, thread->m.options->command,
			    &thread->m.waiter->unblocked))
		return PFMON_EXIT_ERROR;
	thread->tgid = command->pid;
	if (!load_and_start(thread, command->pid)) {
		command_kill(command);
		return PFMON_EXIT_ERROR;
	}
	command_resume(command);
	run(thread);
	if (!thread->over)
		command_kill(command);
	wait_for_end_message(thread);
	return finish(thread);
}

/* The process that a thread belongs to; 0 with a message if there is none. */
static pid_t process_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	size_t length;
	char *text = read_file(path, &length);
	char *line = text ? strstr(text, "\nTgid:") : NULL;
	pid_t tgid = 0;

	if (line)
		tgid = (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10);
	if (!tgid)
		message("there is no thread %d; ps -eL prints all", tid);
	free(text);
	free(path);
	return tgid;
}

static int measure_running(struct thread *thread)
{
	pid_t tid = thread->m.options->attach;

	thread->tgid = process_of(tid);
	if (!thread->tgid || !load_and_start(thread, tid))
		return PFMON_EXIT_ERROR;
	run(thread);
	if (thread->m.recording &&
	    !recording_process(thread->m.recording, thread->tgid))
		thread->m.failed = true;
	return finish(thread);
}

static int measure(struct thread *thread)
{
	int status;

	if (!context_open(&thread->context, &thread->m.plan, 0, NO_CPU))
		return PFMON_EXIT_ERROR;
	thread->contexts[0] = &thread->context;
	thread->m.contexts = thread->contexts;
	thread->m.count = 1;
	status = thread->m.options->attach ? measure_running(thread) :
		 measure_command(thread);
	if (!measurement_close(&thread->m))
		status = PFMON_EXIT_ERROR;
	context_close(&thread->context);
	if (thread->over)
		status = measurement_await_command(&thread->m, status);
	return status;
}

int measure_thread(const struct options *options, struct waiter *waiter,
		   struct counting *counting)
{
	struct thread thread = { .m = { .options = options,
					.waiter = waiter,
					.counting = counting } };
	int status;

	if (!measurement_init(&thread.m))
		return PFMON_EXIT_ERROR;
	status = measure(&thread);
	measurement_free(&thread.m);
	return status;
}
