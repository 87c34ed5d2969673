/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* followed.h - the threads and processes of a measurement that follows them */
#ifndef PFMON_MEASURE_FOLLOWED_H
#define PFMON_MEASURE_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/pid_table.h"
#include "measure/measure.h"
#include "measure/pool.h"

/*
 * A thread gets a context when it begins. pfmon takes the context back when the
 * thread ends or executes a program that must not be measured. pfmon also
 * traces threads that it does not measure, because they or their children may
 * execute a program that must be measured.
 */
struct follow {
	struct measurement *m;
	struct pool pool;
	struct pid_table threads;
	struct pid_table processes;
	pid_t first;		/* first thread to be measured */
	int epoll_fd;		/* readable: call follow_serve() */
	int work_fd;		/* readable while the pool is low */
	bool working;		/* work_fd is readable */
	int timer_fd;		/* for periodic checks for daemons; or -1 */
	uint64_t look_again_ns;	/* earliest next search for mapped code */
	bool begun;		/* monitoring has started (see --delay) */
	bool paused;		/* by follow_pause() */
	bool ended;		/* no thread is measured any more */
	uint64_t unmeasured;	/* number of threads without a context */
	char *reason;		/* why threads have no context, or NULL */
	struct rlimit descriptors;	/* original RLIMIT_NOFILE */
	bool raised;
};

struct process {
	struct pid_entry entry;
	char comm[COMM_LENGTH];	/* name, at first the parent's; or "" */
	unsigned int threads;
	unsigned int leaving;	/* number of exiting threads */
	bool measured;
	bool examined;		/* an exit since the last exec recorded it */
};

struct thread {
	struct pid_entry entry;
	struct process *process;
	struct context *context;	/* NULL if not measured */
	bool loaded;			/* the context is attached */
	bool watched;			/* its context is polled for messages */
	bool leaving;
};

#endif /* PFMON_MEASURE_FOLLOWED_H */
