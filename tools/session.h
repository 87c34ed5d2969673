/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* session.h - one measurement: its registers, and contexts that hold them */
#ifndef PFMON_SESSION_H
#define PFMON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "options.h"
#include "smpl.h"

#define NO_CPU	(-1)

/*
 * What all contexts of a measurement have in common. Event number i is
 * programmed into PMC i and counted by PMD i.
 */
struct session {
	const struct options *options;
	struct smpl_format format;	/* only if sampling */
	pfarg_pmc_t *pmcs;		/* one per event */
	pfarg_pmd_t *pmds;		/* one per event */
	__u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64 reset_pmds[PFM_MAX_PMD_BITVECTOR];
	uint64_t start_ns;		/* CLOCK_REALTIME */
};

struct context {
	const struct session *session;
	unsigned int id;
	pid_t tid;			/* what was passed as load_pid */
	int cpu;			/* NO_CPU for a per-thread context */
	int fd;
	void *buffer;			/* mapping of the sampling buffer */
	size_t buffer_size;		/* 0 without a buffer */
	void *copy;			/* last saved content of the buffer */
	size_t copy_used;
	uint64_t copy_time_ns;		/* CLOCK_MONOTONIC */
	uint64_t *counts;		/* one per event, when they were read */
};

/* What fdinfo tells of a context. */
struct context_stats {
	uint64_t lost;			/* overflows without a sample */
	uint64_t messages_dropped;
};

/* All functions that can fail return false with a message. */
bool session_init(struct session *session, const struct options *options);
void session_free(struct session *session);

/* Creates, maps and programs a context; it must be closed if that worked. */
bool context_open(struct context *context, const struct session *session,
		  unsigned int id, int cpu);
void context_close(struct context *context);

bool context_load(struct context *context, pid_t tid);
bool context_start(struct context *context);

/* Detaches; a context that is detached already is no error. */
void context_unload(struct context *context);

/*
 * Takes the next message without waiting. Returns its PFM_MSG_* type, 0 if
 * there is none, -1 with a message on an error.
 */
int context_next_message(struct context *context);

/* Copies the used part of the buffer. False, silently, if nothing is new in it. */
bool context_save_buffer(struct context *context);

/*
 * Ends a notification. False with a message on an error; a thread that has
 * ended meanwhile is none.
 */
bool context_restart(struct context *context);

/* Reads the PMDs of all events into counts. */
bool context_read_counts(struct context *context);

struct context_stats context_stats(const struct context *context);

#endif /* PFMON_SESSION_H */
