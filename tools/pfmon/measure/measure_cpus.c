// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * measure_cpus.c - measure CPUs, each with its own context and worker thread
 *
 * A system-wide context accepts commands only on its CPU. Each context
 * therefore has a worker thread that is pinned to that CPU. The workers and the
 * main thread synchronize four times: when all contexts are attached, when the
 * capture has its first chunks, when all CPUs are monitored, and when no worker
 * serves requests any more. In between, the main thread sends requests to all
 * workers. The worker that is the last to save its context completes the
 * request.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/recording_processes.h"
#include "capture/recording_totals.h"
#include "measure/measure.h"
#include "session/frequency.h"
#include "session/lifetime.h"
#include "session/saving.h"

struct system;

/* Requests to workers. */
#define ASK_BEGIN	0x1
#define ASK_SNAPSHOT	0x2
#define ASK_REFRESH	0x4
#define ASK_END		0x8

/* Requests for which all workers first save their contexts. */
#define ASK_TO_SAVE	(ASK_SNAPSHOT | ASK_REFRESH)

struct worker {
	struct system *system;
	pthread_t thread;
	struct context context;
	int cpu;
	int ask_fd;			/* readable if there are requests */
	atomic_uint asked;		/* pending requests, ASK_* */
	bool opened;
	bool failed;
};

struct system {
	struct measurement m;		/* with the workers' contexts */
	struct worker *workers;		/* array of m.count workers */
	pthread_barrier_t barrier;
	bool cancelled;			/* set before the second meet() */
	bool begun;			/* measuring has been requested */
	atomic_uint wanted;		/* queued requests in ASK_TO_SAVE */
	atomic_uint unsaved;		/* 1 + workers yet to save; 0: idle */
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
	message("cannot run on CPU %d: %s; it may be offline", cpu,
		strerror(errno));
	return false;
}

static bool prepare(struct worker *worker)
{
	struct system *system = worker->system;
	unsigned int id = (unsigned int)(worker - system->workers);

	if (!pin(worker->cpu))
		return false;
	/*
	 * Read the clocks first: clocks_read() loads a context of its own, and
	 * a CPU can have only one context.
	 */
	if (!id && system->m.options->sampling)
		system->m.start = clocks_read(worker->cpu);
	worker->opened = context_open(&worker->context, &system->m.plan, id,
				      worker->cpu);
	return worker->opened && context_load(&worker->context, gettid());
}

