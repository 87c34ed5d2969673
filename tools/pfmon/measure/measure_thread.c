// SPDX-License-Identifier: MIT OR GPL-2.0
/* measure_thread.c - measure threads of a command or of a running process */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/program_path.h"
#include "base/util.h"
#include "capture/recording_processes.h"
#include "measure/follow.h"
#include "measure/measure.h"
#include "process/attach.h"
#include "process/entry_stop.h"
#include "process/trigger.h"

struct session {
	struct measurement m;
	struct follow follow;
	struct breakpoints triggers;
	pid_t tgid;		/* the first process */
	bool over;		/* measuring ended before the command */
	bool timed_out;
};

static unsigned int trace_flags(const struct options *options)
{
	static const struct {
		unsigned int follow, trace;
	} map[] = {
		{ FOLLOW_FORK,		TRACE_FORK },
		{ FOLLOW_VFORK,		TRACE_VFORK },
		{ FOLLOW_PTHREAD,	TRACE_CLONE },
	};
	unsigned int flags = options->command ? TRACE_KILL : TRACE_CLONE;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (options->follow & map[i].follow)
			flags |= map[i].trace;
	}
	/* Samples and names must be read before a thread exits. */
	if (options->sampling || options->aggregation == AGGREGATE_THREAD ||
	    options->aggregation == AGGREGATE_PROCESS)
		flags |= TRACE_EXIT;
	return flags;
}

static void handle_timeout(struct session *session)
{
	session->timed_out = true;
	command_signal(&session->m.command, SIGTERM);
}

static void begin_late(struct session *session)
{
	if (!follow_start(&session->follow))
		session->m.failed = true;
}

static void take_snapshot(struct session *session)
{
	if (!session->m.failed &&
	    !follow_snapshot(&session->follow, session->tgid))
		session->m.failed = true;
}

/* Refreshes the live view. */
static void refresh(struct session *session)
{
	if (!session->m.failed && !follow_refresh(&session->follow))
		session->m.failed = true;
}

/* Ends measuring; the command continues. */
static void end_duration(struct session *session)
{
	if (session->m.recording && !recording_has_events(session->m.recording))
		follow_record(&session->follow);
	follow_end(&session->follow);
	command_detach(&session->m.command);
	session->over = true;
}

static void print_progress(struct session *session)
{
	follow_list(&session->follow);
	measurement_print_progress(&session->m);
	follow_unlist(&session->follow);
}

static void handle_signals(struct session *session)
{
	unsigned int wishes;

	if (session->m.plan.untraced)
		follow_read_first_name(&session->follow);
	wishes = waiter_handle_signals(session->m.waiter, &session->m.command);
	if (wishes & WISH_END)
		follow_end(&session->follow);
	if (wishes & WISH_BEGIN)
		begin_late(session);
	if (wishes & WISH_SNAPSHOT)
		take_snapshot(session);
}

/* Executes a command from --control; returns false if the session is over. */
static bool obey(enum control_command command, const char *argument, void *data)
{
	struct session *session = data;

	switch (command) {
	case CONTROL_ENABLE:
		begin_late(session);
		break;
	case CONTROL_SET:
		follow_set(&session->follow, argument);
		break;
	case CONTROL_SNAPSHOT:
		take_snapshot(session);
		break;
	case CONTROL_STOP:
		end_duration(session);
		break;
	case CONTROL_NONE:
		break;
	}
	return !session->over;
}

static void handle_timers(struct session *session, unsigned int wake)
{
	if (wake & WAKE_TIMER(TIMER_TIMEOUT))
		handle_timeout(session);
	if (wake & WAKE_TIMER(TIMER_DELAY))
		begin_late(session);
	if (wake & WAKE_TIMER(TIMER_DURATION))
		end_duration(session);
	if (wake & WAKE_TIMER(TIMER_PROGRESS))
		print_progress(session);
	if (wake & WAKE_TIMER(TIMER_SNAPSHOT))
		take_snapshot(session);
	if (wake & WAKE_TIMER(TIMER_REFRESH))
		refresh(session);
	if (wake & WAKE_TIMER(TIMER_RECORDS))
		follow_read_records(&session->follow);
	if ((wake & WAKE_TIMER(TIMER_LOOK)) && !session->m.failed &&
	    !follow_look(&session->follow))
		session->m.failed = true;
}

