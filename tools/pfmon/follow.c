// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow.c - the threads of a measurement, and the context of each */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "follow.h"
#include "frequency.h"
#include "programs.h"
#include "util.h"

/* Contexts that are made ahead, at first. */
#define AHEAD		8
#define DAEMON_NS	100000000
#define MOST_EVENTS	32

/* What is ready besides contexts, of which the thread is told. */
#define READY_WORK	UINT64_MAX
#define READY_TIMER	(UINT64_MAX - 1)

struct process {
	struct pid_entry entry;
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
	bool leaving;
};

/* Each thread takes a descriptor. */
static void raise_descriptors(struct follow *follow)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	follow->descriptors = limit;
	limit.rlim_cur = limit.rlim_max;
	follow->raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

/* The command of another run gets what pfmon has got. */
static void restore_descriptors(const struct follow *follow)
{
	if (follow->raised)
		setrlimit(RLIMIT_NOFILE, &follow->descriptors);
}

static bool watch_as(struct follow *follow, int operation, int fd,
		     uint64_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = what };

	if (!epoll_ctl(follow->epoll_fd, operation, fd, &event))
		return true;
	message("cannot wait for a context: %s", strerror(errno));
	return false;
}

static bool watch(struct follow *follow, int fd, uint64_t what)
{
	return watch_as(follow, EPOLL_CTL_ADD, fd, what);
}

static bool open_descriptors(struct follow *follow)
{
	follow->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	follow->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (follow->epoll_fd >= 0 && follow->work_fd >= 0)
		return watch(follow, follow->work_fd, READY_WORK);
	message("cannot wait for contexts: %s", strerror(errno));
	return false;
}

static bool follows_any(const struct options *options)
{
	return (options->follow & ~FOLLOW_EXEC) || options->attach_process;
}

bool follow_init(struct follow *follow, struct measurement *m)
{
	bool many = follows_any(m->options);

	memset(follow, 0, sizeof(*follow));
	follow->m = m;
	follow->timer_fd = -1;
	follow->epoll_fd = -1;
	follow->work_fd = -1;
	pool_init(&follow->pool, &m->plan, many ? AHEAD : 1);
	if (!follow->pool.count) {
		message("%s", follow->pool.reason);
		pool_free(&follow->pool);
		return false;
	}
	if (!many)
		follow->pool.wanted = 0;
	if (open_descriptors(follow))
		return true;
	follow_free(follow);
	return false;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void free_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (thread->context)
		pool_close(&follow->pool, thread->context);
}

void follow_free(struct follow *follow)
{
	pid_table_each(&follow->threads, free_thread, follow);
	pid_table_free(&follow->threads);
	pid_table_free(&follow->processes);
	pool_free(&follow->pool);
	close_if_open(follow->timer_fd);
	close_if_open(follow->work_fd);
	close_if_open(follow->epoll_fd);
	free(follow->reason);
	restore_descriptors(follow);
}

/* Tells epoll whether contexts are to be made. */
static void update_work(struct follow *follow)
{
	bool low = pool_is_low(&follow->pool);

	if (low == follow->working)
		return;
	follow->working = low;
	if (low)
		raise_event(follow->work_fd);
	else
		lower_event(follow->work_fd);
}

static void fail(struct follow *follow)
{
	follow->m->failed = true;
}

/* Reads the name of a thread that still exists, if it is not known. */
static void read_name(struct context *context, pid_t tid)
{
	char *path = checked_printf("/proc/%d/comm", tid);
	char *comm = *context->result.comm ? NULL : read_line_of(path);

	if (comm)
		snprintf(context->result.comm, sizeof(context->result.comm),
			 "%s", comm);
	free(comm);
	free(path);
}

/* Takes all that a context has, once it is detached, and gives it back. */
static void finish(struct follow *follow, struct thread *thread)
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
		fail(follow);
	read_name(context, thread->entry.pid);
	if (!context_read_counts(context))
		fail(follow);
	measurement_add_result(follow->m, context);
	if (recording)
		recording_context_ended(recording, context);
	pool_close(&follow->pool, context);
	thread->context = NULL;
	update_work(follow);
}

/*
 * Monitoring goes on while what was saved is written. Mappings that are new
 * come before the samples, except those of an exec.
 */