static bool handle_overflow(struct worker *worker)
{
	struct recording *recording = worker->system->m.recording;
	int saved = context_handle_overflow(&worker->context);

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

static void ask(struct system *system, unsigned int what)
{
	for (unsigned int i = 0; i < system->m.count; i++) {
		atomic_fetch_or(&system->workers[i].asked, what);
		raise_event(system->workers[i].ask_fd);
	}
}

/*
 * Passes the wanted requests to the workers, unless they are still processing
 * earlier requests. The worker that completes the earlier requests calls this
 * function again.
 */
static void begin_saving(struct system *system)
{
	unsigned int none = 0, wanted;

	while (atomic_load(&system->wanted)) {
		if (!atomic_compare_exchange_strong(&system->unsaved, &none,
						    system->m.count + 1))
			return;
		wanted = atomic_exchange(&system->wanted, 0);
		if (wanted) {
			ask(system, wanted);
			return;
		}
		atomic_store(&system->unsaved, 0);
	}
}

/* Saves the buffer before it is full. */
static bool save_now(struct worker *worker, enum smpl_moment moment)
{
	struct recording *recording = worker->system->m.recording;
	struct context *context = &worker->context;
	int saved = 0;

	if (!recording)
		return true;
	if (!context_pause(context))
		return false;
	if (!handle_messages(worker))
		return false;
	if (context->buffers.layout)
		saved = context_save_and_restart(context, moment);
	return context_go_on(context) && saved >= 0 &&
	       (!saved || recording_buffer(recording, context));
}

static bool use_saved(struct system *system, unsigned int asked)
{
	return (!(asked & ASK_REFRESH) || measurement_refresh(&system->m)) &&
	       (!(asked & ASK_SNAPSHOT) ||
		measurement_snapshot(&system->m, ALL_PROCESSES));
}

/*
 * Saves the context. If all other workers have saved theirs, completes the
 * request.
 */
static bool take_part(struct worker *worker, unsigned int asked)
{
	enum smpl_moment moment = asked & ASK_SNAPSHOT ? SMPL_NOTIFIED :
							 SMPL_EXEC;
	struct system *system = worker->system;
	bool ok;

	if (!save_now(worker, moment) ||
	    !context_read_counts(&worker->context))
		return false;
	if (atomic_fetch_sub(&system->unsaved, 1) != 2)
		return true;
	ok = use_saved(system, asked);
	atomic_store(&system->unsaved, 0);
	begin_saving(system);
	return ok;
}

/* Executes requests; returns false on failure. */
static bool obey(struct worker *worker, unsigned int asked)
{
	if ((asked & ASK_BEGIN) && !context_start(&worker->context))
		return false;
	return !(asked & ASK_TO_SAVE) || take_part(worker, asked);
}

/* Serves the context until ASK_END; returns false on failure. */
static bool serve(struct worker *worker)
{
	struct pollfd fds[] = {
		{ .fd = worker->context.fd, .events = POLLIN },
		{ .fd = worker->ask_fd, .events = POLLIN },
	};
	const int look_ms = worker->context.frequency ?
			    FREQUENCY_LOOK_NS / 1000000 : -1;
	unsigned int asked = 0;
	int count;

	while (!(asked & ASK_END)) {
		count = poll(fds, ARRAY_SIZE(fds), look_ms);
		if (count < 0) {
			if (errno == EINTR)
				continue;
			message("cannot wait for messages from a context: %s",
				strerror(errno));
			return false;
		}
		if (fds[0].revents && !handle_messages(worker))
			return false;
		if (!count && !frequency_look(&worker->context))
			return false;
		if (!fds[1].revents)
			continue;
		lower_event(worker->ask_fd);
		asked = atomic_exchange(&worker->asked, 0);
		if (!obey(worker, asked))
			return false;
	}
	return true;
}

/*
 * Unloads the context and reads its counts. These commands, too, are accepted
 * only on the CPU of the context.
 */
static bool finish_worker(struct worker *worker)
{
	struct recording *recording = worker->system->m.recording;
	bool ok = true;

	context_unload(&worker->context);
	if (recording && context_save_rest(&worker->context))
		ok = recording_buffer(recording, &worker->context);
	if (recording && !worker->context.id)
		ok = measurement_record_clocks(&worker->system->m,
					       worker->cpu) && ok;
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
	worker->failed = system->begun && !context_start(&worker->context);
	meet(system);
	if (!worker->failed)
		worker->failed = !serve(worker);
	if (worker->failed)
		waiter_alarm(system->m.waiter);
	/* Another worker may be completing a request with these counts. */
	meet(system);
	if (!finish_worker(worker))
		worker->failed = true;
	return NULL;
}

static void handle_command(const struct trace_event *event, void *data)
{
	struct system *system = data;
	struct recording *recording = system->m.recording;

	if (event->what != TRACE_GONE && recording &&
	    !recording_has_events(recording) &&
	    !recording_process(recording, event->tgid))
		system->m.failed = true;
}

static bool any_failed(const struct system *system)
{
	for (unsigned int i = 0; i < system->m.count; i++) {
		if (system->workers[i].failed)
			return true;
	}
	return false;
}

static void begin_late(struct system *system)
{
	if (system->begun)
		return;
	system->begun = true;
	ask(system, ASK_BEGIN);
	if (!measurement_has_begun(&system->m))
		system->m.failed = true;
}

static void want(struct system *system, unsigned int what)
{
	atomic_fetch_or(&system->wanted, what);
	begin_saving(system);
}

/* Returns false if the measurement must end. */
static bool handle_signals(struct system *system)
{
	unsigned int wishes = waiter_handle_signals(system->m.waiter,
						    &system->m.command);

	if (wishes & WISH_BEGIN)
		begin_late(system);
	if (wishes & WISH_SNAPSHOT)
		want(system, ASK_SNAPSHOT);
	return !(wishes & WISH_END);
}

/* Returns false if the measurement must end. */
static bool obey_control(enum control_command command, const char *argument,
			 void *data)
{
	struct system *system = data;

	switch (command) {
	case CONTROL_ENABLE:
		begin_late(system);
		break;
	case CONTROL_SET:
		measurement_set(&system->m, argument);
		break;
	case CONTROL_SNAPSHOT:
		want(system, ASK_SNAPSHOT);
		break;
	case CONTROL_STOP:
		command_detach(&system->m.command);
		return false;
	case CONTROL_NONE:
		break;
	}
	return true;
}

/* Returns false if the measurement must end. */
static bool handle_timers(struct system *system, unsigned int wake)
{
	struct command *command = &system->m.command;

	if (wake & WAKE_TIMER(TIMER_DELAY))
		begin_late(system);
	if (wake & WAKE_TIMER(TIMER_PROGRESS))
		measurement_print_progress(&system->m);
	if (wake & WAKE_TIMER(TIMER_SNAPSHOT))
		want(system, ASK_SNAPSHOT);
	if (wake & WAKE_TIMER(TIMER_REFRESH))
		want(system, ASK_REFRESH);
	if ((wake & WAKE_TIMER(TIMER_RECORDS)) &&
	    !recording_events(system->m.recording))
		system->m.failed = true;
	if (wake & WAKE_TIMER(TIMER_DURATION)) {
		command_detach(command);
		return false;
	}
	if (!(wake & (WAKE_TIMER(TIMER_TIMEOUT) | WAKE_UNWATCHED)))
		return true;
	command_signal(command, SIGTERM);
	return command->pid;
}

/* Handles events until the measurement must end. */
static void run(struct system *system)
{
	struct recording *recording = system->m.recording;
	const int fd = recording_events_fd(recording);
	unsigned int wake;

	while (!system->m.command.ended && !system->m.failed) {
		wake = waiter_wait(system->m.waiter, fd);
		if ((wake & WAKE_FD) && !recording_events(recording))
			system->m.failed = true;
		if ((wake & WAKE_SIGNAL) && !handle_signals(system))
			return;
		if ((wake & WAKE_CONTROL) &&
		    !control_serve(system->m.waiter->control, obey_control,
				   system))
			return;
		if (wake & (WAKE_ALARM | WAKE_ERROR))
			system->m.failed = true;
		else if (!handle_timers(system, wake))
			return;
	}
}

static bool start_time(struct system *system)
{
	return measurement_start_time(&system->m) &&
	       (!system->begun || measurement_has_begun(&system->m));
}

/*
 * Resumes the command. Stops tracing it, unless pfmon has to record its
 * programs because perf does not report them.
 */
static void resume_command(struct system *system)
{
	const struct recording *recording = system->m.recording;

	if (recording && !recording_has_events(recording))
		command_resume(&system->m.command);
	else
		command_release(&system->m.command);
}

/* Between the first and the second meet(), the workers wait. */
static void measure(struct system *system)
{
	meet(system);
	system->m.plan.start_ns = clock_ns(CLOCK_REALTIME);
	system->begun = !measurement_waits(&system->m);
	system->cancelled = any_failed(system) ||
		!measurement_start_recording(&system->m, ALL_PROCESSES);
	meet(system);
	if (system->cancelled) {
		system->m.failed = true;
		return;
	}
	meet(system);
	if (system->m.command.pid)
		resume_command(system);
	if (start_time(system))
		run(system);
	else
		system->m.failed = true;
	ask(system, ASK_END);
	meet(system);
}

static void start_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->m.count; i++) {
		struct worker *worker = &system->workers[i];
		int error = pthread_create(&worker->thread, NULL, work, worker);

		if (error) {
			/*
			 * exit() also ends the workers that are waiting at
			 * the barrier.
			 */
			message("cannot start a thread: %s", strerror(error));
			command_kill(&system->m.command);
			exit(PFMON_EXIT_ERROR);
		}
	}
}

