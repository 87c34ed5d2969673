// SPDX-License-Identifier: MIT OR GPL-2.0
/* recording.c - write the captures of a sampling session */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/util.h"
#include "capture/capture.h"
#include "capture/capture_json.h"
#include "capture/jit.h"
#include "capture/kernel_symbols.h"
#include "capture/maps.h"
#include "capture/process_events.h"
#include "capture/recording.h"
#include "capture/recording_processes.h"
#include "capture/recording_state.h"
#include "capture/recording_totals.h"
#include "capture/threads.h"
#include "process/command.h"
#include "session/saving.h"

/* Returns whether data mappings are recorded, too. */
static bool wants_data(const struct plan *plan)
{
	return plan->options->data_maps || plan->format.data_addresses ||
	       pfm_bv_isset(plan->options->smpl_pmds, PFM_PMD_ADDRESS);
}

/* Returns whether samples may have kernel addresses. */
static bool samples_kernel(const struct plan *plan)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].sampling &&
		    !(plan->pmcs[i].reg_value & PFM_PERF_EXCL_KERNEL))
			return true;
	}
	return false;
}

/*
 * Creates empty tables of what was recorded, because a new capture has no
 * information about processes.
 */
static void know_nothing(struct recording *recording, const struct plan *plan)
{
	recording->jit = jit_create(recording->begun);
	recording->maps = maps_create(wants_data(plan), plan->format.tables,
				      recording->jit);
	recording->threads = threads_create();
}

static void forget(struct recording *recording)
{
	jit_destroy(recording->jit);
	threads_destroy(recording->threads);
	maps_destroy(recording->maps);
}

/*
 * Opens perf's events before /proc is read, so that no process is missed. For
 * ALL_PROCESSES, pfmon always uses these events. Otherwise, it does without
 * them in two cases. First, if samples have no times, and pfmon traces the
 * command or has attached to it: the events cannot be sorted among the samples,
 * so mappings are read from /proc and written before each buffer. Second, if
 * /proc cannot be used: the first mappings of the process are unknown in any
 * case.
 */
static void open_events(struct recording *recording, const struct plan *plan,
			pid_t tgid)
{
	struct process_totals *totals = &recording->totals.processes;
	const unsigned int births = FOLLOW_FORK | FOLLOW_VFORK;
	const struct perf_scope scope = {
		.tgid = tgid,
		.children = recording->family ||
			    plan->options->follow & births,
		.data = wants_data(plan),
		.kernel = samples_kernel(plan),
	};

	totals->wanted = tgid == ALL_PROCESSES ||
			 ((plan->format.times || plan->untraced) &&
			  !recording->blind);
	if (totals->wanted)
		recording->events = process_events_open(&scope, &totals->error);
	recording->totals.polled = !recording->events;
}

struct recording *recording_open(const struct plan *plan, pid_t tgid,
				 bool family)
{
	struct recording *recording = checked_calloc(1, sizeof(*recording));

	pthread_mutex_init(&recording->lock, NULL);
	recording->begun = time(NULL);
	know_nothing(recording, plan);
	recording->tables = plan->format.tables;
	recording->family = family;
	recording->blind = !proc_is_usable();
	recording->totals.lost_known = !recording->blind;
	recording->watched = plan->options->top.interval_ns;
	recording->totals.samples_known =
		plan->format.module || plan->format.device;
	if (recording_written(recording,
			      capture_open(&recording->capture,
					   plan->options->outfile))) {
		open_events(recording, plan, tgid);
		return recording;
	}
	recording_close(recording);
	return NULL;
}

bool recording_close(struct recording *recording)
{
	bool ok = recording_written(recording,
				    capture_close(&recording->capture));

	capture_counts_free(&recording->counts);
	process_events_close(recording->events);
	forget(recording);
	kernel_symbols_free(&recording->kernel);
	pthread_mutex_destroy(&recording->lock);
	free(recording);
	return ok;
}

/* Writes the kernel's symbols, if they are known. */
static bool write_kernel_symbols(struct recording *recording,
				 const char type[4])
{
	const struct packed *text = &recording->kernel.text;

	return !text->bytes ||
	       recording_written(recording,
				 capture_write_stored(&recording->capture, type,
						      text));
}

/*
 * Returns whether perf's records that were read since the previous call contain
 * changes of the kernel's code. The caller holds the lock.
 */
static bool code_has_changed(struct recording *recording)
{
	return recording->events &&
	       process_events_code_changed(recording->events);
}

