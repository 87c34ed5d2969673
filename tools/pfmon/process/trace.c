// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trace.c - trace threads with ptrace
 *
 * Threads stop when they begin, after an exec and, with TRACE_EXIT, before they
 * exit. All ptrace calls must come from the same thread of pfmon.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "process/trace.h"

/*
 * Timeout of trace_detach() for threads that cannot stop, such as threads that
 * wait in vfork() for their child's exec.
 */
#define DETACH_S	10

/*
 * Maximum number of times that a thread may stop without being ready to be
 * detached; then it is detached nevertheless. One or two are normal. A thread
 * that blocks the signal for which pfmon waits would never be ready.
 */
#define MOST_DELAYS	8

/* Maximum number of events that one trace_reap() handles. */
#define MOST_CHANGES	64

struct tracee {
	struct pid_entry entry;		/* the key is the tid */
	pid_t tgid;
	pid_t parent;			/* process that created it, or 0 */
	bool begun;			/* reported as TRACE_BORN */
	bool expected;			/* its creation has been reported */
	unsigned int delays;		/* stops while not ready to detach */
};

static long options_of(const struct trace *trace)
{
	static const struct {
		unsigned int flag;
		long option;
	} map[] = {
		{ TRACE_FORK,	PTRACE_O_TRACEFORK },
		{ TRACE_VFORK,	PTRACE_O_TRACEVFORK },
		{ TRACE_CLONE,	PTRACE_O_TRACECLONE },
		{ TRACE_EXIT,	PTRACE_O_TRACEEXIT },
		{ TRACE_KILL,	PTRACE_O_EXITKILL },
	};
	long options = PTRACE_O_TRACEEXEC;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (trace->flags & map[i].flag)
			options |= map[i].option;
	}
	return options;
}

static struct tracee *add(struct trace *trace, pid_t tid, pid_t tgid)
{
	struct tracee *tracee = pid_table_get(&trace->tracees, tid,
					      sizeof(*tracee));

	tracee->tgid = tgid;
	return tracee;
}

bool trace_seize(struct trace *trace, pid_t tid, pid_t tgid)
{
	struct tracee *tracee;

	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)options_of(trace)))
		return false;
	tracee = add(trace, tid, tgid);
	tracee->begun = true;
	tracee->expected = true;
	return true;
}

static void proceed(pid_t tid, int request, int signal)
{
	/* Ignore ESRCH: the thread was killed, which the next wait reports. */
	ptrace(request, tid, NULL, (void *)(long)signal);
}

void trace_resume(pid_t tid)
{
	proceed(tid, PTRACE_CONT, 0);
}

static bool is_stopping(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
	       signal == SIGTTOU;
}

/*
 * Returns the thread ID in a ptrace event: the ID of a new thread, or the ID
 * that a thread had before its exec.
 */
static pid_t event_message(pid_t tid)
{
	unsigned long number = 0;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &number) ? 0 :
							(pid_t)number;
}

/*
 * Returns whether a thread belongs to a process. EPERM also means that it does,
 * because the kernel finds the thread before it checks the permission.
 */
static bool is_thread_of(pid_t tgid, pid_t tid)
{
	return !syscall(SYS_tgkill, tgid, tid, 0) || errno == EPERM;
}

/*
 * Notes a thread that has ended or is being detached, but whose creation may
 * still be reported. expect() then ignores that report.
 */
static void note_early(struct trace *trace, pid_t tid)
{
	pid_table_get(&trace->early, tid, sizeof(struct pid_entry));
}

static void tell(const struct trace *trace, const struct trace_event *event)
{
	if (trace->handle)
		trace->handle(event, trace->data);
}

static void tell_of_birth(const struct trace *trace, enum trace_what what,
			  const struct tracee *tracee)
{
	const struct trace_event event = {
		.what = what,
		.tid = tracee->entry.pid,
		.tgid = tracee->tgid,
		.parent = tracee->parent,
	};

	tell(trace, &event);
}

/*
 * Handles the report that @parent has created a thread. The report can come
 * before or after the first stop of the new thread, or after its end.
 */
static void expect(struct trace *trace, const struct tracee *parent)
{
	pid_t tid = event_message(parent->entry.pid);
	struct pid_entry *early = pid_table_find(&trace->early, tid);
	struct tracee *tracee;

	if (early) {
		pid_table_remove(&trace->early, early);
		free(early);
		return;
	}
	if (!tid)
		return;
	tracee = pid_table_find(&trace->tracees, tid);
	if (!tracee) {
		tracee = add(trace, tid, is_thread_of(parent->tgid, tid) ?
			     parent->tgid : tid);
		tracee->parent = parent->tgid;
		tell_of_birth(trace, TRACE_MADE, tracee);
	}
	tracee->expected = true;
}

