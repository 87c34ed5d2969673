/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * worker.h - worker processes for tests to monitor
 */
#ifndef GUEST_WORKER_H
#define GUEST_WORKER_H

#include <sys/types.h>

enum work {
	WORK_TOUCH,		/* n page faults */
	WORK_TOUCH_IN_CHILD,	/* n page faults in a forked process */
	WORK_TOUCH_IN_THREAD,	/* n page faults in a new thread */
	WORK_PIN,		/* run on CPU n only */
	WORK_EXEC,		/* exec the program "worker" */
	WORK_EXEC_SETID,	/* exec SETID_WORKER */
};

/* A set-uid copy of the program "worker". */
#define SETID_WORKER	"/tmp/setid-worker"
void worker_make_setid(void);

/**
 * struct worker - a worker, as its controller sees it
 * @pid: ID of its only thread
 * @ask:  pipe to it
 * @done: pipe from it
 * @progress: see worker_progress()
 */
struct worker {
	pid_t			pid;
	int			ask;
	int			done;
	unsigned long		*progress;
};

void worker_start(struct worker *w);
/* Start a worker that may run only on CPU 0. */
void worker_start_pinned(struct worker *w);
/* Start a worker that also inherits this descriptor. */
void worker_start_holding(struct worker *w, int fd);
/* Start a worker as the user nobody. */
void worker_start_as_nobody(struct worker *w);
/* Give the worker work, and return without waiting. */
void worker_ask(const struct worker *w, enum work what, unsigned long n);
/* Wait until the worker has finished its work. */
void worker_wait(const struct worker *w);
/* Give the worker work, and wait until the worker has finished. */
void worker_do(const struct worker *w, enum work what, unsigned long n);
/*
 * Return how many page faults the worker has caused. After an exec, the number
 * no longer changes.
 */
static inline unsigned long worker_progress(const struct worker *w)
{
	return __atomic_load_n(w->progress, __ATOMIC_RELAXED);
}

/* Make the worker exit, and reap it. */
void worker_quit(const struct worker *w);
/* Kill the worker, and reap it. */
void worker_kill(const struct worker *w);

/* Do work on request until the pipe is closed. Called in the worker. */
void worker_loop(int ask, int done, unsigned long *progress);
/* Descriptors in the worker, which stay open across exec. */
#define WORKER_ASK_FD	100
#define WORKER_DONE_FD	101
#define WORKER_HELD_FD	102

/* Change the calling process to the unprivileged user nobody. */
void become_nobody(void);
/*
 * Return the path of another test program. The next call overwrites the path.
 */
const char *program_path(const char *name);

#endif /* GUEST_WORKER_H */