/*
 * Reads the kernel's symbols again if modules have been loaded or unloaded;
 * perf's records do not contain modules. Returns whether it has read them. The
 * caller does not hold the lock, because this takes long.
 */
static bool renew_modules(struct recording *recording)
{
	if (!recording->kernel.text.bytes ||
	    !kernel_symbols_have_old_modules(&recording->kernel) ||
	    !kernel_symbols_read(&recording->kernel))
		return false;
	recording->old_modules = true;
	return true;
}

/* Reads the kernel's symbols again. */
static void renew_kernel_symbols(struct recording *recording)
{
	if (recording->kernel.text.bytes)
		kernel_symbols_read(&recording->kernel);
}

/*
 * Prepares the symbols for the next capture. The caller does not hold the lock.
 * In a system-wide session, the buffer of the caller's CPU is not emptied while
 * the symbols are read, which takes about 0.1 s.
 */
static void renew_for_next(struct recording *recording)
{
	bool changed;

	recording_events(recording);
	pthread_mutex_lock(&recording->lock);
	changed = code_has_changed(recording);
	pthread_mutex_unlock(&recording->lock);
	if (!renew_modules(recording) && changed)
		renew_kernel_symbols(recording);
}

/*
 * Returns true if all buffers are shared by threads and all samples contain
 * their process ID.
 */
static bool samples_tell_process(const struct recording *recording,
				 struct context *const *contexts,
				 unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct smpl_module *layout = contexts[i]->buffers.layout;

		if ((contexts[i]->cpu == NO_CPU && !recording->family) ||
		    !layout || !layout->each_process)
			return false;
	}
	return true;
}

static bool write_beginning(struct recording *recording,
			    const struct plan *plan,
			    struct context *const *contexts, unsigned int count)
{
	return recording_write_text(recording, "SESS",
				    session_json(plan, contexts, count)) &&
	       write_kernel_symbols(recording, "KSYM");
}

bool recording_begin(struct recording *recording,
		     const struct plan *plan,
		     struct context *const *contexts, unsigned int count)
{
	bool ok;

	if (samples_kernel(plan))
		kernel_symbols_read(&recording->kernel);
	pthread_mutex_lock(&recording->lock);
	recording->samples_tell_process =
		samples_tell_process(recording, contexts, count);
	ok = write_beginning(recording, plan, contexts, count);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

static bool write_now(struct recording *recording, const char type[4],
		      char *text)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = recording_write_text(recording, type, text);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

bool recording_context(struct recording *recording,
		       const struct context *context)
{
	return write_now(recording, "CTXT", context_json(context));
}

void recording_argument(struct recording *recording,
			const struct smpl_format *format, uint64_t begun_ns)
{
	write_now(recording, "FARG", argument_json(format, begun_ns));
}

static bool write_buffer(struct recording *recording, unsigned int context,
			 uint64_t buf_size, const struct image *image)
{
	if (!recording_written(recording,
			       capture_write_buffer(&recording->capture,
						    context, buf_size, image)))
		return false;
	recording->totals.bytes += image->size;
	recording->saved = true;
	return true;
}

static void count_samples(struct recording *recording,
			  const struct buffers *buffers,
			  struct smpl_buffer *buffer)
{
	if (!buffers->layout)
		return;
	recording->totals.samples -= buffer->samples;
	buffer->samples = buffers->layout->samples(buffers->format,
						   &buffer->image,
						   buffer->samples);
	recording->totals.samples += buffer->samples;
	recording->totals.samples_known = true;
}

bool recording_buffer(struct recording *recording,
		      const struct context *context)
{
	const struct buffers *buffers = &context->buffers;
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = recording_write_sampled(recording, context);
	for (unsigned int i = 0; ok && i < buffers->count; i++) {
		struct smpl_buffer *buffer = &buffers->list[i];

		if (!buffer->saved)
			continue;
		ok = write_buffer(recording, context->id + i, buffers->size,
				  &buffer->image);
		if (ok)
			count_samples(recording, buffers, buffer);
	}
	recording_unlock(recording);
	return ok;
}

bool recording_stream(struct recording *recording, const struct image *image,
		      uint64_t samples, const char type[4], char *text)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = write_buffer(recording, 0, image->size, image);
	if (ok)
		recording->totals.samples += samples;
	if (ok && text)
		ok = recording_write(recording, type, text, strlen(text));
	pthread_mutex_unlock(&recording->lock);
	free(text);
	return ok;
}

