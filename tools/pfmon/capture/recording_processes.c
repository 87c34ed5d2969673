// SPDX-License-Identifier: MIT OR GPL-2.0
/* recording_processes.c - record processes, from /proc or perf's events */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "capture/jit.h"
#include "capture/maps.h"
#include "capture/perf_ring.h"
#include "capture/process_events.h"
#include "capture/recording_processes.h"
#include "capture/recording_state.h"
#include "capture/threads.h"

/* Writes a chunk unless the text is NULL. */
static bool write_if_any(struct recording *recording, const char type[4],
			 char *text)
{
	return !text || recording_write_text(recording, type, text);
}

static bool write_mappings(struct recording *recording, pid_t tgid,
			   bool sampled)
{
	char *text = maps_changed(recording->maps, tgid);
	bool ok = recording_written(recording,
				    maps_write_vdsos(recording->maps,
						     &recording->capture));

	ok = write_if_any(recording, "MAPS", text) && ok;
	if (ok && sampled)
		jit_look_at(recording->jit, tgid,
			    maps_has_made_code(recording->maps, tgid));
	return ok;
}

/*
 * Writes the changes of a process and of its threads: of all threads if @all is
 * true, otherwise only of new ones.
 */
static bool write_process(struct recording *recording, pid_t tgid, bool all,
			  bool sampled)
{
	if (recording->blind)
		return true;
	return write_mappings(recording, tgid, sampled) &&
	       write_if_any(recording, "THRD",
			    threads_changed(recording->threads, tgid, all));
}

static bool write_thread(struct recording *recording, pid_t tgid, pid_t tid)
{
	return recording->blind ||
	       write_if_any(recording, "THRD",
			    thread_changed(recording->threads, tgid, tid));
}

static bool record_process(struct recording *recording, pid_t tgid, bool all,
			   bool sampled)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	maps_next_round(recording->maps);
	ok = write_process(recording, tgid, all, sampled);
	recording_unlock(recording);
	return ok;
}

bool recording_process(struct recording *recording, pid_t tgid)
{
	return record_process(recording, tgid, true, true);
}

bool recording_new_of_process(struct recording *recording, pid_t tgid)
{
	return record_process(recording, tgid, false, true);
}

void recording_program(struct recording *recording, const char *path)
{
	pthread_mutex_lock(&recording->lock);
	maps_add_program(recording->maps, path);
	recording_unlock(recording);
}

bool recording_process_of_one(struct recording *recording, pid_t tgid)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	maps_next_round(recording->maps);
	ok = recording->blind ||
	     (write_mappings(recording, tgid, true) &&
	      write_thread(recording, tgid, tgid));
	recording_unlock(recording);
	return ok;
}

static bool record_all(struct recording *recording)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t tgid;
	bool ok = true;

	if (!proc) {
		message("cannot read /proc: %s", strerror(errno));
		return false;
	}
	while (ok && (entry = readdir(proc))) {
		if (parse_u64(entry->d_name, &tgid))
			ok = record_process(recording, (pid_t)tgid, true,
					    !recording->samples_tell_process);
	}
	closedir(proc);
	return ok;
}

struct relatives {
	struct recording *recording;
	bool ok;
};

static void record_relative(pid_t tgid, void *data)
{
	struct relatives *relatives = data;

	relatives->ok = relatives->ok &&
			write_process(relatives->recording, tgid, true, true);
}

static bool record_family(struct recording *recording)
{
	struct relatives relatives = { recording, true };

	pthread_mutex_lock(&recording->lock);
	maps_next_round(recording->maps);
	process_events_each(recording->events, record_relative, &relatives);
	recording_unlock(recording);
	return relatives.ok;
}

bool recording_processes(struct recording *recording, pid_t tgid)
{
	if (tgid == ALL_PROCESSES)
		return record_all(recording);
	return recording->family && recording->events ?
	       record_family(recording) : recording_process(recording, tgid);
}

bool recording_thread(struct recording *recording, pid_t tgid, pid_t tid)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = write_thread(recording, tgid, tid);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

void recording_forget_process(struct recording *recording, pid_t tgid)
{
	pthread_mutex_lock(&recording->lock);
	maps_forget(recording->maps, tgid);
	if (recording->events)
		process_events_forget(recording->events, tgid);
	pthread_mutex_unlock(&recording->lock);
}

void recording_forget_thread(struct recording *recording, pid_t tid)
{
	pthread_mutex_lock(&recording->lock);
	threads_forget(recording->threads, tid);
	pthread_mutex_unlock(&recording->lock);
}

bool recording_write_events(struct recording *recording, bool last)
{
	const struct perf_bytes *chunk;
	bool ok = true;

	if (!recording->events)
		return true;
	process_events_read(recording->events, last);
	while (ok && (chunk = process_events_next(recording->events,
						  recording->maps,
						  !recording->blind)))
		ok = recording_written(recording,
				       maps_write_vdsos(recording->maps,
							&recording->capture)) &&
		     recording_write(recording, "PROC", chunk->bytes,
				     chunk->size);
	return ok;
}

int recording_events_fd(const struct recording *recording)
{
	return recording && recording->events ?
	       process_events_fd(recording->events) : -1;
}

bool recording_has_events(const struct recording *recording)
{
	return recording->events;
}

bool recording_events(struct recording *recording)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = recording_write_events(recording, false);
	recording_unlock(recording);
	return ok;
}

bool recording_new_processes(struct recording *recording, pid_t tgid)
{
	struct process_events *events = recording->events;

	if (events && !process_events_lost(events))
		return true;
	return recording_events(recording) &&
	       recording_processes(recording, tgid);
}

static void visit_process(pid_t tgid, void *data)
{
	struct recording *recording = data;

	if (recording->events &&
	    process_events_tell_of(recording->events, tgid)) {
		if (!recording->blind)
			jit_look_at(recording->jit, tgid,
				    maps_has_made_code(recording->maps, tgid));
		return;
	}
	recording->totals.polled = true;
	/* Examine each process only once per buffer. */
	if (!maps_is_looked_at(recording->maps, tgid))
		write_process(recording, tgid, false, true);
}

bool recording_last_of_process(struct recording *recording, pid_t tgid)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	maps_next_round(recording->maps);
	ok = recording_write_events(recording, false);
	visit_process(tgid, recording);
	recording_unlock(recording);
	return ok;
}

static void visit_sampled(struct recording *recording,
			  const struct buffers *buffers)
{
	for (unsigned int i = 0; i < buffers->count; i++) {
		if (buffers->list[i].saved)
			buffers->layout->each_process(buffers->format,
						      &buffers->list[i].image,
						      visit_process, recording);
	}
}

bool recording_write_sampled(struct recording *recording,
			     const struct context *context)
{
	const struct buffers *buffers = &context->buffers;

	if (!recording_write_events(recording, false))
		return false;
	maps_next_round(recording->maps);
	if (context->cpu == NO_CPU && !recording->family) {
		if (recording->events)
			visit_process(context->result.tgid, recording);
		return true;
	}
	/* perf's events report everything except generated functions. */
	if (recording->events && !maps_have_made_code(recording->maps))
		return true;
	if (buffers->layout && buffers->layout->each_process)
		visit_sampled(recording, buffers);
	else if (recording->family && recording->events)
		process_events_each(recording->events, visit_process,
				    recording);
	return true;
}
