// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * measure_cpus.c - measures CPUs, with a context and a thread for each
 *
 * A system-wide context takes its commands on its CPU only, so each is served
 * by a thread that is pinned there. The threads and the main one meet three
 * times: when all contexts are attached, when the capture has its first
 * chunks, and when all CPUs are monitored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture_json.h"
#include "command.h"
#include "context.h"
#include "cpu_list.h"
#include "measure.h"
#include "recording.h"
#include "report.h"
#include "stream.h"
#include "util.h"

struct system;

struct worker {
	struct system *system;
	pthread_t thread;
	struct context context;
	int cpu;
	bool opened;
	bool failed;
};

struct system {
	const struct options *options;
	struct waiter *waiter;
	struct session session;
	struct recording capture;
	struct recording *recording;	/* the capture; NULL when counting */
	struct stream stream;
	struct command command;
	struct worker *workers;
	struct context **contexts;	/* those of the workers */
	unsigned int count;
	pthread_barrier_t barrier;
	bool cancelled;			/* decided between the first two meetings */
	int stop_fd;			/* readable when the workers are to end */
	bool failed;
};

static void meet(struct system *system)
{
	pthread_barrier_wait(&system->barrier);
}

static bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return true;
	message("cannot run on CPU %d: %s; is it online?", cpu, strerror(errno));
	return false;
}

static bool prepare(struct worker *worker)
{
	struct system *system = worker->system;
	unsigned int id = (unsigned int)(worker - system->workers);

	if (!pin(worker->cpu))
		return false;
	worker->opened = context_open(&worker->context, &system->session, id,
				      worker->cpu);
	return worker->opened && context_load(&worker->context, gettid());
}

static bool handle_overflow(struct worker *worker)
{
	struct recording *recording = worker->system->recording;
	int saved = context_save_and_restart(&worker->context,
					     SMPL_NOTIFIED);

	if (saved < 0)
		return false;
	if (!recording)
		return true;
	recording_notification(recording);
	return !saved || recording_buffer(recording, &worker->context);
}

static bool handle_messages(struct worker *worker)
{
	int type;

	while ((type = context_next_message(&worker->context)) > 0) {
		if (type == PFM_MSG_OVFL && !handle_overflow(worker))
			return false;
	}
	return type == 0;
}

/* Serves the context until all are to end; false if it cannot be served. */
static bool serve(struct worker *worker)
{
	struct pollfd fds[] = {
		{ .fd = worker->context.fd, .events = POLLIN },
		{ .fd = worker->system->stop_fd, .events = POLLIN },
	};

	while (!fds[1].revents) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			message("cannot wait: %s", strerror(errno));
			return false;
		}
		if (fds[0].revents && !handle_messages(worker))
			return false;
	}
	return true;
}

/* Detaching and reading, too, happen on the monitored CPU. */
static bool finish_worker(struct worker *worker)
{
	struct recording *recording = worker->system->recording;
	bool ok = true;

	context_unload(&worker->context);
	if (recording && context_save_rest(&worker->context))
		ok = recording_buffer(recording, &worker->context);
	return context_read_counts(&worker->context) && ok;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct system *system = worker->system;

	worker->failed = !prepare(worker);
	meet(system);
	meet(system);
	if (system->cancelled) {
		if (!worker->failed)
			context_unload(&worker->context);
		return NULL;
	}
	worker->failed = !context_start(&worker->context);
	meet(system);
	if (!worker->failed)
		worker->failed = !serve(worker);
	if (worker->failed)
		waiter_alarm(system->waiter);
	if (!finish_worker(worker))
		worker->failed = true;
	return NULL;
}

static void process_stopped(pid_t pid, bool after_exec, void *data)
{
	struct system *system = data;

	(void)after_exec;
	if (system->recording && !recording_process(system->recording, pid))
		system->failed = true;
}

static bool any_failed(const struct system *system)
{
	for (unsigned int i = 0; i < system->count; i++) {
		if (system->workers[i].failed)
			return true;
	}
	return false;
}

static bool start_recording(struct system *system)
{
	if (!system->options->sampling)
		return true;
	if (!stream_open(&system->stream, &system->session.format) ||
	    !recording_open(&system->capture, &system->session))
		return false;
	system->recording = &system->capture;
	return recording_begin(system->recording, &system->session,
			       system->contexts, system->count) &&
	       recording_all_processes(system->recording) &&
	       stream_start(&system->stream, system->recording, system->waiter);
}

static void print_progress(struct system *system)
{
	struct totals totals;

	if (system->recording)
		totals = recording_totals(system->recording);
	progress_print(&system->session, system->recording ? &totals : NULL);
}