static void join_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->m.count; i++)
		pthread_join(system->workers[i].thread, NULL);
	if (any_failed(system))
		system->m.failed = true;
}

/* Records processes that have started since the last time. */
static bool record_processes(struct measurement *m)
{
	return !m->recording || recording_new_processes(m->recording,
							ALL_PROCESSES);
}

static int measure_with_workers(struct system *system)
{
	int status;

	pthread_barrier_init(&system->barrier, NULL, system->m.count + 1);
	start_workers(system);
	measure(system);
	join_workers(system);
	/*
	 * If the measurement was cancelled, the command is still waiting for it
	 * to begin: kill the command. Otherwise let the command continue
	 * without being measured.
	 */
	if (system->cancelled)
		command_kill(&system->m.command);
	status = system->cancelled ? PFMON_EXIT_ERROR :
		 measurement_finish(&system->m, record_processes);
	pthread_barrier_destroy(&system->barrier);
	return status;
}

static bool launch(struct system *system)
{
	return command_launch(&system->m.command, system->m.options->command,
			      &system->m.waiter->unblocked);
}

/* Pins pfmon while it creates the command, which inherits the CPU affinity. */
static bool launch_pinned(struct system *system)
{
	const struct options *options = system->m.options;
	cpu_set_t before, set;
	bool ok;

	CPU_ZERO(&set);
	for (unsigned int i = 0; i < options->cpu_count; i++)
		CPU_SET(options->cpus[i], &set);
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(set), &set)) {
		message("cannot pin the command: %s; the CPUs may be offline",
			strerror(errno));
		return false;
	}
	ok = launch(system);
	sched_setaffinity(0, sizeof(before), &before);
	return ok;
}