static bool handle_overflow(struct follow *follow, struct thread *thread,
			    bool after_exec)
{
	struct recording *recording = follow->m->recording;
	int saved = context_save_and_restart(thread->context, SMPL_NOTIFIED);

	if (saved < 0)
		return false;
	if (!recording)
		return true;
	recording_notification(recording);
	return (after_exec ||
		recording_new_of_process(recording,
					 thread->process->entry.pid)) &&
	       (!saved || recording_buffer(recording, thread->context));
}

static void handle_messages(struct follow *follow, struct thread *thread,
			    bool after_exec)
{
	int type;

	while (thread->loaded && !follow->m->failed) {
		type = context_next_message(thread->context);
		if (!type)
			return;
		if (type == PFM_MSG_END)
			thread->loaded = false;
		else if (type < 0 ||
			 (type == PFM_MSG_OVFL &&
			  !handle_overflow(follow, thread, after_exec)))
			fail(follow);
	}
}

/*
 * Saves the samples of the program that an exec has just replaced, so that they
 * come before the new mappings. A restart that no notification asked for
 * empties the buffers whose layout is known, or what is in them may be saved
 * again; of others nothing is known.
 */
static bool save_before_exec(struct follow *follow, struct thread *thread)
{
	int saved;

	if (!thread->context)
		return true;
	handle_messages(follow, thread, true);
	if (!thread->loaded || !thread->context->layout)
		return !follow->m->failed;
	saved = context_save_and_restart(thread->context, SMPL_EXEC);
	return !saved || (saved > 0 && recording_buffer(follow->m->recording,
							thread->context));
}

static void count_unmeasured(struct follow *follow, const char *reason)
{
	follow->unmeasured++;
	if (!follow->reason)
		follow->reason = checked_strdup(reason ? reason : "");
}

/* Puts a context on a thread that stands still, or runs. False sets errno. */
static bool load(struct follow *follow, struct thread *thread)
{
	struct context *context = thread->context;

	if (!context_load(context, thread->entry.pid))
		return false;
	context->result.tgid = thread->process->entry.pid;
	thread->loaded = true;
	return watch(follow, context->fd, (uint64_t)thread->entry.pid);
}

/* It may have been killed where it stands. */
static bool has_ended(const struct thread *thread, int error)
{
	return error == ESRCH ||
	       (thread->loaded &&
		context_next_message(thread->context) == PFM_MSG_END);
}

/* As load(), with the reason instead of a message. */
static bool load_quietly(struct follow *follow, struct thread *thread,
			 char **reason)
{
	bool ok;

	message_keep(reason);
	ok = load(follow, thread);
	message_keep(NULL);
	return ok;
}

static bool start_quietly(struct thread *thread, char **reason)
{
	bool ok;

	message_keep(reason);
	ok = context_start(thread->context);
	message_keep(NULL);
	return ok;
}

/* A capture that cannot be written is the end of all. */
static bool load_and_start(struct follow *follow, struct thread *thread,
			   char **reason)
{
	struct recording *recording = follow->m->recording;

	if (!load_quietly(follow, thread, reason))
		return false;
	if (recording && !recording_context(recording, thread->context)) {
		fail(follow);
		return true;
	}
	return !follow->begun || start_quietly(thread, reason);
}

static void give_back(struct follow *follow, struct thread *thread)
{
	pool_close(&follow->pool, thread->context);
	thread->context = NULL;
	thread->loaded = false;
}

/* A thread that cannot be measured goes on all the same. */
static void begin(struct follow *follow, struct thread *thread)
{
	char *reason = NULL;
	bool gone;

	thread->context = pool_take(&follow->pool);
	update_work(follow);
	if (!thread->context) {
		count_unmeasured(follow, follow->pool.reason);
		return;
	}
	if (!load_and_start(follow, thread, &reason)) {
		gone = has_ended(thread, errno);
		give_back(follow, thread);
		if (!gone)
			count_unmeasured(follow, reason);
	}
	free(reason);
}

static bool wants(const struct follow *follow, const struct thread *thread)
{
	return thread->process->measured && !follow->ended &&
	       !follow->m->failed;
}

static struct thread *add(struct follow *follow, pid_t tid, pid_t tgid)
{
	struct thread *thread = pid_table_get(&follow->threads, tid,
					      sizeof(*thread));

	thread->process = pid_table_get(&follow->processes, tgid,
					sizeof(*thread->process));
	thread->process->threads++;
	return thread;
}

/* Its mappings, before anything of it. */
static void record_process(struct follow *follow, pid_t tgid)
{
	if (follow->m->recording &&
	    !recording_process(follow->m->recording, tgid))
		fail(follow);
}

