/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* context.h - a context from its creation to its end */
#ifndef PFMON_CONTEXT_H
#define PFMON_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "formats/format.h"
#include "image.h"
#include "plan.h"
#include "results.h"

/* What fdinfo and the sampling buffer tell of a context. */
struct context_stats {
	uint64_t lost;			/* overflows and samples lost */
	uint64_t messages_dropped;
	uint64_t handler_errors;	/* odd answers of the format's */
	int handler_errno;		/* of the last error */
	uint64_t handler_no_ctrl;
	uint64_t handler_bad_ctrl;
};

struct context {
	const struct plan *plan;
	unsigned int id;
	pid_t tid;			/* what was passed as load_pid */
	int cpu;			/* NO_CPU for a per-thread context */
	int fd;
	bool started;			/* and not stopped for good */
	unsigned int pauses;		/* one within the other */
	void *buffer;			/* mapping of the sampling buffer */
	size_t buffer_size;		/* 0 without a buffer */
	const struct smpl_module *layout; /* of the buffer; NULL: unknown */
	struct image image;		/* what was saved last of the buffer */
	struct image empty;		/* the same before all; or nothing */
	bool restarted;			/* since then */
	uint64_t former_ns;		/* of set 0, with threads before */
	uint64_t former_runs;
	struct frequency *frequency;	/* NULL if no period is adapted */
	struct result result;		/* when it was read */
	struct context_stats stats;	/* then */
	struct result printed;		/* the part of it that was printed */
};

/* All functions that can fail return false with a message. */

/* Creates, maps and programs a context; it must be closed if that worked. */
bool context_open(struct context *context, const struct plan *plan,
		  unsigned int id, int cpu);
void context_close(struct context *context);

/*
 * Makes one that is not attached, and was read, as good as new for another
 * thread; false if that cannot be: it has several event sets, or anything was
 * sampled or lost.
 */
bool context_renew(struct context *context);

/* What the layout of the buffer is, as the format or its header says. */
void context_find_layout(struct context *context);

/* If it fails it sets errno: ESRCH if the thread has ended. */
bool context_load(struct context *context, pid_t tid);
bool context_start(struct context *context);

/*
 * Between the two a started context is not monitoring: its buffer stays as it
 * is. A thread that has ended meanwhile, and a CPU that is offline, are no
 * error. What is between them may be paused, too.
 */
bool context_pause(struct context *context);
bool context_go_on(struct context *context);

/*
 * Unloads; a context that is unloaded already is not an error. Says so if its
 * CPU has gone offline meanwhile.
 */
void context_unload(struct context *context);

/*
 * Takes the next message without waiting. Returns its PFM_MSG_* type, 0 if
 * there is none, -1 with a message on an error.
 */
int context_next_message(struct context *context);

/*
 * Ends a notification, or saves what an exec or context_pause() has
 * interrupted: copies, at least what a restart frees, and restarts. Returns 1
 * if the image is to be recorded, 0 if not, -1 with a message on an error. A
 * thread that has ended meanwhile is not an error: its buffer is saved at the
 * end.
 */
int context_save_and_restart(struct context *context, enum smpl_moment moment);

/* Copies all that is left, after context_unload(); false without a buffer. */
bool context_save_rest(struct context *context);

/* Reads the result and the stats. */
bool context_read_counts(struct context *context);

/* Those of now. */
struct context_stats context_stats(const struct context *context);

#endif /* PFMON_CONTEXT_H */
