/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trace.h - threads under ptrace: what becomes of them, and how they go on */
#ifndef PFMON_TRACE_H
#define PFMON_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "pid_table.h"

/* What new threads and processes are traced as well. */
#define TRACE_FORK	0x1
#define TRACE_VFORK	0x2
#define TRACE_CLONE	0x4	/* threads */
/* Threads stop before their exit. */
#define TRACE_EXIT	0x8
/* They are killed if pfmon dies: what it has started. */
#define TRACE_KILL	0x10

enum trace_what {
	TRACE_MADE,	/* by one that tells; not if it is born by then */
	TRACE_BORN,	/* before its first instruction */
	/*
	 * All other threads of its process are gone by then, and were told of.
	 */
	TRACE_EXECED,
	TRACE_EXITING,	/* its memory is still there */
	TRACE_GONE,
};

/* What has become of a thread; it stands still, unless it is gone. */
struct trace_event {
	enum trace_what what;
	pid_t tid;
	pid_t tgid;	/* its process */
	pid_t parent;	/* MADE and BORN: the process that made it, or 0 */
	pid_t former;	/* TRACE_EXECED: its number before, mostly the same */
	int status;	/* TRACE_GONE: as waitpid() gives it */
	bool replaced;	/* TRACE_GONE: by that of a later TRACE_EXECED */
};

/* How a thread goes on that has stopped for a signal. */
enum trace_way {
	TRACE_WITH,	/* the signal is its own */
	TRACE_WITHOUT,	/* the signal was for us */
	TRACE_STEP,	/* the same; it stops after an instruction */
	TRACE_HOLD,	/* the same; it stays where it is: see trace_resume() */
};

/* A child of pfmon that is not traced, whose end trace_*() may come across. */
struct bystander {
	pid_t pid;
	bool ended;
	int status;	/* as waitpid() gives it, when ended */
};

struct trace {
	unsigned int flags;	/* TRACE_* */
	struct pid_table tracees;
	struct pid_table early;	/* came and went before they were expected */
	bool hold;		/* the next exec: it is left stopped */
	struct bystander *bystander;	/* or NULL */
	void (*handle)(const struct trace_event *event, void *data);
	void *data;

	/*
	 * A thread has stopped for a signal, or, with 0, as all of its process
	 * do, when it does not matter what is returned. Or NULL.
	 */
	enum trace_way (*stopped)(pid_t tid, int signal, void *data);
	void *stopped_data;
};

/* Traces a thread that runs, and leaves it running. False sets errno. */
bool trace_seize(struct trace *trace, pid_t tid, pid_t tgid);

/* Lets a thread go on that was held. */
void trace_resume(pid_t tid);

/*
 * Handles what has happened; to be called after SIGCHLD. If that is very much,
 * SIGCHLD comes again.
 */
void trace_reap(struct trace *trace);

/* Waits for one change and handles it; false if there is nothing left. */
bool trace_wait(struct trace *trace);

/*
 * Lets go of all threads, and of those that they make meanwhile: they go on
 * without being traced, or stay stopped if others have stopped them. SIGCHLD
 * must be blocked.
 */
void trace_detach(struct trace *trace);

void trace_free(struct trace *trace);

#endif /* PFMON_TRACE_H */