/* A process is known before it is born: its parent may be gone by then. */
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
}

static void born(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread;
	struct process *process;

	made(follow, event);
	thread = add(follow, event->tid, event->tgid);
	process = thread->process;
	if (!wants(follow, thread))
		return;
	if (process->threads == 1)
		record_process(follow, event->tgid);
	begin(follow, thread);
}

/* A thread other than the first has the number of its process after an exec. */
static void rename_thread(struct follow *follow, struct thread *thread,
			  pid_t tid)
{
	if (tid == thread->entry.pid)
		return;
	pid_table_rename(&follow->threads, &thread->entry, tid);
	if (thread->context &&
	    !watch_as(follow, EPOLL_CTL_MOD, thread->context->fd,
		      (uint64_t)tid))
		fail(follow);
}

static void execed(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->former);
	struct process *process;

	if (!thread)
		return;
	rename_thread(follow, thread, event->tid);
	process = thread->process;
	if (thread->context && follow->m->recording &&
	    !save_before_exec(follow, thread))
		fail(follow);
	process->measured = programs_choose(follow->m->options, event->tgid);
	process->examined = false;
	if (!wants(follow, thread)) {
		finish(follow, thread);
		return;
	}
	record_process(follow, event->tgid);
	if (!thread->context)
		begin(follow, thread);
}

/*
 * Threads that are killed because another one ends the process may not stop:
 * the last that does need not be the last of all.
 */
static bool may_be_last(const struct process *process,
			const struct trace_event *event)
{
	return process->leaving >= process->threads ||
	       event->tid == event->tgid || !process->examined;
}

/* All there is of a process that may end now, else that thread. */
static void exiting(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->tid);
	struct recording *recording = follow->m->recording;
	struct process *process;

	if (!thread || !thread->context)
		return;
	process = thread->process;
	process->leaving += !thread->leaving;
	thread->leaving = true;
	read_name(thread->context, event->tid);
	if (!recording)
		return;
	if (may_be_last(process, event)) {
		process->examined = true;
		record_process(follow, event->tgid);
		return;
	}
	if (!recording_thread(recording, event->tgid, event->tid))
		fail(follow);
}

static void remove_process(struct follow *follow, struct process *process)
{
	if (follow->m->recording)
		recording_forget_process(follow->m->recording,
					 process->entry.pid);
	results_forget_process(&follow->m->results, process->entry.pid);
	pid_table_remove(&follow->processes, &process->entry);
	free(process);
}

static void remove_thread(struct follow *follow, struct thread *thread)
{
	struct process *process = thread->process;

	if (follow->m->recording)
		recording_forget_thread(follow->m->recording,
					thread->entry.pid);
	process->leaving -= thread->leaving;
	if (!--process->threads)
		remove_process(follow, process);
	pid_table_remove(&follow->threads, &thread->entry);
	free(thread);
}

/* It was killed before it was born. */
static void forget_unborn(struct follow *follow, pid_t tgid)
{
	struct process *process = pid_table_find(&follow->processes, tgid);

	if (process && !process->threads)
		remove_process(follow, process);
}

