// SPDX-License-Identifier: MIT OR GPL-2.0
/* measure_thread.c - measures a command's first thread, or a running thread */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "capture_json.h"
#include "command.h"
#include "context.h"
#include "measure.h"
#include "recording.h"
#include "report.h"
#include "stream.h"
#include "util.h"

/* Between a thread's end and its END message lies no work that takes long. */
#define END_TIMEOUT_MS	5000

struct measurement {
	const struct options *options;
	struct waiter *waiter;
	struct session session;
	struct context context;
	struct context *contexts[1];	/* the context, for those who want a list */
	struct recording capture;
	struct recording *recording;	/* the capture; NULL when counting */
	struct stream stream;
	struct command command;
	pid_t tgid;
	bool measuring;			/* the context is attached */
	bool failed;
};

/*
 * Monitoring goes on while what was saved is written. Mappings that have come
 * since stand before the samples, except those of an exec.
 */
static bool handle_overflow(struct measurement *m, bool after_exec)
{
	int saved = context_save_and_restart(&m->context, SMPL_NOTIFIED);

	if (saved < 0)
		return false;
	if (!m->recording)
		return true;
	recording_notification(m->recording);
	return (after_exec || recording_process(m->recording, m->tgid)) &&
	       (!saved || recording_buffer(m->recording, &m->context));
}

static void handle_messages(struct measurement *m, bool after_exec)
{
	int type;

	while (m->measuring && !m->failed) {
		type = context_next_message(&m->context);
		if (!type)
			return;
		if (type == PFM_MSG_END)
			m->measuring = false;
		else if (type < 0 || (type == PFM_MSG_OVFL &&
				      !handle_overflow(m, after_exec)))
			m->failed = true;
	}
}

/*
 * Saves the samples of the program that an exec has just replaced, so that they
 * stand before the new mappings. A restart that no notification asked for
 * empties the buffers of the formats that pfmon knows, or what is in them may be
 * saved again; of others nothing is known.
 */
static bool save_before_exec(struct measurement *m)
{
	int saved;

	handle_messages(m, true);
	if (!m->measuring || !m->session.format.module)
		return !m->failed;
	saved = context_save_and_restart(&m->context, SMPL_EXEC);
	return saved >= 0 &&
	       (!saved || recording_buffer(m->recording, &m->context));
}

static void process_stopped(pid_t pid, bool after_exec, void *data)
{
	struct measurement *m = data;

	if (!m->recording || m->failed)
		return;
	if ((after_exec && !save_before_exec(m)) ||
	    !recording_process(m->recording, pid))
		m->failed = true;
}

/* Ends the measurement early; a command goes on without it. */
static void stop_measuring(struct measurement *m)
{
	if (m->measuring)
		context_unload(&m->context);
	m->measuring = false;
}

static void handle_timeout(struct measurement *m)
{
	if (m->command.pid)
		command_signal(&m->command, SIGTERM);
	else
		stop_measuring(m);
}

static void print_progress(struct measurement *m)
{
	struct totals totals;

	if (m->recording)
		totals = recording_totals(m->recording);
	progress_print(&m->session, m->recording ? &totals : NULL);
}

static bool goes_on(const struct measurement *m)
{
	return m->command.pid ? !m->command.ended : m->measuring;
}

static void run(struct measurement *m)
{
	unsigned int wake;

	while (goes_on(m)) {
		wake = waiter_wait(m->waiter, m->measuring ? m->context.fd : -1);
		if (wake & WAKE_FD)
			handle_messages(m, false);
		if ((wake & WAKE_SIGNAL) &&
		    waiter_handle_signals(m->waiter, &m->command))
			stop_measuring(m);
		if (wake & WAKE_TIMEOUT)
			handle_timeout(m);
		if (wake & WAKE_TICK)
			print_progress(m);
		if (wake & (WAKE_ALARM | WAKE_ERROR))
			m->failed = true;
		if (m->failed)
			stop_measuring(m);
		if (wake & WAKE_ERROR)
			break;
	}
}

/* The command is gone; its END message is there or about to come. */
static void wait_for_end_message(struct measurement *m)
{
	struct pollfd fd = { .fd = m->context.fd, .events = POLLIN };

	while (m->measuring && !m->failed && poll(&fd, 1, END_TIMEOUT_MS) > 0)
		handle_messages(m, false);
	stop_measuring(m);
}

