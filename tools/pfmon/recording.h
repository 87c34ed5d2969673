/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording.h - what sampling leaves behind: its capture and totals */
#ifndef PFMON_RECORDING_H
#define PFMON_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "clocks.h"
#include "context.h"
#include "image.h"
#include "plan.h"

struct totals {
	uint64_t samples;
	bool samples_known;		/* the format's layout is known */
	uint64_t lost;
	uint64_t notifications;
	uint64_t bytes;			/* of the buffers that were saved */
};

/*
 * Used by several threads at once; every function takes its lock. A write that
 * fails is reported once, and ends the recording: the calls that follow return
 * false without a message.
 */
struct recording;

/* NULL with a message if the capture cannot be created. */
struct recording *recording_open(const struct plan *plan);

/* The first chunks: the session, and the kernel's symbols if they matter. */
bool recording_begin(struct recording *recording,
		     const struct plan *plan,
		     struct context *const *contexts, unsigned int count);

/*
 * Mappings and threads of one process, or of all that exist, as far as they
 * changed; or, quicker, of one with the threads that are new.
 */
bool recording_process(struct recording *recording, pid_t tgid);
bool recording_all_processes(struct recording *recording);
bool recording_new_of_process(struct recording *recording, pid_t tgid);

/* As recording_process(), of one that has no thread but the first. */
bool recording_process_of_one(struct recording *recording, pid_t tgid);

/* A thread, as far as it has changed. */
bool recording_thread(struct recording *recording, pid_t tgid, pid_t tid);

/* They are gone; others may have their numbers. */
void recording_forget_process(struct recording *recording, pid_t tgid);
void recording_forget_thread(struct recording *recording, pid_t tid);

/* A context that SESS does not have; before its samples. */
bool recording_context(struct recording *recording,
		       const struct context *context);

/* It goes before the recording ends; its counts have been read. */
void recording_context_ended(struct recording *recording,
			     const struct context *context);

/* What the clocks showed; an error is reported once, and is none otherwise. */
bool recording_clocks(struct recording *recording, const struct moment *moment);

/*
 * What was saved last of the context's buffer; for a CPU, after the mappings of
 * the processes that the samples are of.
 */
bool recording_buffer(struct recording *recording,
		      const struct context *context);

/*
 * A part of a stream, and the text of a chunk that explains it, or NULL; the
 * text is freed.
 */
bool recording_stream(struct recording *recording, const struct image *image,
		      uint64_t samples, const char type[4], char *text);

void recording_notification(struct recording *recording);

/* Samples that were lost, beside those of the contexts. */
void recording_lost(struct recording *recording, uint64_t samples);

/*
 * The last chunk; the contexts are those that are still there. The totals must
 * not change any more.
 */
bool recording_end(struct recording *recording, const struct plan *plan,
		   struct context *const *contexts, unsigned int count,
		   int exit_status);

/* A capture that was finished before the end, and what of the totals it has. */
struct division {
	char *path;		/* to be freed; NULL if it could not be done */
	struct totals totals;
};

/*
 * Finishes the capture, gives it a name of its own, and begins the next one
 * under the old name, as recording_begin() does. If it cannot be renamed, it
 * goes on, after a message.
 */
bool recording_divide(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      struct division *division);

/* A TICK chunk: what was recorded by now, for who watches. */
bool recording_tick(struct recording *recording, const struct plan *plan,
		    struct context *const *contexts, unsigned int count);

/* A copy of the totals at this moment. */
struct totals recording_totals(struct recording *recording);

/* The same, with what contexts say that they have lost by now. */
struct totals recording_now(struct recording *recording,
			    struct context *const *contexts,
			    unsigned int count);

/*
 * Frees it, too; false with a message if what was written did not reach the
 * file.
 */
bool recording_close(struct recording *recording);

#endif /* PFMON_RECORDING_H */
