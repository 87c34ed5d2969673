// SPDX-License-Identifier: MIT OR GPL-2.0
/* recording.c - write the capture and the totals of a sampling session */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
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
#include "capture/maps.h"
#include "capture/perf_ring.h"
#include "capture/process_events.h"
#include "capture/recording.h"
#include "capture/threads.h"
#include "process/command.h"
#include "session/saving.h"

struct recording {
	pthread_mutex_t lock;
	struct capture capture;
	struct maps *maps;
	struct threads *threads;
	struct jit *jit;
	struct process_events *events;	/* NULL: read /proc instead */
	bool watched;			/* by a viewer, which may end first */
	bool samples_tell_process;	/* each sample has its process ID */
	bool blind;			/* /proc has other processes, or none */
	bool clock_failed;		/* a message about it was printed */
	struct totals totals;
	struct totals before;		/* the part in earlier captures */
	struct totals elsewhere;	/* losses not of current contexts */
	unsigned int divisions;		/* number of earlier captures */
	struct packed kernel;		/* the kernel's symbols */
	struct capture_counts counts;	/* of closed contexts */
	bool failed;
};

/* Checks the result of a capture function; the first failure is reported. */
static bool written(struct recording *recording, int ret)
{
	if (!ret)
		return true;
	if (!recording->failed && !(recording->watched && errno == EPIPE))
		message("cannot write %s: %s", recording->capture.path,
			strerror(errno));
	recording->failed = true;
	return false;
}

/* Whether data mappings are recorded, too. */
static bool wants_data(const struct plan *plan)
{
	return plan->options->data_maps || plan->format.data_addresses;
}

/* A new capture has no information about processes yet. */
static void know_nothing(struct recording *recording, const struct plan *plan)
{
	recording->maps = maps_create(wants_data(plan));
	recording->threads = threads_create();
	recording->jit = jit_create();
}

static void forget(struct recording *recording)
{
	jit_destroy(recording->jit);
	threads_destroy(recording->threads);
	maps_destroy(recording->maps);
}

/* The events begin before /proc is read, so that no process is missed. */
static void open_events(struct recording *recording, const struct plan *plan)
{
	struct process_totals *totals = &recording->totals.processes;

	totals->wanted = plan->options->system_wide;
	if (totals->wanted)
		recording->events = process_events_open(wants_data(plan),
							&totals->error);
}

struct recording *recording_open(const struct plan *plan)
{
	struct recording *recording = checked_calloc(1, sizeof(*recording));

	pthread_mutex_init(&recording->lock, NULL);
	know_nothing(recording, plan);
	recording->blind = !proc_is_usable();
	recording->totals.lost_known = !recording->blind;
	recording->watched = plan->options->top.interval_ns;
	recording->totals.samples_known =
		plan->format.module || plan->format.device;
	if (written(recording, capture_open(&recording->capture,
					    plan->options->outfile))) {
		open_events(recording, plan);
		return recording;
	}
	recording_close(recording);
	return NULL;
}

bool recording_close(struct recording *recording)
{
	bool ok = written(recording, capture_close(&recording->capture));

	capture_counts_free(&recording->counts);
	process_events_close(recording->events);
	forget(recording);
	free(recording->kernel.bytes);
	pthread_mutex_destroy(&recording->lock);
	free(recording);
	return ok;
}

static bool write_text(struct recording *recording, const char type[4],
		       char *text)
{
	bool ok = written(recording, capture_write(&recording->capture, type,
						   text, strlen(text)));

	free(text);
	return ok;
}

/* Whether samples may have kernel addresses. */
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

/* Without privilege, all addresses in /proc/kallsyms read as 0. */
static bool has_addresses(const char *symbols)
{
	while (*symbols) {
		if (strspn(symbols, "0") < strspn(symbols, "0123456789abcdef"))
			return true;
		symbols += strcspn(symbols, "\n");
		symbols += *symbols == '\n';
	}
	return false;
}