/*
 * Returns the number after @name in the text of /proc/TID/status; 0 if there is
 * none.
 */
static pid_t number_of(const char *status, const char *name)
{
	const char *line = status ? strstr(status, name) : NULL;

	return line ? (pid_t)strtol(line + strlen(name), NULL, 10) : 0;
}

/* Adds a new thread whose creation has not been reported yet. */
static struct tracee *add_unexpected(struct trace *trace, pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	size_t length;
	char *status = read_file(path, &length);
	pid_t tgid = number_of(status, "\nTgid:");
	struct tracee *tracee = add(trace, tid, tgid ? tgid : tid);

	tracee->parent = tgid == tid ? number_of(status, "\nPPid:") : tgid;
	free(status);
	free(path);
	return tracee;
}

/* Handles the end of a detached child, or of a thread that has never run. */
static void end_untraced(struct trace *trace, pid_t tid, int status)
{
	const struct trace_event event = {
		.what = TRACE_GONE,
		.tid = tid,
		.tgid = tid,
		.status = status,
	};

	note_early(trace, tid);
	tell(trace, &event);
}

static void begin(struct trace *trace, struct tracee *tracee)
{
	tracee->begun = true;
	tell_of_birth(trace, TRACE_BORN, tracee);
}

static void remove_tracee(struct trace *trace, struct tracee *tracee,
			  int status, bool replaced)
{
	const struct trace_event event = {
		.what = TRACE_GONE,
		.tid = tracee->entry.pid,
		.tgid = tracee->tgid,
		.status = status,
		.replaced = replaced,
	};

	pid_table_remove(&trace->tracees, &tracee->entry);
	free(tracee);
	tell(trace, &event);
}

static void end(struct trace *trace, struct tracee *tracee, int status)
{
	if (!tracee->expected)
		note_early(trace, tracee->entry.pid);
	remove_tracee(trace, tracee, status, false);
}

/*
 * Handles an exec. If a thread other than the main thread called execve(), it
 * has replaced the main thread.
 */
static void exec(struct trace *trace, struct tracee *tracee)
{
	pid_t tid = tracee->entry.pid, former = event_message(tid);
	struct trace_event event = {
		.what = TRACE_EXECED,
		.tid = tid,
		.tgid = tid,
		.former = tid,
	};
	struct tracee *other = NULL;

	if (former && former != tid)
		other = pid_table_find(&trace->tracees, former);
	if (other) {
		other->expected = tracee->expected;
		remove_tracee(trace, tracee, 0, true);
		pid_table_rename(&trace->tracees, &other->entry, tid);
		event.former = former;
	}
	tell(trace, &event);
}

/* Reports a thread that is about to exit. */
static void leave(struct trace *trace, const struct tracee *tracee)
{
	const struct trace_event event = {
		.what = TRACE_EXITING,
		.tid = tracee->entry.pid,
		.tgid = tracee->tgid,
	};

	tell(trace, &event);
}

static enum trace_way way_of(const struct trace *trace, pid_t tid, int signal)
{
	return trace->stopped ? trace->stopped(tid, signal,
					       trace->stopped_data) :
				TRACE_WITH;
}

/* Handles a stop before the delivery of a signal. */
static void handle_signal(const struct trace *trace, pid_t tid, int signal)
{
	enum trace_way way = way_of(trace, tid, signal);

	proceed(tid, way == TRACE_STEP ? PTRACE_SINGLESTEP : PTRACE_CONT,
		way == TRACE_WITH ? signal : 0);
}

static void handle_stop(struct trace *trace, struct tracee *tracee, int status)
{
	int signal = WSTOPSIG(status), request = PTRACE_CONT;
	pid_t tid = tracee->entry.pid;

	switch (status >> 16) {
	case 0:
		handle_signal(trace, tid, signal);
		return;
	case PTRACE_EVENT_STOP:	/* SIGSTOP etc.: stay stopped until SIGCONT */
		way_of(trace, tid, 0);
		if (is_stopping(signal))
			request = PTRACE_LISTEN;
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		expect(trace, tracee);
		break;
	case PTRACE_EVENT_EXEC:
		if (trace->hold) {
			trace->hold = false;
			return;
		}
		exec(trace, tracee);
		break;
	case PTRACE_EVENT_EXIT:
		leave(trace, tracee);
		break;
	}
	proceed(tid, request, 0);
}

static bool is_bystander(const struct trace *trace, pid_t tid)
{
	const struct bystander *bystander = trace->bystander;

	return bystander && !bystander->ended && bystander->pid == tid;
}