/* Its END message has come before. */
static void gone(struct follow *follow, const struct trace_event *event)
{
	struct thread *thread = pid_table_find(&follow->threads, event->tid);

	if (!thread) {
		forget_unborn(follow, event->tgid);
		return;
	}
	handle_messages(follow, thread, false);
	finish(follow, thread);
	remove_thread(follow, thread);
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

/* If so, ptrace tells of its end, too. */
static bool is_traced(const struct follow *follow, pid_t tid)
{
	return pid_table_find(&follow->m->command.trace.tracees, tid);
}

static void finish_if_ended(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (!thread->context || thread->loaded)
		return;
	finish(follow, thread);
	if (!is_traced(follow, thread->entry.pid))
		remove_thread(follow, thread);
}

/* Those whose END message was read while all were looked at. */
static void finish_ended(struct follow *follow)
{
	pid_table_each(&follow->threads, finish_if_ended, follow);
}

static void serve_thread(struct follow *follow, pid_t tid)
{
	struct thread *thread = pid_table_find(&follow->threads, tid);

	if (!thread)
		return;
	handle_messages(follow, thread, false);
	finish_if_ended(&thread->entry, follow);
}

void follow_serve(struct follow *follow)
{
	struct epoll_event ready[MOST_EVENTS];
	int count = epoll_wait(follow->epoll_fd, ready, MOST_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		if (ready[i].data.u64 == READY_TIMER)
			lower_event(follow->timer_fd);
		else if (ready[i].data.u64 != READY_WORK)
			serve_thread(follow, (pid_t)ready[i].data.u64);
		else if (count == 1)
			pool_refill(&follow->pool);
	}
	update_work(follow);
}

/* Nothing tells of a process that leaves the session: it is looked at. */
static void start_timer(struct follow *follow)
{
	const struct itimerspec times = {
		.it_value.tv_nsec = DAEMON_NS,
		.it_interval.tv_nsec = DAEMON_NS,
	};

	if (follow->timer_fd >= 0)
		return;
	follow->timer_fd = timerfd_create(CLOCK_MONOTONIC,
					  TFD_CLOEXEC | TFD_NONBLOCK);
	if (follow->timer_fd >= 0 &&
	    !timerfd_settime(follow->timer_fd, 0, &times, NULL))
		watch(follow, follow->timer_fd, READY_TIMER);
}

struct census {
	pid_t session;
	bool company;
};

static void look_at(struct pid_entry *entry, void *data)
{
	struct census *census = data;

	if (getsid(entry->pid) == census->session)
		census->company = true;
}

bool follow_has_company(struct follow *follow)
{
	struct census census = { .session = getsid(0) };

	if (follow->ended)
		return false;
	if (!follow->m->command.pid)
		return follow->processes.count;
	pid_table_each(&follow->processes, look_at, &census);
	if (census.company)
		start_timer(follow);
	return census.company;
}

struct starting {
	bool ok;
};

static void start_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct starting *starting = data;
	char *reason = NULL;

	if (!thread->loaded || !starting->ok ||
	    start_quietly(thread, &reason))
		return;
	if (has_ended(thread, errno))
		thread->loaded = false;
	else
		starting->ok = false;
	if (!starting->ok)
		message("%s", reason);
	free(reason);
}

bool follow_start(struct follow *follow)
{
	struct starting starting = { .ok = true };

	if (follow->begun)
		return true;
	follow->begun = true;
	pid_table_each(&follow->threads, start_thread, &starting);
	finish_ended(follow);
	return starting.ok && measurement_has_begun(follow->m);
}

static void pause_thread(struct pid_entry *entry, void *data)
{
	const struct thread *thread = (struct thread *)entry;
	struct starting *starting = data;

	if (thread->loaded && starting->ok)
		starting->ok = context_pause(thread->context);
}

static void let_thread_go_on(struct pid_entry *entry, void *data)
{
	const struct thread *thread = (struct thread *)entry;
	struct starting *starting = data;

	if (thread->loaded && starting->ok)
		starting->ok = context_go_on(thread->context);
}

bool follow_pause(struct follow *follow)
{
	struct starting starting = { .ok = true };

	if (!follow->begun || follow->paused)
		return true;
	follow->paused = true;
	pid_table_each(&follow->threads, pause_thread, &starting);
	return starting.ok;
}

bool follow_go_on(struct follow *follow)
{
	struct starting starting = { .ok = true };

	if (!follow->paused)
		return true;
	follow->paused = false;
	pid_table_each(&follow->threads, let_thread_go_on, &starting);
	return starting.ok;
}

static void list_thread(struct pid_entry *entry, void *data)
{
	const struct thread *thread = (struct thread *)entry;
	struct measurement *m = data;

	if (thread->context)
		m->contexts[m->count++] = thread->context;
}

static int by_id(const void *one, const void *other)
{
	const struct context *const *a = one, *const *b = other;

	return (*a)->id < (*b)->id ? -1 : 1;
}

void follow_list(struct follow *follow)
{
	struct measurement *m = follow->m;

	m->contexts = checked_calloc(follow->threads.count,
				     sizeof(*m->contexts));
	m->count = 0;
	pid_table_each(&follow->threads, list_thread, m);
	qsort(m->contexts, m->count, sizeof(*m->contexts), by_id);
}

void follow_unlist(struct follow *follow)
{
	free(follow->m->contexts);
	follow->m->contexts = NULL;
	follow->m->count = 0;
}

/* Saves what there is although the buffer is not full. */
static bool save_now(struct follow *follow, struct thread *thread,
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
	if (thread->loaded && context->layout)
		saved = context_save_and_restart(context, moment);
	if (saved < 0 || !context_go_on(context))
		return false;
	return !saved ||
	       (recording_new_of_process(recording,
					 thread->process->entry.pid) &&
		recording_buffer(recording, context));
}