/* The symbol table is large, so it is read and packed once for all captures. */
static void read_kernel_symbols(struct recording *recording)
{
	size_t length;
	char *symbols = read_file("/proc/kallsyms", &length);

	if (!symbols || !has_addresses(symbols))
		message("samples in the kernel will have no symbols: /proc/kallsyms hides addresses (see kernel.kptr_restrict)");
	else if (!capture_pack(&recording->kernel, symbols, length))
		message("samples in the kernel will have no symbols: out of memory");
	free(symbols);
}

static bool write_kernel_symbols(struct recording *recording)
{
	if (!recording->divisions)
		read_kernel_symbols(recording);
	return !recording->kernel.bytes ||
	       written(recording, capture_write_stored(&recording->capture,
						       "KSYM",
						       &recording->kernel));
}

/* Whether the samples of all system-wide contexts have a process ID. */
static bool samples_tell_process(struct context *const *contexts,
				 unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (contexts[i]->cpu == NO_CPU || !contexts[i]->layout ||
		    !contexts[i]->layout->each_process)
			return false;
	}
	return true;
}

static bool write_beginning(struct recording *recording,
			    const struct plan *plan,
			    struct context *const *contexts, unsigned int count)
{
	return write_text(recording, "SESS",
			  session_json(plan, contexts, count)) &&
	       (!samples_kernel(plan) || write_kernel_symbols(recording));
}

bool recording_begin(struct recording *recording,
		     const struct plan *plan,
		     struct context *const *contexts, unsigned int count)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	recording->samples_tell_process = samples_tell_process(contexts, count);
	ok = write_beginning(recording, plan, contexts, count);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

/* Writes a chunk unless the text is NULL. */
static bool write_if_any(struct recording *recording, const char type[4],
			 char *text)
{
	return !text || write_text(recording, type, text);
}

static bool write_mappings(struct recording *recording, pid_t tgid,
			   bool sampled)
{
	char *text = maps_changed(recording->maps, tgid);
	bool ok = written(recording, maps_write_vdsos(recording->maps,
						      &recording->capture));

	ok = write_if_any(recording, "MAPS", text) && ok;
	if (ok && sampled && maps_has_made_code(recording->maps, tgid))
		jit_look_at(recording->jit, tgid);
	return ok;
}

/* Writes changes of a process, and of all its threads or only of new ones. */
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
	pthread_mutex_unlock(&recording->lock);
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

bool recording_process_of_one(struct recording *recording, pid_t tgid)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	maps_next_round(recording->maps);
	ok = recording->blind ||
	     (write_mappings(recording, tgid, true) &&
	      write_thread(recording, tgid, tgid));
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

bool recording_all_processes(struct recording *recording)
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
	pthread_mutex_unlock(&recording->lock);
}

void recording_forget_thread(struct recording *recording, pid_t tid)
{
	pthread_mutex_lock(&recording->lock);
	threads_forget(recording->threads, tid);
	pthread_mutex_unlock(&recording->lock);
}

bool recording_context(struct recording *recording,
		       const struct context *context)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = write_text(recording, "CTXT", context_json(context));
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

/* Writes the events of processes, which precede the samples that need them. */
static bool write_events(struct recording *recording, bool last)
{
	const struct perf_bytes *chunk;
	bool ok = true;

	if (!recording->events)
		return true;
	process_events_read(recording->events, last);
	while (ok && (chunk = process_events_next(recording->events,
						  recording->maps,
						  !recording->blind)))
		ok = written(recording, maps_write_vdsos(recording->maps,
						&recording->capture)) &&
		     written(recording, capture_write(&recording->capture,
						      "PROC", chunk->bytes,
						      chunk->size));
	return ok;
}

int recording_events_fd(const struct recording *recording)
{
	return recording && recording->events ?
	       process_events_fd(recording->events) : -1;
}

bool recording_events(struct recording *recording)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = write_events(recording, false);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

bool recording_new_processes(struct recording *recording)
{
	struct process_events *events = recording->events;

	if (events && !process_events_lost(events))
		return true;
	return recording_events(recording) &&
	       recording_all_processes(recording);
}

static void visit_process(pid_t tgid, void *data)
{
	struct recording *recording = data;

	if (recording->events) {
		if (!recording->blind &&
		    maps_has_made_code(recording->maps, tgid))
			jit_look_at(recording->jit, tgid);
		return;
	}
	/* Examine each process only once per buffer. */
	if (!maps_is_looked_at(recording->maps, tgid))
		write_process(recording, tgid, false, true);
}

