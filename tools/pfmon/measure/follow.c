// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow.c - follow threads, each with its own context */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/recording_processes.h"
#include "measure/follow.h"
#include "measure/follow_thread.h"
#include "measure/follow_watch.h"
#include "measure/programs.h"
#include "session/frequency.h"
#include "session/lifetime.h"
#include "session/saving.h"
#include "stacks/table_set.h"

/* Initial number of contexts to create in advance. */
#define AHEAD		8

/* The pause after a search for code, as a multiple of the search's duration. */
#define LEAST_PAUSE	50

/* Raises RLIMIT_NOFILE, because each thread needs a descriptor. */
static void raise_descriptors(struct follow *follow)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	follow->descriptors = limit;
	limit.rlim_cur = limit.rlim_max;
	follow->raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Restores RLIMIT_NOFILE, because the commands of further runs inherit it. */
static void restore_descriptors(const struct follow *follow)
{
	if (follow->raised)
		setrlimit(RLIMIT_NOFILE, &follow->descriptors);
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
	pool_init(&follow->pool, &m->plan, many ? AHEAD : 1);
	if (!follow->pool.count) {
		message("%s", follow->pool.reason);
		pool_free(&follow->pool);
		return false;
	}
	if (!m->counting || !m->counting->done)
		context_report_alone(follow->pool.ready[0]);
	if (!many)
		follow->pool.wanted = 0;
	if (follow_watch_open(follow))
		return true;
	follow_free(follow);
	return false;
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
	follow_watch_close(follow);
	free(follow->reason);
	restore_descriptors(follow);
}

static void finish_if_ended(struct pid_entry *entry, void *data)
{
	follow_thread_finish_if_ended(data, (struct thread *)entry);
}

/*
 * Finishes the threads whose END message was read during a pass over all
 * threads.
 */
static void finish_ended(struct follow *follow)
{
	pid_table_each(&follow->threads, finish_if_ended, follow);
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
		follow_watch_daemons(follow);
	return census.company;
}

struct starting {
	const struct follow *follow;
	bool ok;
};

static void start_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct starting *starting = data;

	if (thread->loaded && starting->ok)
		starting->ok = follow_thread_start(starting->follow, thread);
}

bool follow_start(struct follow *follow)
{
	struct starting starting = { .follow = follow, .ok = true };

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

void follow_read_first_name(struct follow *follow)
{
	struct thread *thread = pid_table_find(&follow->threads, follow->first);

	if (thread && thread->context)
		follow_thread_read_name(follow, thread);
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

static void snapshot_of_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (!thread->loaded || follow->m->failed)
		return;
	if (!follow_thread_save(follow, thread, SMPL_NOTIFIED) ||
	    !context_read_counts(thread->context))
		follow_fail(follow);
	follow_thread_read_name(follow, thread);
}

void follow_set(struct follow *follow, const char *assignments)
{
	const struct pool *pool = &follow->pool;
	struct measurement *m = follow->m;

	follow_list(follow);
	m->contexts = checked_realloc(m->contexts, m->count + pool->count,
				      sizeof(*m->contexts));
	for (unsigned int i = 0; i < pool->count; i++)
		m->contexts[m->count++] = pool->ready[i];
	measurement_set(m, assignments);
	follow_unlist(follow);
}

static void look_at_thread(struct pid_entry *entry, void *data)
{
	struct thread *thread = (struct thread *)entry;
	struct follow *follow = data;

	if (thread->loaded && !follow->m->failed &&
	    !frequency_look(thread->context))
		follow_fail(follow);
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
	    !follow_thread_save(follow, thread, SMPL_EXEC))
		follow_fail(follow);
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
		follow_process_record(data, process);
}

void follow_record(struct follow *follow)
{
	pid_table_each(&follow->processes, record_entry, follow);
}

/*
 * Records code that a process has mapped. If perf's records are available,
 * reads /proc only if these records do not include the process, or if some
 * records were lost.
 */
static bool record_code(const struct follow *follow, pid_t tgid)
{
	struct recording *recording = follow->m->recording;

	if (follow_reads_proc(follow))
		return recording_new_of_process(recording, tgid);
	return recording_last_of_process(recording, tgid) &&
	       recording_new_processes(recording, tgid);
}

static void look_for_code(struct pid_entry *entry, void *data)
{
	const struct process *process = (struct process *)entry;
	struct follow *follow = data;

	if (!process->measured || !follow->m->recording || follow->m->failed)
		return;
	if (table_set_looks_up(follow->m->plan.format.tables))
		table_set_changed(follow->m->plan.format.tables, entry->pid);
	if (!record_code(follow, entry->pid))
		follow_fail(follow);
}

void follow_look_for_code_of(struct follow *follow, pid_t tgid)
{
	struct pid_entry *process = pid_table_find(&follow->processes, tgid);

	if (!process || !follow->m->plan.format.tables)
		return;
	table_set_changed(follow->m->plan.format.tables, tgid);
	look_for_code(process, follow);
}

void follow_read_records(struct follow *follow)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	/* If perf's records report all processes, reading them is enough. */
	if (!follow->m->plan.format.tables ||
	    (follow->m->plan.untraced && !follow_reads_proc(follow))) {
		if (!recording_events(follow->m->recording))
			follow_fail(follow);
		return;
	}
	if (start < follow->look_again_ns)
		return;
	pid_table_each(&follow->processes, look_for_code, follow);
	/*
	 * Search again only after a pause, so that searches take a small share
	 * of the time.
	 */
	follow->look_again_ns = start + LEAST_PAUSE *
				(clock_ns(CLOCK_MONOTONIC) - start);
}

/* Records all processes again, because the next capture must contain them. */
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

	follow_thread_handle(follow, thread);
	if (thread->context && !thread->leaving)
		follow_thread_read_name(follow, thread);
	follow_thread_finish(follow, thread);
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
	message("cannot measure %llu thread%s: %s",
		(unsigned long long)follow->unmeasured,
		plural(follow->unmeasured), follow->reason);
}

/*
 * Attaches contexts to the threads @tids. Returns false, with a message, only
 * if none of them can be measured.
 */
static bool load_some(struct follow *follow, pid_t tgid, const pid_t *tids,
		      unsigned int count)
{
	bool any = false;

	for (unsigned int i = 0; i < count; i++) {
		struct thread *thread = pid_table_find(&follow->threads,
						       tids[i]);

		follow_thread_begin(follow, thread);
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
		thread = follow_thread_add(follow, tids[i], tgid);
		thread->process->measured = measured;
	}
	follow->first = tids[0];
	follow_process_read_name(follow, thread->process);
	if (!measured)
		return true;
	return count == 1 ? follow_thread_load(follow, thread) :
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
	follow_watch_pool(follow);
	return ok;
}

static void serve_thread(struct follow *follow, pid_t tid)
{
	struct thread *thread = pid_table_find(&follow->threads, tid);

	if (!thread)
		return;
	follow_thread_handle(follow, thread);
	follow_thread_finish_if_ended(follow, thread);
}

void follow_serve(struct follow *follow)
{
	follow_watch_serve(follow, serve_thread);
}