static void snapshot_of_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (thread->loaded && !follow->m->failed &&
	    (!save_now(follow, thread, SMPL_NOTIFIED) ||
	     !context_read_counts(thread->context)))
		fail(follow);
}

static void look_at_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (thread->loaded && !follow->m->failed &&
	    !frequency_look(thread->context))
		fail(follow);
}

bool follow_look(struct follow *follow)
{
	pid_table_each(&follow->threads, look_at_thread, follow);
	return !follow->m->failed;
}

static void refresh_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (thread->loaded && !follow->m->failed &&
	    !save_now(follow, thread, SMPL_EXEC))
		fail(follow);
}

bool follow_refresh(struct follow *follow)
{
	bool ok;

	pid_table_each(&follow->threads, refresh_thread, follow);
	finish_ended(follow);
	if (follow->m->failed)
		return false;
	follow_list(follow);
	ok = measurement_refresh(follow->m);
	follow_unlist(follow);
	return ok;
}

static void record_entry(struct pid_entry *entry, void *data)
{
	const struct process *process = (struct process *)entry;

	if (process->measured)
		record_process(data, entry->pid);
}

void follow_record(struct follow *follow)
{
	pid_table_each(&follow->processes, record_entry, follow);
}

/* The capture that follows has yet to be told of all processes. */
bool follow_snapshot(struct follow *follow, pid_t tgid)
{
	bool ok;

	pid_table_each(&follow->threads, snapshot_of_thread, follow);
	finish_ended(follow);
	if (follow->m->failed)
		return false;
	follow_list(follow);
	ok = measurement_snapshot(follow->m, tgid);
	follow_unlist(follow);
	follow_record(follow);
	return ok;
}

static void end_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	handle_messages(follow, thread, false);
	finish(follow, thread);
}

void follow_end(struct follow *follow)
{
	follow->ended = true;
	pid_table_each(&follow->threads, end_thread, follow);
}

void follow_report(const struct follow *follow)
{
	if (!follow->unmeasured)
		return;
	message("%llu threads were not measured: %s",
		(unsigned long long)follow->unmeasured, follow->reason);
}

/* Loads what there is at the start; false if that failed for another reason. */
static bool load_first(struct follow *follow, struct thread *thread)
{
	thread->context = pool_take(&follow->pool);
	if (!thread->context) {
		message("%s", follow->pool.reason);
		return false;
	}
	if (load(follow, thread))
		return true;
	give_back(follow, thread);
	return false;
}

/* As load_first() for many, of which those that cannot be measured go on. */
static bool load_some(struct follow *follow, pid_t tgid, const pid_t *tids,
		      unsigned int count)
{
	bool any = false;

	for (unsigned int i = 0; i < count; i++) {
		struct thread *thread = pid_table_find(&follow->threads,
						       tids[i]);

		begin(follow, thread);
		any |= thread->loaded;
	}
	if (any)
		return true;
	if (follow->reason)
		message("no thread of process %d can be measured: %s", tgid,
			follow->reason);
	else
		message("process %d has ended", tgid);
	return false;
}

static bool load_all(struct follow *follow, pid_t tgid, const pid_t *tids,
		     unsigned int count)
{
	bool measured = programs_choose(follow->m->options, tgid);
	struct thread *thread = NULL;

	for (unsigned int i = 0; i < count; i++) {
		thread = add(follow, tids[i], tgid);
		thread->process->measured = measured;
	}
	if (!measured)
		return true;
	return count == 1 ? load_first(follow, thread) :
			    load_some(follow, tgid, tids, count);
}

bool follow_begin(struct follow *follow, pid_t tgid, const pid_t *tids,
		  unsigned int count)
{
	struct measurement *m = follow->m;
	bool ok;

	if (follows_any(m->options))
		raise_descriptors(follow);
	m->plan.start_ns = clock_ns(CLOCK_REALTIME);
	if (!load_all(follow, tgid, tids, count))
		return false;
	m->start = clocks_read(NO_CPU);
	follow_list(follow);
	ok = measurement_start_recording(m, tgid);
	follow_unlist(follow);
	ok = ok && (measurement_waits(m) || follow_start(follow)) &&
	     waiter_start_ticking(m->waiter, TIMER_LOOK,
				  m->options->adapts ? FREQUENCY_LOOK_NS : 0) &&
	     measurement_start_time(m);
	update_work(follow);
	return ok;
}