static bool write_buffer(struct recording *recording, unsigned int context,
			 uint64_t buf_size, const struct image *image)
{
	if (!written(recording, capture_write_buffer(&recording->capture,
						     context, buf_size, image)))
		return false;
	recording->totals.bytes += image->size;
	return true;
}

/* Records what the samples in a context's buffer need to find their files. */
static bool write_sampled(struct recording *recording,
			  const struct context *context)
{
	const struct smpl_module *layout = context->layout;

	if (!write_events(recording, false))
		return false;
	/* Then only files with generated functions are of interest. */
	if (recording->events && !maps_have_made_code(recording->maps))
		return true;
	maps_next_round(recording->maps);
	if (layout && layout->each_process && context->cpu != NO_CPU)
		layout->each_process(&context->plan->format, &context->image,
				     visit_process, recording);
	return true;
}

bool recording_buffer(struct recording *recording, struct context *context)
{
	const struct smpl_format *format = &context->plan->format;
	const struct smpl_module *layout = context->layout;
	const struct image *image = &context->image;
	bool ok;

	pthread_mutex_lock(&recording->lock);
	ok = write_sampled(recording, context) &&
	     write_buffer(recording, context->id, context->buffer_size, image);
	if (ok && layout) {
		recording->totals.samples -= context->samples;
		context->samples = layout->samples(format, image,
						   context->samples);
		recording->totals.samples += context->samples;
		recording->totals.samples_known = true;
	}
	pthread_mutex_unlock(&recording->lock);
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
		ok = written(recording, capture_write(&recording->capture, type,
						      text, strlen(text)));
	pthread_mutex_unlock(&recording->lock);
	free(text);
	return ok;
}

void recording_notification(struct recording *recording)
{
	pthread_mutex_lock(&recording->lock);
	recording->totals.notifications++;
	pthread_mutex_unlock(&recording->lock);
}

void recording_lost(struct recording *recording, uint64_t samples)
{
	pthread_mutex_lock(&recording->lock);
	recording->elsewhere.lost += samples;
	recording->totals.lost += samples;
	pthread_mutex_unlock(&recording->lock);
}

static void tell_of_handler(const struct context *context,
			    const struct context_stats *stats)
{
	if (stats->handler_errors)
		message("context %u: failed calls to the format's handler: %llu, the last with: %s",
			context->id, (unsigned long long)stats->handler_errors,
			strerror(stats->handler_errno));
	if (stats->handler_bad_ctrl)
		message("context %u: calls to the format's handler with unknown control bits: %llu",
			context->id,
			(unsigned long long)stats->handler_bad_ctrl);
	if (stats->handler_no_ctrl)
		message("context %u: calls to the format's handler without a control bit, which did not reset the counter: %llu",
			context->id,
			(unsigned long long)stats->handler_no_ctrl);
}

static void tell_of_trouble(const struct context *context,
			    const struct context_stats *stats)
{
	if (stats->messages_dropped)
		message("context %u: %llu notifications were dropped because they were not read in time; use longer periods",
			context->id,
			(unsigned long long)stats->messages_dropped);
	tell_of_handler(context, stats);
}