static bool goes_on(struct session *session)
{
	const struct command *command = &session->m.command;

	if (session->over)
		return false;
	if (command->pid && !command->ended)
		return true;
	return !session->timed_out && follow_has_company(&session->follow);
}

static void run(struct session *session)
{
	struct measurement *m = &session->m;
	unsigned int wake;

	while (goes_on(session)) {
		wake = waiter_wait(m->waiter, session->follow.epoll_fd);
		if (wake & WAKE_SIGNAL)
			handle_signals(session);
		if (wake & WAKE_FD)
			follow_serve(&session->follow);
		if ((wake & WAKE_CONTROL) && !session->over)
			control_serve(session->m.waiter->control, obey,
				      session);
		handle_timers(session, wake);
		if (wake & WAKE_UNWATCHED)
			handle_timeout(session);
		if (wake & (WAKE_ALARM | WAKE_ERROR))
			m->failed = true;
		if (m->failed)
			follow_end(&session->follow);
		if (wake & WAKE_ERROR)
			break;
	}
}

/* Records the clocks. All contexts have been finished already. */
static bool complete(struct measurement *m)
{
	return !m->recording || measurement_record_clocks(m, NO_CPU);
}

/* Returns the exit status. */
static int finish(struct session *session)
{
	int status;

	follow_end(&session->follow);
	command_detach(&session->m.command);
	status = measurement_finish(&session->m, complete);
	follow_report(&session->follow);
	return status;
}

static bool has_trigger(const struct session *session)
{
	const struct options *options = session->m.options;

	return options->trigger_start || options->trigger_stop;
}

/*
 * Returns whether programs stop at their entry point. They do not if there are
 * triggers, which need the same hardware breakpoints.
 */
static bool stops_at_entry(const struct session *session)
{
	return session->m.plan.format.tables && !has_trigger(session) &&
	       !session->m.plan.untraced;
}

static bool arm_program(struct session *session, pid_t tid)
{
	if (stops_at_entry(session))
		entry_stop_arm(tid);
	return !has_trigger(session) ||
	       trigger_arm(&session->triggers, session->m.options, tid);
}

/*
 * Handles an event of the command's trace. A program that does not contain the
 * function or address of a trigger does not start or stop measuring.
 */
static void handle(const struct trace_event *event, void *data)
{
	struct session *session = data;

	follow_handle(event, &session->follow);
	if (event->what == TRACE_EXECED &&
	    (has_trigger(session) ||
	     follow_measures(&session->follow, event->tgid)))
		arm_program(session, event->tid);
}

static bool apply(struct session *session, enum trigger_effect effect)
{
	struct follow *follow = &session->follow;

	if (effect == TRIGGER_START)
		return follow_start(follow) && follow_go_on(follow);
	return effect != TRIGGER_STOP || follow_pause(follow);
}

static enum trace_way handle_stop(pid_t tid, int signal, void *data)
{
	struct session *session = data;
	enum trace_way way;
	enum trigger_effect effect;

	if (stops_at_entry(session) && entry_stop_reached(tid, signal)) {
		follow_look_for_code_of(&session->follow, tid);
		return TRACE_WITHOUT;
	}
	effect = trigger_of(&session->triggers, tid, signal, &way);
	if (!apply(session, effect))
		session->m.failed = true;
	return way;
}

static bool arm(struct session *session)
{
	struct command *command = &session->m.command;

	command->trace.stopped = handle_stop;
	command->trace.stopped_data = session;
	if (stops_at_entry(session))
		command->trace.release = entry_stop_release;
	return arm_program(session, command->pid);
}

/*
 * Loads the unwind table of the first program. The tables of libraries and of
 * other programs are loaded while the command runs.
 */
