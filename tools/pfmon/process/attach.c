// SPDX-License-Identifier: MIT OR GPL-2.0
/* attach.c - attach to running processes and threads */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "process/attach.h"
#include "process/refusal.h"

pid_t attach_process_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	size_t length;
	char *text = read_file(path, &length);
	char *line = text ? strstr(text, "\nTgid:") : NULL;
	pid_t tgid = 0;

	if (line)
		tgid = (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10);
	if (!tgid)
		message("there is no thread %d; ps -eL lists all threads", tid);
	free(text);
	free(path);
	return tgid;
}

/* The traced threads, in the order in which they were found. */
struct list {
	pid_t *tids;
	unsigned int count;
	unsigned int refused;	/* running, but not traceable */
	int error;		/* why one was not traceable */
};

/*
 * Returns whether a thread is still running. A main thread that has exited
 * remains in /proc/PID/task until all threads have exited.
 */
static bool runs(pid_t tgid, pid_t tid)
{
	char *path = checked_printf("/proc/%d/task/%d/stat", tgid, tid);
	size_t length;
	char *text = read_file(path, &length);
	const char *name_end = text ? strrchr(text, ')') : NULL;
	bool running = name_end && !strchr("ZX", name_end[2]);

	free(text);
	free(path);
	return running;
}

static void note_refusal(struct list *list, pid_t tgid, pid_t tid, int error)
{
	if (error == ESRCH || !runs(tgid, tid))
		return;
	list->refused++;
	list->error = error;
}

static bool seize_new(struct trace *trace, pid_t tgid, pid_t tid,
		      struct list *list)
{
	if (pid_table_find(&trace->tracees, tid))
		return false;
	if (!trace_seize(trace, tid, tgid)) {
		note_refusal(list, tgid, tid, errno);
		return false;
	}
	list->tids = checked_realloc(list->tids, list->count + 1,
				     sizeof(*list->tids));
	list->tids[list->count++] = tid;
	return true;
}

/*
 * Traces all threads of a process that are not traced yet. Returns false if no
 * thread was added.
 */
static bool seize_some(struct trace *trace, pid_t tgid, const char *path,
		       struct list *list)
{
	DIR *task = opendir(path);
	struct dirent *entry;
	bool any = false;
	uint64_t tid;

	if (!task)
		return false;
	list->refused = 0;
	while ((entry = readdir(task))) {
		if (parse_u64(entry->d_name, &tid) &&
		    seize_new(trace, tgid, (pid_t)tid, list))
			any = true;
	}
	closedir(task);
	return any;
}

static void explain(pid_t tgid, int error)
{
	char *reason;

	if (!error) {
		message("there is no process %d", tgid);
		return;
	}
	reason = trace_refusal(tgid, error);
	message("cannot trace process %d: %s", tgid, reason);
	free(reason);
}

pid_t *attach_to_all(struct trace *trace, pid_t tgid, unsigned int *count)
{
	char *path = checked_printf("/proc/%d/task", tgid);
	struct list list = { .tids = NULL };

	/*
	 * Threads created by traced threads are traced automatically, so the
	 * loop ends when a pass finds no new thread.
	 */
	while (seize_some(trace, tgid, path, &list))
		;
	free(path);
	*count = list.count;
	if (list.tids && list.refused)
		message("cannot trace and measure %u thread%s of process %d: %s",
			list.refused, plural(list.refused), tgid,
			strerror(list.error));
	if (list.tids)
		return list.tids;
	explain(tgid, list.error);
	return NULL;
}