bool recording_clocks(struct recording *recording, const struct moment *moment)
{
	bool ok = true;

	pthread_mutex_lock(&recording->lock);
	if (!moment->error)
		ok = write_text(recording, "CLCK", clocks_json(moment));
	else if (!recording->clock_failed)
		message("sample times cannot be converted to other clocks, because perf's clock cannot be read: %s",
			strerror(moment->error));
	recording->clock_failed |= moment->error;
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

static void add_losses(struct totals *totals, struct context_stats stats)
{
	totals->lost += stats.lost;
	totals->skipped += stats.skipped;
	totals->throttled += stats.throttled;
}

/* Updates the losses. */
static void count_losses(struct recording *recording,
			 struct context *const *contexts, unsigned int count)
{
	recording->totals.lost = recording->elsewhere.lost;
	recording->totals.skipped = recording->elsewhere.skipped;
	recording->totals.throttled = recording->elsewhere.throttled;
	for (unsigned int i = 0; i < count; i++)
		add_losses(&recording->totals, context_stats(contexts[i]));
}

/* The part of the totals that is in this capture and not in earlier ones. */
static struct totals totals_of_capture(const struct recording *recording)
{
	const struct totals *before = &recording->before;
	struct totals totals = recording->totals;

	totals.samples -= before->samples;
	totals.lost -= before->lost;
	totals.skipped -= before->skipped;
	totals.throttled -= before->throttled;
	totals.processes.lost -= before->processes.lost;
	totals.notifications -= before->notifications;
	totals.bytes -= before->bytes;
	return totals;
}

static bool write_end(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      int exit_status)
{
	struct totals totals;
	bool ok;

	count_losses(recording, contexts, count);
	for (unsigned int i = 0; i < count; i++)
		capture_counts_add(&recording->counts, contexts[i]);
	ok = write_events(recording, true);
	if (recording->events)
		recording->totals.processes.lost =
			process_events_lost(recording->events);
	totals = totals_of_capture(recording);
	ok = ok &&
	     written(recording, jit_write(recording->jit,
					  &recording->capture)) &&
	     write_text(recording, "DONE",
			totals_json(plan, &recording->counts, &totals,
				    exit_status));
	capture_counts_free(&recording->counts);
	return ok;
}

void recording_context_ended(struct recording *recording,
			     const struct context *context)
{
	pthread_mutex_lock(&recording->lock);
	add_losses(&recording->elsewhere, context->stats);
	add_losses(&recording->totals, context->stats);
	tell_of_trouble(context, &context->stats);
	capture_counts_add(&recording->counts, context);
	pthread_mutex_unlock(&recording->lock);
}

bool recording_end(struct recording *recording, const struct plan *plan,
		   struct context *const *contexts, unsigned int count,
		   int exit_status)
{
	struct context_stats stats;
	bool ok;

	pthread_mutex_lock(&recording->lock);
	for (unsigned int i = 0; i < count; i++) {
		stats = context_stats(contexts[i]);
		tell_of_trouble(contexts[i], &stats);
	}
	ok = write_end(recording, plan, contexts, count, exit_status);
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

/* Renames the capture and returns its new name; NULL with a message if not. */
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

static bool begin_next(struct recording *recording, const struct plan *plan,
		       struct context *const *contexts, unsigned int count)
{
	const char *path = recording->capture.path;

	recording->before = recording->totals;
	recording->divisions++;
	forget(recording);
	know_nothing(recording, plan);
	return written(recording, capture_close(&recording->capture)) &&
	       written(recording, capture_open(&recording->capture, path)) &&
	       write_beginning(recording, plan, contexts, count);
}

bool recording_divide(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      struct division *division)
{
	bool ok = true;

	pthread_mutex_lock(&recording->lock);
	division->path = put_aside(recording);
	if (division->path) {
		ok = write_end(recording, plan, contexts, count,
			       NO_EXIT_STATUS);
		division->totals = totals_of_capture(recording);
		ok = ok && begin_next(recording, plan, contexts, count);
	}
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

bool recording_tick(struct recording *recording, const struct plan *plan,
		    struct context *const *contexts, unsigned int count)
{
	bool ok;

	pthread_mutex_lock(&recording->lock);
	count_losses(recording, contexts, count);
	ok = write_text(recording, "TICK",
			tick_json(plan, &recording->totals));
	pthread_mutex_unlock(&recording->lock);
	return ok;
}

struct totals recording_now(struct recording *recording,
			    struct context *const *contexts, unsigned int count)
{
	pthread_mutex_lock(&recording->lock);
	count_losses(recording, contexts, count);
	pthread_mutex_unlock(&recording->lock);
	return recording_totals(recording);
}

struct totals recording_totals(struct recording *recording)
{
	struct totals totals;

	pthread_mutex_lock(&recording->lock);
	totals = recording->totals;
	totals.cut = recording->failed;
	pthread_mutex_unlock(&recording->lock);
	return totals;
}