bool recording_clocks(struct recording *recording, const struct moment *moment)
{
	bool ok = true;

	pthread_mutex_lock(&recording->lock);
	if (!moment->error)
		ok = recording_write_text(recording, "CLCK",
					  clocks_json(moment));
	else if (!recording->clock_failed)
		message("sample times cannot be converted to other clocks, because perf's clock cannot be read: %s",
			strerror(moment->error));
	recording->clock_failed |= moment->error;
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

static bool write_end(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      int exit_status)
{
	struct totals totals;
	bool ok;

	recording_count_losses(recording, contexts, count);
	for (unsigned int i = 0; i < count; i++)
		capture_counts_add(&recording->counts, contexts[i]);
	ok = recording_write_events(recording, true);
	if (recording->events)
		recording->totals.processes.lost =
			process_events_lost(recording->events);
	totals = recording_capture_totals(recording);
	ok = ok &&
	     recording_written(recording, jit_write(recording->jit,
						    &recording->capture)) &&
	     (!recording->old_modules ||
	      write_kernel_symbols(recording, "KEND")) &&
	     recording_write_text(recording, "DONE",
				  totals_json(plan, &recording->counts,
					      &totals, exit_status));
	capture_counts_free(&recording->counts);
	return ok;
}

bool recording_end(struct recording *recording, const struct plan *plan,
		   struct context *const *contexts, unsigned int count,
		   int exit_status)
{
	struct context_stats stats;
	bool ok;

	if (!recording->watched)
		renew_modules(recording);
	pthread_mutex_lock(&recording->lock);
	for (unsigned int i = 0; i < count; i++) {
		stats = context_stats(contexts[i]);
		recording_tell_trouble(contexts[i], &stats);
	}
	ok = write_end(recording, plan, contexts, count, exit_status);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

/*
 * Renames the capture and returns its new name, to be freed; NULL with a
 * message on failure.
 */
static char *put_aside(struct recording *recording)
{
	const char *path = recording->capture.path;
	char *name;

	if (!capture_is_file(&recording->capture)) {
		message("cannot take a snapshot: %s is not a regular file",
			path);
		return NULL;
	}
	name = checked_printf("%s.%u", path, recording->divisions + 1);
	if (!rename(path, name))
		return name;
	message("cannot take a snapshot: cannot rename %s to %s: %s", path,
		name, strerror(errno));
	free(name);
	return NULL;
}

/*
 * Copies the chunks about processes from the last capture, because regions that
 * are being filled may have samples of processes that have ended. If the last
 * capture saved no region, also copies the chunks that were copied into it.
 */
static bool carry_processes(struct recording *recording,
			    const struct plan *plan, const char *last)
{
	const struct smpl_module *module = plan->format.module;
	uint64_t from = recording->saved ? recording->carried : 0;
	bool ok = !module || !module->intact ||
		  recording_written(recording,
				    capture_copy_processes(&recording->capture,
							   last, from));

	recording->carried = recording->capture.bytes;
	recording->saved = false;
	return ok;
}

static bool begin_next(struct recording *recording, const struct plan *plan,
		       struct context *const *contexts, unsigned int count,
		       const char *last)
{
	const char *path = recording->capture.path;

	recording->before = recording->totals;
	recording->divisions++;
	recording->old_modules = false;
	forget(recording);
	know_nothing(recording, plan);
	/* Only the previous capture has the changes since renew_for_next(). */
	if (code_has_changed(recording))
		renew_kernel_symbols(recording);
	return recording_written(recording,
				 capture_close(&recording->capture)) &&
	       recording_written(recording,
				 capture_open(&recording->capture, path)) &&
	       write_beginning(recording, plan, contexts, count) &&
	       carry_processes(recording, plan, last);
}

bool recording_divide(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      struct division *division)
{
	bool ok = true;

	renew_for_next(recording);
	pthread_mutex_lock(&recording->lock);
	division->path = put_aside(recording);
	if (division->path) {
		ok = write_end(recording, plan, contexts, count,
			       NO_EXIT_STATUS);
		division->totals = recording_capture_totals(recording);
		ok = ok && begin_next(recording, plan, contexts, count,
				      division->path);
	}
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

bool recording_tick(struct recording *recording, const struct plan *plan,
		    struct context *const *contexts, unsigned int count)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	recording_count_losses(recording, contexts, count);
	ok = recording_write_text(recording, "TICK",
				  tick_json(plan, &recording->totals));
	pthread_mutex_unlock(&recording->lock);
	return ok;
}
