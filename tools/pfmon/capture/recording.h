/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording.h - write the capture and the totals of a sampling session */
#ifndef PFMON_CAPTURE_RECORDING_H
#define PFMON_CAPTURE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/capture_json.h"
#include "capture/clocks.h"
#include "formats/image.h"
#include "session/context.h"
#include "session/plan.h"

/*
 * Several threads may use a recording; each function takes its lock. The first
 * failed write prints a message and ends the recording: all further calls
 * return false without a message.
 */
struct recording;

/* Returns NULL, with a message, if the capture cannot be created. */
struct recording *recording_open(const struct plan *plan);

/* Writes the session and, if the kernel is sampled, the kernel's symbols. */
bool recording_begin(struct recording *recording,
		     const struct plan *plan,
		     struct context *const *contexts, unsigned int count);

/*
 * Write changed mappings and threads of one process, of all processes, or,
 * which is faster, changed mappings and only new threads of one process.
 */
bool recording_process(struct recording *recording, pid_t tgid);
bool recording_all_processes(struct recording *recording);
bool recording_new_of_process(struct recording *recording, pid_t tgid);

/*
 * A system-wide session records what all processes do while it runs, if perf
 * permits that. Otherwise mappings are read from /proc with the samples.
 *
 * recording_events_fd() returns a descriptor that is readable if
 * recording_events() should be called; -1 if there is none.
 * recording_new_processes() writes processes that are not known from events.
 */
int recording_events_fd(const struct recording *recording);
bool recording_events(struct recording *recording);
bool recording_new_processes(struct recording *recording);

/* Like recording_process(), for a process with only one thread. */
bool recording_process_of_one(struct recording *recording, pid_t tgid);

/* Writes a thread if it has changed. */
bool recording_thread(struct recording *recording, pid_t tgid, pid_t tid);

/* Forget an ended process or thread, whose ID may be reused. */
void recording_forget_process(struct recording *recording, pid_t tgid);
void recording_forget_thread(struct recording *recording, pid_t tid);

/* Writes a context that is not in SESS, before its samples. */
bool recording_context(struct recording *recording,
		       const struct context *context);

/* Accounts for a context that is closed early, after reading its counts. */
void recording_context_ended(struct recording *recording,
			     const struct context *context);

/* Writes clock values. If they could not be read, prints one message only. */
bool recording_clocks(struct recording *recording, const struct moment *moment);

/*
 * Writes context->image, and counts its samples. For a system-wide context,
 * first writes the mappings of the processes in its samples.
 */
bool recording_buffer(struct recording *recording, struct context *context);

/*
 * Writes a part of a stream. If @text is not NULL, it explains the part: writes
 * it to a chunk of its own, and frees it.
 */
bool recording_stream(struct recording *recording, const struct image *image,
		      uint64_t samples, const char type[4], char *text);

void recording_notification(struct recording *recording);

/* Adds lost samples that are not in the statistics of contexts. */
void recording_lost(struct recording *recording, uint64_t samples);

/*
 * Writes the last chunk. @contexts are the contexts that still exist. The
 * totals must not change afterwards.
 */
bool recording_end(struct recording *recording, const struct plan *plan,
		   struct context *const *contexts, unsigned int count,
		   int exit_status);

/* A capture that a snapshot has finished, and its part of the totals. */
struct division {
	char *path;		/* to be freed; NULL if not divided */
	struct totals totals;
};

/*
 * Finishes and renames the capture, and begins the next one under the original
 * name, like recording_begin(). If it cannot be renamed, prints a message and
 * continues the current capture.
 */
bool recording_divide(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      struct division *division);

/* Writes a TICK chunk with the current totals, for the live view. */
bool recording_tick(struct recording *recording, const struct plan *plan,
		    struct context *const *contexts, unsigned int count);

/* Returns a copy of the totals. */
struct totals recording_totals(struct recording *recording);

/* Returns the totals after updating the losses of the contexts. */
struct totals recording_now(struct recording *recording,
			    struct context *const *contexts,
			    unsigned int count);

/*
 * Closes the capture and frees the recording. Returns false, with a message, if
 * the capture is incomplete.
 */
bool recording_close(struct recording *recording);

#endif /* PFMON_CAPTURE_RECORDING_H */