static int measure_command(struct system *system)
{
	const struct options *options = system->m.options;
	struct command *command = &system->m.command;

	command_init(command, TRACE_EXIT | TRACE_KILL);
	command->handle = handle_command;
	command->data = system;
	if (options->command &&
	    !(options->pin_command ? launch_pinned(system) : launch(system)))
		return PFMON_EXIT_ERROR;
	return measure_with_workers(system);
}

static bool make_workers(struct system *system)
{
	unsigned int count;
	int *cpus;

	if (!plan_choose_cpus(&system->m.plan, &cpus, &count))
		return false;
	system->m.count = count;
	system->workers = checked_calloc(count, sizeof(*system->workers));
	system->m.contexts = checked_calloc(count, sizeof(*system->m.contexts));
	for (unsigned int i = 0; i < count; i++) {
		system->workers[i].system = system;
		system->workers[i].cpu = cpus[i];
		system->workers[i].context.fd = -1;
		system->workers[i].ask_fd = -1;
		system->m.contexts[i] = &system->workers[i].context;
	}
	free(cpus);
	return true;
}

static void free_workers(struct system *system)
{
	for (unsigned int i = 0; i < system->m.count; i++) {
		if (system->workers[i].opened)
			context_close(&system->workers[i].context);
		if (system->workers[i].ask_fd >= 0)
			close(system->workers[i].ask_fd);
	}
	free(system->workers);
	free(system->m.contexts);
}

static bool open_ask_fds(struct system *system)
{
	for (unsigned int i = 0; i < system->m.count; i++) {
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

		if (fd < 0) {
			message("cannot create an eventfd: %s",
				strerror(errno));
			return false;
		}
		system->workers[i].ask_fd = fd;
	}
	return true;
}

static int measure_all(struct system *system)
{
	int status;

	if (!open_ask_fds(system))
		return PFMON_EXIT_ERROR;
	status = measure_command(system);
	system->m.command.handle = NULL;
	if (!measurement_close(&system->m))
		status = PFMON_EXIT_ERROR;
	status = measurement_await_command(&system->m, status);
	trace_free(&system->m.command.trace);
	return status;
}

int measure_cpus(const struct options *options, struct waiter *waiter,
		 struct counting *counting)
{
	struct system system = { .m = { .options = options,
					.waiter = waiter,
					.counting = counting } };
	int status = PFMON_EXIT_ERROR;

	if (!measurement_init(&system.m))
		return status;
	if (make_workers(&system)) {
		status = measure_all(&system);
		free_workers(&system);
	}
	measurement_free(&system.m);
	return status;
}
