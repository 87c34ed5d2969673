/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording.h - write the captures of a sampling session */
#ifndef PFMON_CAPTURE_RECORDING_H
#define PFMON_CAPTURE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/capture_json.h"
#include "capture/clocks.h"
#include "capture/perf_ring.h"
#include "formats/image.h"
#include "session/context.h"
#include "session/plan.h"

/*
 * Several threads may use a recording: each function except recording_open()
 * and recording_close() takes its lock. The first failed write prints a message
 * and ends the recording: later writes fail without a message.
 */
struct recording;

/*
 * Opens a capture. Returns NULL, with a message, if the capture cannot be
 * created. @tgid is the sampled process, perhaps with its children, or
 * ALL_PROCESSES. If @family is set, threads share the buffers.
 */
struct recording *recording_open(const struct plan *plan, pid_t tgid,
				 bool family);

/* Writes the SESS chunk and, if the kernel is sampled, the kernel's symbols. */
bool recording_begin(struct recording *recording,
		     const struct plan *plan,
		     struct context *const *contexts, unsigned int count);

/*
 * Writes the description of a context that is not in the SESS chunk. Call it
 * before the context's samples are written.
 */
bool recording_context(struct recording *recording,
		       const struct context *context);

/*
 * Writes the format's argument after a change, which began at @begun_ns
 * (CLOCK_MONOTONIC).
 */
void recording_argument(struct recording *recording,
			const struct smpl_format *format, uint64_t begun_ns);

/*
 * Writes clock values. If they could not be read, prints a message, but only
 * once.
 */
bool recording_clocks(struct recording *recording, const struct moment *moment);

/*
 * Writes the saved buffers of a context, and counts their samples. If threads
 * share a buffer, first writes the mappings of all processes that have samples
 * in the buffer.
 */
bool recording_buffer(struct recording *recording,
		      const struct context *context);

/*
 * Writes data from the format's device (see stream.h) as a buffer. If @text is
 * not NULL, also writes it as a chunk of type @type, and frees it.
 */
bool recording_stream(struct recording *recording, const struct image *image,
		      uint64_t samples, const char type[4], char *text);

/*
 * Writes the last chunk. @contexts are the contexts that still exist. Nothing
 * that changes the totals may be called afterwards.
 */
bool recording_end(struct recording *recording, const struct plan *plan,
		   struct context *const *contexts, unsigned int count,
		   int exit_status);

/*
 * A capture that a snapshot has finished, and that capture's part of the
 * totals.
 */
struct division {
	char *path;		/* to be freed; NULL if none was finished */
	struct totals totals;
};

/*
 * Renames and finishes the capture, then begins the next one under the original
 * name, as recording_begin() does. *division describes the finished capture. If
 * the capture cannot be renamed, prints a message and continues to record it.
 */
bool recording_divide(struct recording *recording, const struct plan *plan,
		      struct context *const *contexts, unsigned int count,
		      struct division *division);

/* Writes a TICK chunk with the current totals, for the live view. */
bool recording_tick(struct recording *recording, const struct plan *plan,
		    struct context *const *contexts, unsigned int count);

/*
 * Closes the capture and frees the recording. Returns false if the capture is
 * incomplete; a message has then been printed.
 */
bool recording_close(struct recording *recording);

#endif /* PFMON_CAPTURE_RECORDING_H */