/* Returns when the session is to end. */
static void run(struct system *system)
{
	struct command *command = &system->command;
	unsigned int wake;

	while (!command->ended) {
		wake = waiter_wait(system->waiter, -1);
		if ((wake & WAKE_SIGNAL) &&
		    waiter_handle_signals(system->waiter, command))
			return;
		if (wake & (WAKE_ALARM | WAKE_ERROR)) {
			system->failed = true;
			return;
		}
		if (wake & WAKE_TIMEOUT) {
			if (!command->pid)
				return;
			command_signal(command, SIGTERM);
		}
		if (wake & WAKE_TICK)
			print_progress(system);
	}
}

/* Between the first and the second meeting the workers stand still. */
static void measure(struct system *system)
{
	meet(system);
	system->session.start_ns = clock_ns(CLOCK_REALTIME);
	system->cancelled = any_failed(system) || !start_recording(system);
	meet(system);
	if (system->cancelled) {
		system->failed = true;
		return;
	}
	meet(system);
	if (system->command.pid)
		command_resume(&system->command);
	if (waiter_start(system->waiter, system->options->timeout_ns,
			 progress_wanted(system->options)))
		run(system);
	else
		system->failed = true;
	raise_event(system->stop_fd);
}

static void start_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->count; i++) {
		struct worker *worker = &system->workers[i];
		int error = pthread_create(&worker->thread, NULL, work, worker);

		if (error) {
			/* The others wait in vain; the exit ends them. */
			message("cannot start a thread: %s", strerror(error));
			command_kill(&system->command);
			exit(PFMON_EXIT_ERROR);
		}
	}
}

static void join_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->count; i++)
		pthread_join(system->workers[i].thread, NULL);
	if (any_failed(system))
		system->failed = true;
}

static bool report(struct system *system, int exit_status)
{
	struct totals totals;
	bool ok;

	progress_end(system->options);
	if (!system->recording)
		return report_counts(&system->session, system->contexts,
				     system->count);
	ok = stream_finish(&system->stream);
	ok = recording_all_processes(system->recording) &&
	     recording_end(system->recording, &system->session, system->contexts,
			   system->count, exit_status) && ok;
	totals = recording_totals(system->recording);
	report_summary(&system->session, &totals, system->contexts, system->count);
	return ok;
}

static int finish(struct system *system)
{
	int exit_status = NO_EXIT_STATUS;

	if (system->command.pid && system->command.ended)
		exit_status = command_exit_status(&system->command);
	if (system->cancelled)
		return PFMON_EXIT_ERROR;
	if (!report(system, exit_status) || system->failed)
		return PFMON_EXIT_ERROR;
	return exit_status == NO_EXIT_STATUS ? 0 : exit_status;
}

static int measure_with_workers(struct system *system)
{
	int status;

	pthread_barrier_init(&system->barrier, NULL, system->count + 1);
	start_workers(system);
	measure(system);
	join_workers(system);
	if (system->failed)
		command_kill(&system->command);
	status = finish(system);
	pthread_barrier_destroy(&system->barrier);
	return status;
}

static int measure_command(struct system *system)
{
	struct command *command = &system->command;

	command->stopped = process_stopped;
	command->data = system;
	if (system->options->command &&
	    !command_launch(command, system->options->command,
			    &system->waiter->unblocked))
		return PFMON_EXIT_ERROR;
	return measure_with_workers(system);
}

static bool make_workers(struct system *system)
{
	const struct options *options = system->options;
	int *cpus = options->cpus;
	unsigned int count = options->cpu_count;

	if (!cpus && !cpus_online(&cpus, &count)) {
		message("cannot find out which CPUs are online; give them with --cpu-list");
		return false;
	}
	system->count = count;
	system->workers = checked_calloc(count, sizeof(*system->workers));
	system->contexts = checked_calloc(count, sizeof(*system->contexts));
	for (unsigned int i = 0; i < count; i++) {
		system->workers[i].system = system;
		system->workers[i].cpu = cpus[i];
		system->workers[i].context.fd = -1;
		system->contexts[i] = &system->workers[i].context;
	}
	if (cpus != options->cpus)
		free(cpus);
	return true;
}

static void free_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->count; i++) {
		if (system->workers[i].opened)
			context_close(&system->workers[i].context);
	}
	free(system->workers);
	free(system->contexts);
}

static int measure_all(struct system *system)
{
	int status;

	system->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (system->stop_fd < 0) {
		message("cannot make an eventfd: %s", strerror(errno));
		return PFMON_EXIT_ERROR;
	}
	status = measure_command(system);
	stream_close(&system->stream);
	if (system->recording && !recording_close(system->recording))
		status = PFMON_EXIT_ERROR;
	close(system->stop_fd);
	return status;
}

int measure_cpus(const struct options *options, struct waiter *waiter)
{
	struct system system = { .options = options, .waiter = waiter };
	int status = PFMON_EXIT_ERROR;

	if (!session_init(&system.session, options))
		return status;
	if (make_workers(&system)) {
		status = measure_all(&system);
		free_workers(&system);
	}
	session_free(&system.session);
	return status;
}
