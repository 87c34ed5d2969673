/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* context.h - a context of perfmon from creation to close */
#ifndef PFMON_SESSION_CONTEXT_H
#define PFMON_SESSION_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "formats/format.h"
#include "session/buffers.h"
#include "session/plan.h"
#include "session/results.h"

/* Statistics of a context, from fdinfo and from its sampling buffers. */
struct context_stats {
	uint64_t lost;			/* overflows and samples lost */
	uint64_t skipped;		/* samples that the format skipped */
	uint64_t evicted;		/* states of threads */
	uint64_t throttled;		/* times that perf stopped a counter */
	uint64_t limited;		/* times that a limit masked a thread */
	uint64_t messages_dropped;
	uint64_t handler_errors;	/* failures of the format's handler */
	int handler_errno;		/* of the last failure */
	uint64_t handler_no_ctrl;	/* calls that set no control bit */
	uint64_t handler_bad_ctrl;	/* calls that set unknown ones */
	uint64_t unborn;		/* threads without a context */
};

/* The counts of a control group on the CPU of the context. */
struct cgroup_result {
	struct result now;
	struct result printed;		/* the part of @now that was printed */
};

struct context {
	const struct plan *plan;
	unsigned int id;
	pid_t tid;			/* load_pid of PFM_LOAD_CONTEXT */
	int cpu;			/* NO_CPU for a per-thread context */
	int fd;
	const char *alone;		/* why it is not inherited, or NULL */
	bool started;			/* monitoring was started */
	unsigned int pauses;		/* nesting of context_pause() */
	struct buffers buffers;
	int notifier;			/* CPU of the last PFM_MSG_OVFL */
	struct image empty;		/* image of the buffer before its use */
	bool restarted;			/* PFM_RESTART was called */
	uint64_t former_ns;		/* time of set 0 in earlier uses */
	uint64_t former_runs;		/* runs of set 0 in earlier uses */
	struct frequency *frequency;	/* NULL if no period is adapted */
	struct result result;		/* as last read */
	struct context_stats stats;	/* as last read */
	struct result printed;		/* printed part of result */
	struct cgroup_result *cgroups;	/* with plan->by_cgroup */
};

/*
 * Returns whether children inherit the context, so that the kernel measures
 * them.
 */
bool context_has_family(const struct context *context);

/* On failure, these functions print a message and return false. */

bool context_start(struct context *context);

/* Makes the context start with a set when the thread executes a program. */
bool context_start_at_exec(struct context *context, unsigned int set);

/*
 * Stop a started context temporarily, so that its buffer does not change, and
 * resume it. Both functions also return true if the thread has ended or the CPU
 * is offline. Pauses may be nested.
 */
bool context_pause(struct context *context);
bool context_go_on(struct context *context);

/*
 * Returns whether the errno of a failed command means that the context is
 * detached.
 */
bool context_is_gone(int error);

/*
 * Reads the next message without blocking. Returns its PFM_MSG_* type, 0 if
 * there is none, -1 with an error message on failure.
 */
int context_next_message(struct context *context);

#endif /* PFMON_SESSION_CONTEXT_H */
