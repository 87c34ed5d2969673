/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * worker.h - processes that work on demand, for tests to monitor
 */
#ifndef GUEST_WORKER_H
#define GUEST_WORKER_H

#include <sys/types.h>

enum work {
	WORK_TOUCH,		/* n page faults */
	WORK_TOUCH_IN_CHILD,	/* n page faults in a process that it forks */
	WORK_TOUCH_IN_THREAD,	/* n page faults in a thread that it creates */
	WORK_PIN,		/* run on CPU n only */
	WORK_EXEC,		/* go on as the program "worker" */
	WORK_EXEC_SETID,	/* go on as SETID_WORKER */
};

/* A copy of the program "worker" that is set-uid. */
#define SETID_WORKER	"/tmp/setid-worker"
void worker_make_setid(void);

/**
 * struct worker - a worker, as its controller sees it
 * @pid:  its only thread
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
/* The same; it runs on CPU 0 only. */
void worker_start_pinned(struct worker *w);
/* The same; the only descriptor that it inherits is this one. */
void worker_start_holding(struct worker *w, int fd);
/* The same, as the user nobody. */
void worker_start_as_nobody(struct worker *w);
/* Give it work. */
void worker_ask(const struct worker *w, enum work what, unsigned long n);
/* Wait until it has done its work. */
void worker_wait(const struct worker *w);
/* Give it work and wait until that is done. */
void worker_do(const struct worker *w, enum work what, unsigned long n);
/* Page faults that it has had, until it calls exec. */
static inline unsigned long worker_progress(const struct worker *w)
{
	return __atomic_load_n(w->progress, __ATOMIC_RELAXED);
}

/* Let it exit, and wait for it. */
void worker_quit(const struct worker *w);
/* Kill it, and wait for it. */
void worker_kill(const struct worker *w);

/* The worker's side: do what is asked until the pipe is closed. */
void worker_loop(int ask, int done, unsigned long *progress);
/* Its descriptors after an exec. */
#define WORKER_ASK_FD	100
#define WORKER_DONE_FD	101
#define WORKER_HELD_FD	102

/* Make the calling process the unprivileged user nobody. */
void become_nobody(void);
/* Path of another program of these tests; overwritten by the next call. */
const char *program_path(const char *name);

#endif /* GUEST_WORKER_H */
