/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* trace.h - trace threads with ptrace */
#ifndef PFMON_PROCESS_TRACE_H
#define PFMON_PROCESS_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/pid_table.h"

/* Trace new processes and threads, too. */
#define TRACE_FORK	0x1
#define TRACE_VFORK	0x2
#define TRACE_CLONE	0x4	/* threads */
/* Report threads before they exit. */
#define TRACE_EXIT	0x8
/* Kill traced threads if pfmon dies. */
#define TRACE_KILL	0x10

enum trace_what {
	TRACE_MADE,	/* created; omitted if TRACE_BORN came first */
	TRACE_BORN,	/* before its first instruction */
	/*
	 * An exec. TRACE_GONE has been reported for all other threads of the
	 * process.
	 */
	TRACE_EXECED,
	TRACE_EXITING,	/* about to exit; its memory still exists */
	TRACE_GONE,
};

/* An event of a thread, which runs no code until the event is handled. */
struct trace_event {
	enum trace_what what;
	pid_t tid;
	pid_t tgid;	/* its process */
	pid_t parent;	/* MADE and BORN: the creating process, or 0 */
	pid_t former;	/* TRACE_EXECED: its ID before the exec */
	int status;	/* TRACE_GONE: result of waitpid() */
	bool replaced;	/* TRACE_GONE: by a thread that called execve() */
};

/* Ways to resume a thread that has stopped for a signal. */
enum trace_way {
	TRACE_WITH,	/* deliver the signal */
	TRACE_WITHOUT,	/* suppress the signal, which was for pfmon */
	TRACE_STEP,	/* suppress it and execute a single step */
};

/*
 * A child of pfmon that is not traced, but may be reaped by the functions
 * trace_*().
 */
struct bystander {
	pid_t pid;
	bool ended;
	int status;	/* from waitpid(), if ended */
};

struct trace {
	unsigned int flags;	/* TRACE_* */
	struct pid_table tracees;
	struct pid_table early;	/* ended before their creation was reported */
	bool hold;		/* do not resume the next thread that execs */
	struct bystander *bystander;	/* or NULL */
	void (*handle)(const struct trace_event *event, void *data);
	void *data;

	/*
	 * Called when a thread has stopped for @signal. If @signal is 0, the
	 * reason is PTRACE_EVENT_STOP, and the return value is ignored. May be
	 * NULL.
	 */
	enum trace_way (*stopped)(pid_t tid, int signal, void *data);
	void *stopped_data;

	/*
	 * Called before a stopped thread is detached. *signal is the signal for
	 * which it has stopped, or 0; the function sets it to the signal to
	 * deliver. Returns false if the thread must first stop for pfmon again.
	 * May be NULL.
	 */
	bool (*release)(pid_t tid, int *signal);
};

/*
 * Traces a running thread without stopping it. Returns false with errno set on
 * failure.
 */
bool trace_seize(struct trace *trace, pid_t tid, pid_t tgid);

/* Resumes a thread that was left stopped because of @hold. */
void trace_resume(pid_t tid);

/* Resumes such a thread, and stops tracing it. */
void trace_release(struct trace *trace, pid_t tid);

/*
 * Handles pending events. Call it after SIGCHLD. If there are too many events
 * for one call, raises SIGCHLD again.
 */
void trace_reap(struct trace *trace);

/* Waits for one event and handles it; false if no child is left. */
bool trace_wait(struct trace *trace);

/*
 * Detaches all threads, including threads that they create meanwhile. The
 * threads continue, or stay stopped if a signal has stopped them. SIGCHLD must
 * be blocked.
 */
void trace_detach(struct trace *trace);

/* Sends a signal to the traced processes in pfmon's session, except one. */
void trace_signal(const struct trace *trace, pid_t except, int signal);

void trace_free(struct trace *trace);

#endif /* PFMON_PROCESS_TRACE_H */