static void handle_end(struct trace *trace, pid_t tid, int status)
{
	struct tracee *tracee = pid_table_find(&trace->tracees, tid);

	if (tracee) {
		end(trace, tracee, status);
	} else if (is_bystander(trace, tid)) {
		trace->bystander->ended = true;
		trace->bystander->status = status;
	} else {
		end_untraced(trace, tid, status);
	}
}

static void handle_change(struct trace *trace, pid_t tid, int status)
{
	struct tracee *tracee;

	if (!WIFSTOPPED(status)) {
		handle_end(trace, tid, status);
		return;
	}
	tracee = pid_table_find(&trace->tracees, tid);
	if (!tracee)
		tracee = add_unexpected(trace, tid);
	if (!tracee->begun)
		begin(trace, tracee);
	handle_stop(trace, tracee, status);
}

static pid_t next_change(int flags, int *status)
{
	pid_t tid;

	do {
		tid = waitpid(-1, status, flags | __WALL);
	} while (tid < 0 && errno == EINTR);
	return tid;
}

void trace_reap(struct trace *trace)
{
	int status;
	pid_t tid;

	for (unsigned int i = 0; i < MOST_CHANGES; i++) {
		tid = next_change(WNOHANG, &status);
		if (tid <= 0)
			return;
		handle_change(trace, tid, status);
	}
	/*
	 * Return, so that the caller can handle other events. SIGCHLD makes it
	 * call this function again.
	 */
	kill(getpid(), SIGCHLD);
}

bool trace_wait(struct trace *trace)
{
	int status;
	pid_t tid = next_change(0, &status);

	if (tid > 0)
		handle_change(trace, tid, status);
	return tid > 0;
}

static bool is_birth(int event)
{
	return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	       event == PTRACE_EVENT_CLONE;
}

static bool is_ready(const struct trace *trace, pid_t tid,
		     struct tracee *tracee, int *signal)
{
	return !trace->release || trace->release(tid, signal) || !tracee ||
	       tracee->delays++ == MOST_DELAYS;
}

/*
 * Detaches a stopped thread or, if it must stop for pfmon once more, continues
 * it.
 */
static void let_go(struct trace *trace, pid_t tid, int status)
{
	struct tracee *tracee = pid_table_find(&trace->tracees, tid);
	int event = status >> 16, signal = event ? 0 : WSTOPSIG(status);
	bool ready = is_ready(trace, tid, tracee, &signal);

	if (!tracee || !tracee->expected)
		note_early(trace, tid);
	if (tracee && is_birth(event))
		expect(trace, tracee);
	else if (event == PTRACE_EVENT_EXEC)
		pid_table_forget(&trace->tracees, event_message(tid));
	proceed(tid, ready ? PTRACE_DETACH : PTRACE_CONT, signal);
	if (ready)
		pid_table_forget(&trace->tracees, tid);
}

static void interrupt(struct pid_entry *entry, void *data)
{
	struct trace *trace = data;

	/* Forget a thread that no longer exists. */
	if (ptrace(PTRACE_INTERRUPT, entry->pid, NULL, NULL) &&
	    errno == ESRCH)
		pid_table_forget(&trace->tracees, entry->pid);
}

/* Waits for SIGCHLD; returns false on a timeout. */
static bool wait_for_child(void)
{
	const struct timespec limit = { .tv_sec = DETACH_S };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	return sigtimedwait(&child, NULL, &limit) > 0;
}

void trace_release(struct trace *trace, pid_t tid)
{
	proceed(tid, PTRACE_DETACH, 0);
	pid_table_forget(&trace->tracees, tid);
}

void trace_detach(struct trace *trace)
{
	int status;
	pid_t tid;

	pid_table_each(&trace->tracees, interrupt, trace);
	while (trace->tracees.count) {
		tid = next_change(WNOHANG, &status);
		if (tid > 0 && WIFSTOPPED(status))
			let_go(trace, tid, status);
		else if (tid > 0)
			handle_change(trace, tid, status);
		else if (tid < 0 || !wait_for_child())
			break;
	}
}

struct passing {
	pid_t except, session;
	int signal;
};

static void pass(struct pid_entry *entry, void *data)
{
	const struct tracee *tracee = (const struct tracee *)entry;
	const struct passing *passing = data;

	if (entry->pid == tracee->tgid && entry->pid != passing->except &&
	    getsid(entry->pid) == passing->session)
		kill(entry->pid, passing->signal);
}

void trace_signal(const struct trace *trace, pid_t except, int signal)
{
	struct passing passing = {
		.except = except,
		.session = getsid(0),
		.signal = signal,
	};

	pid_table_each(&trace->tracees, pass, &passing);
}

void trace_free(struct trace *trace)
{
	pid_table_free(&trace->tracees);
	pid_table_free(&trace->early);
}