static void load_table(const struct session *session)
{
	char *path;

	if (!session->m.plan.untraced || !session->m.recording)
		return;
	path = program_path(session->m.options->command[0]);
	if (path)
		recording_program(session->m.recording, path);
	free(path);
}

/* Prepares the command, which is waiting. */
static bool prepare(struct session *session)
{
	struct command *command = &session->m.command;

	command->handle = handle;
	command->data = session;
	session->tgid = command->pid;
	if ((has_trigger(session) || stops_at_entry(session)) && !arm(session))
		return false;
	if (!follow_begin(&session->follow, command->pid, &command->pid, 1))
		return false;
	load_table(session);
	return true;
}

/*
 * Starts the command, which then waits before its exec or, if pfmon traces it,
 * after its exec.
 */
static bool launch(struct session *session)
{
	char **argv = session->m.options->command;
	const sigset_t *unblocked = &session->m.waiter->unblocked;

	return session->m.plan.untraced ?
		       command_fork(&session->m.command, argv, unblocked) :
		       command_launch(&session->m.command, argv, unblocked);
}

static bool let_go_on(struct session *session)
{
	struct command *command = &session->m.command;

	if (session->m.plan.untraced)
		return command_exec(command);
	command_resume(command);
	return true;
}

static bool has_executed(struct session *session)
{
	return !session->m.plan.untraced ||
	       command_executed(&session->m.command,
				session->m.options->command[0]);
}

static int measure_command(struct session *session)
{
	struct command *command = &session->m.command;
	bool executed;

	if (!launch(session))
		return PFMON_EXIT_ERROR;
	if (!prepare(session) || !let_go_on(session)) {
		command_kill(command);
		return PFMON_EXIT_ERROR;
	}
	run(session);
	executed = has_executed(session);
	if (!session->over)
		command_kill(command);
	return executed ? finish(session) : PFMON_EXIT_ERROR;
}

/* Measures threads of a process that pfmon did not start. */
static int measure_running(struct session *session, pid_t *tids,
			   unsigned int count)
{
	session->m.command.handle = follow_handle;
	session->m.command.data = &session->follow;
	if (!follow_begin(&session->follow, session->tgid, tids, count)) {
		trace_detach(&session->m.command.trace);
		return PFMON_EXIT_ERROR;
	}
	run(session);
	if (session->m.recording &&
	    !recording_new_processes(session->m.recording, session->tgid))
		session->m.failed = true;
	return finish(session);
}

static int measure_task(struct session *session)
{
	pid_t tid = session->m.options->attach;

	session->tgid = attach_process_of(tid);
	return session->tgid ? measure_running(session, &tid, 1) :
			       PFMON_EXIT_ERROR;
}

static int measure_process(struct session *session)
{
	unsigned int count;
	pid_t *tids;
	int status;

	session->tgid = session->m.options->attach_process;
	tids = attach_to_all(&session->m.command.trace, session->tgid, &count);
	if (!tids)
		return PFMON_EXIT_ERROR;
	status = measure_running(session, tids, count);
	free(tids);
	return status;
}

static int measure(struct session *session)
{
	const struct options *options = session->m.options;
	int status;

	if (!follow_init(&session->follow, &session->m))
		return PFMON_EXIT_ERROR;
	command_init(&session->m.command, trace_flags(options));
	status = options->attach ? measure_task(session) :
		 options->attach_process ? measure_process(session) :
		 measure_command(session);
	if (!measurement_close(&session->m))
		status = PFMON_EXIT_ERROR;
	follow_free(&session->follow);
	session->m.command.handle = NULL;
	if (session->over)
		status = measurement_await_command(&session->m, status);
	trace_free(&session->m.command.trace);
	return status;
}

int measure_thread(const struct options *options, struct waiter *waiter,
		   struct counting *counting)
{
	struct session session = { .m = { .options = options,
					  .waiter = waiter,
					  .counting = counting } };
	int status;

	if (!measurement_init(&session.m))
		return PFMON_EXIT_ERROR;
	status = measure(&session);
	measurement_free(&session.m);
	return status;
}
