/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* recording_state.h - the state of a recording, for the files that write it */
#ifndef PFMON_CAPTURE_RECORDING_STATE_H
#define PFMON_CAPTURE_RECORDING_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "capture/capture.h"
#include "capture/capture_json.h"
#include "capture/kernel_symbols.h"

struct jit;
struct maps;
struct process_events;
struct table_set;
struct threads;

struct recording {
	pthread_mutex_t lock;
	struct capture capture;
	struct maps *maps;
	struct table_set *tables;	/* the plan's; or NULL */
	struct threads *threads;
	struct jit *jit;
	time_t begun;			/* when the recording began */
	struct process_events *events;	/* NULL: read /proc instead */
	bool watched;			/* a viewer is reading the capture */
	bool samples_tell_process;	/* each sample has its process ID */
	bool family;			/* threads share the buffers */
	bool blind;			/* /proc cannot be used */
	bool clock_failed;		/* a message about it was printed */
	struct totals totals;
	struct totals before;		/* totals of earlier captures */
	struct totals elsewhere;	/* losses of closed contexts, streams */
	unsigned int divisions;		/* number of earlier captures */
	uint64_t carried;		/* end of the copied chunks */
	bool saved;			/* this capture has a buffer */
	/*
	 * The thread that begins or ends a capture uses these two without the
	 * lock. In a system-wide session, the main thread begins the first
	 * capture and ends the last one. At a snapshot, the worker that saves
	 * last uses them: system.unsaved allows one snapshot at a time, and the
	 * main thread joins the workers before the end.
	 */
	struct kernel_symbols kernel;
	bool old_modules;		/* in this capture's symbols */

	struct capture_counts counts;	/* of closed contexts */
	bool failed;
};

/*
 * The caller holds the recording's lock.
 *
 * recording_written() checks the result of a capture function, and reports the
 * first failure. The other functions write a chunk; recording_write_text()
 * frees the text.
 */
bool recording_written(struct recording *recording, int ret);
bool recording_write(struct recording *recording, const char type[4],
		     const void *payload, size_t size);
bool recording_write_text(struct recording *recording, const char type[4],
			  char *text);

/*
 * Releases the lock, then loads the unwind tables of the files whose mappings
 * were recorded under it. Compiling a table takes long, so the lock is not held
 * meanwhile.
 */
void recording_unlock(struct recording *recording);

#endif /* PFMON_CAPTURE_RECORDING_STATE_H */
