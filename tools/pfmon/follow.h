/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow.h - the threads of a measurement, and the context of each */
#ifndef PFMON_FOLLOW_H
#define PFMON_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "measure.h"
#include "pid_table.h"
#include "pool.h"

/*
 * A thread gets a context when it begins, and gives it back when it ends or its
 * program is one that is not to be measured. What is not measured is traced all
 * the same: it may become, or make, what is.
 */
struct follow {
	struct measurement *m;
	struct pool pool;
	struct pid_table threads;
	struct pid_table processes;
	pid_t first;		/* that was there at the start */
	int epoll_fd;		/* readable: follow_serve() is to be called */
	int work_fd;		/* raised while the pool is low */
	bool working;		/* it is raised */
	int timer_fd;		/* looks for daemons; or -1 */
	bool begun;		/* monitoring, which may be put off */
	bool paused;		/* by follow_pause() */
	bool ended;		/* no thread is measured any more */
	uint64_t unmeasured;	/* threads that got no context */
	char *reason;		/* why; or NULL */
	struct rlimit descriptors;	/* from before they were raised */
	bool raised;
};

/* False with a message. Contexts are made ahead if threads are followed. */
bool follow_init(struct follow *follow, struct measurement *m);
void follow_free(struct follow *follow);

/*
 * Attaches to threads that exist, and starts the recording and, unless that is
 * put off, follow_start(). Those that have ended meanwhile are no error, unless
 * all have.
 */
bool follow_begin(struct follow *follow, pid_t tgid, const pid_t *tids,
		  unsigned int count);

/* Lets all threads be monitored from now on, if they are not yet. */
bool follow_start(struct follow *follow);

/* Monitors no thread between them; what is the case already is no error. */
bool follow_pause(struct follow *follow);
bool follow_go_on(struct follow *follow);

/* What has happened to a thread that is traced; data is the struct follow. */
void follow_handle(const struct trace_event *event, void *data);

/* Reads messages, or makes contexts ahead if there is nothing else to do. */
void follow_serve(struct follow *follow);

/*
 * Does anything go on that the measurement waits for, beside the command?
 * Daemons do not count: processes that have left the session.
 */
bool follow_has_company(struct follow *follow);

/* Lists the contexts there are in the measurement, for as long as asked for. */
void follow_list(struct follow *follow);
void follow_unlist(struct follow *follow);

/* measurement_snapshot() of all threads. */
bool follow_snapshot(struct follow *follow, pid_t tgid);

/* frequency_look() at all threads. */
bool follow_look(struct follow *follow);

/* measurement_refresh() of all threads. */
bool follow_refresh(struct follow *follow);

/* Mappings and threads of all processes, as far as they have changed. */
void follow_record(struct follow *follow);

/* Ends the measurement of all threads, which go on. */
void follow_end(struct follow *follow);

/* Says what was not measured. */
void follow_report(const struct follow *follow);

#endif /* PFMON_FOLLOW_H */