static bool start_recording(struct measurement *m)
{
	if (!m->options->sampling)
		return true;
	if (!stream_open(&m->stream, &m->session.format) ||
	    !recording_open(&m->capture, &m->session))
		return false;
	m->recording = &m->capture;
	return recording_begin(m->recording, &m->session, m->contexts, 1) &&
	       recording_process(m->recording, m->tgid) &&
	       stream_start(&m->stream, m->recording, m->waiter);
}

static bool attach(struct measurement *m, pid_t tid)
{
	m->session.start_ns = clock_ns(CLOCK_REALTIME);
	if (!context_load(&m->context, tid))
		return false;
	m->measuring = true;
	return start_recording(m) && context_start(&m->context) &&
	       waiter_start(m->waiter, m->options->timeout_ns,
			    progress_wanted(m->options));
}

static int finish_recording(struct measurement *m, int exit_status)
{
	struct totals totals;

	if (context_save_rest(&m->context) &&
	    !recording_buffer(m->recording, &m->context))
		m->failed = true;
	if (!stream_finish(&m->stream))
		m->failed = true;
	if (!context_read_counts(&m->context) ||
	    !recording_end(m->recording, &m->session, m->contexts, 1, exit_status))
		m->failed = true;
	totals = recording_totals(m->recording);
	progress_end(m->options);
	report_summary(&m->session, &totals, m->contexts, 1);
	return m->failed;
}

static int finish_counting(struct measurement *m)
{
	progress_end(m->options);
	return !context_read_counts(&m->context) ||
	       !report_counts(&m->session, m->contexts, 1) || m->failed;
}

/* Returns the exit status. */
static int finish(struct measurement *m)
{
	int exit_status = m->command.pid ? command_exit_status(&m->command) :
			  NO_EXIT_STATUS;
	int failed = m->recording ? finish_recording(m, exit_status) :
		     finish_counting(m);

	if (failed)
		return PFMON_EXIT_ERROR;
	return exit_status == NO_EXIT_STATUS ? 0 : exit_status;
}

static int measure_command(struct measurement *m)
{
	m->command.stopped = process_stopped;
	m->command.data = m;
	if (!command_launch(&m->command, m->options->command,
			    &m->waiter->unblocked))
		return PFMON_EXIT_ERROR;
	m->tgid = m->command.pid;
	if (!attach(m, m->command.pid)) {
		command_kill(&m->command);
		return PFMON_EXIT_ERROR;
	}
	command_resume(&m->command);
	run(m);
	command_kill(&m->command);
	wait_for_end_message(m);
	return finish(m);
}

/* The process that a thread belongs to; 0 with a message if there is none. */
static pid_t process_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	size_t length;
	char *text = read_file(path, &length);
	char *line = text ? strstr(text, "\nTgid:") : NULL;
	pid_t tgid = line ? (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10) : 0;

	if (!tgid)
		message("there is no thread %d", tid);
	free(text);
	free(path);
	return tgid;
}

static int measure_running(struct measurement *m)
{
	m->tgid = process_of(m->options->attach);
	if (!m->tgid || !attach(m, m->options->attach))
		return PFMON_EXIT_ERROR;
	run(m);
	if (m->recording && !recording_process(m->recording, m->tgid))
		m->failed = true;
	return finish(m);
}

static int measure(struct measurement *m)
{
	int status;

	if (!context_open(&m->context, &m->session, 0, NO_CPU))
		return PFMON_EXIT_ERROR;
	m->contexts[0] = &m->context;
	status = m->options->attach ? measure_running(m) : measure_command(m);
	stream_close(&m->stream);
	if (m->recording && !recording_close(m->recording))
		status = PFMON_EXIT_ERROR;
	context_close(&m->context);
	return status;
}

int measure_thread(const struct options *options, struct waiter *waiter)
{
	struct measurement m = { .options = options, .waiter = waiter };
	int status;

	if (!session_init(&m.session, options))
		return PFMON_EXIT_ERROR;
	status = measure(&m);
	session_free(&m.session);
	return status;
}
