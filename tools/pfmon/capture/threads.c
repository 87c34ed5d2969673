// SPDX-License-Identifier: MIT OR GPL-2.0
/* threads.c - record names and processes of threads in the capture */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/cgroup.h"
#include "base/json.h"
#include "base/pid_table.h"
#include "base/util.h"
#include "capture/threads.h"

#define NS_PER_S	1000000000ULL

/* Maximum number of threads in a chunk, which thus has at most 5 MB. */
#define MOST_THREADS	32768

/* A thread as it was last written. */
struct known {
	struct pid_entry entry;	/* the key is the tid */
	pid_t tgid;
	uint32_t signature;
	bool settled;		/* unchanged when last examined */
	char *cgroup;		/* of the process, or NULL */
};

struct threads {
	struct pid_table known;
};

/* Data of a thread from /proc; comm points into the text that was read. */
struct thread {
	pid_t tid, tgid;
	unsigned int ppid;
	uint64_t start;		/* in clock ticks */
	char *comm;
};

struct threads *threads_create(void)
{
	return checked_calloc(1, sizeof(struct threads));
}

static void free_cgroup(struct pid_entry *entry, void *data)
{
	(void)data;
	free(((struct known *)entry)->cgroup);
}

void threads_destroy(struct threads *threads)
{
	if (!threads)
		return;
	pid_table_each(&threads->known, free_cgroup, NULL);
	pid_table_free(&threads->known);
	free(threads);
}

#define SKIP_4	" %*s %*s %*s %*s"
#define SKIP_17	SKIP_4 SKIP_4 SKIP_4 SKIP_4 " %*s"

/* Parses "pid (name) state ppid, 17 numbers, start"; names may contain ")". */
static bool parse_stat(char *text, struct thread *thread)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')');

	if (!name || !end ||
	    sscanf(end + 1, " %*c %u" SKIP_17 " %" SCNu64, &thread->ppid,
		   &thread->start) != 2)
		return false;
	*end = '\0';
	thread->comm = name + 1;
	return true;
}

static uint32_t signature_of(const struct thread *thread)
{
	uint64_t numbers[] = { thread->ppid, thread->start };
	uint32_t crc = libdeflate_crc32(0, numbers, sizeof(numbers));

	return libdeflate_crc32(crc, thread->comm, strlen(thread->comm));
}

/* Returns whether a thread has changed, and stores its new signature. */
static bool is_news(struct known *known, const struct thread *thread)
{
	uint32_t signature = signature_of(thread);

	known->settled = known->tgid == thread->tgid &&
			 known->signature == signature;
	known->tgid = thread->tgid;
	known->signature = signature;
	return !known->settled;
}

static struct json_object *describe(const struct thread *thread)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct json_object *object = json_new_object();

	json_add_u64(object, "tid", (uint64_t)thread->tid);
	json_add_u64(object, "tgid", (uint64_t)thread->tgid);
	json_add_u64(object, "ppid", thread->ppid);
	json_add_text(object, "comm", thread->comm);
	json_add_u64(object, "start_ns", thread->start * (NS_PER_S / ticks));
	return object;
}

/* Adds a thread to the list if it is new or has changed. */
static void look_at(struct known *known, struct json_object *list, pid_t tgid)
{
	struct thread thread = { .tid = known->entry.pid, .tgid = tgid };
	char *path = checked_printf("/proc/%d/task/%d/stat", tgid,
				    known->entry.pid);
	size_t length;
	char *text = read_file(path, &length);

	if (text && parse_stat(text, &thread) &&
	    is_news(known, &thread))
		json_append(list, describe(&thread));
	free(text);
	free(path);
}

static struct json_object *list_changed(struct threads *threads, DIR *task,
					pid_t tgid, bool all)
{
	struct json_object *list = json_new_array();
	struct dirent *entry;
	struct known *known;
	uint64_t tid;

	while ((entry = readdir(task))) {
		if (!parse_u64(entry->d_name, &tid))
			continue;
		if (json_length(list) == MOST_THREADS) {
			message("process %d has more than %d threads: the names of the others are not recorded",
				tgid, MOST_THREADS);
			break;
		}
		known = pid_table_get(&threads->known, (pid_t)tid,
				      sizeof(*known));
		if (all || !known->settled || known->tgid != tgid)
			look_at(known, list, tgid);
	}
	return list;
}

static char *read_cgroup(struct known *first, pid_t tgid)
{
	char *path = cgroup_of(tgid);

	if (first) {
		free(first->cgroup);
		first->cgroup = path ? checked_strdup(path) : NULL;
	}
	return path;
}

/*
 * Returns the control group of a process, to be freed, or NULL. Unless @now is
 * set, uses the cached one if there is one.
 */
static char *find_cgroup(struct threads *threads, pid_t tgid, bool now)
{
	struct known *first = pid_table_find(&threads->known, tgid);

	if (!now && first && first->cgroup)
		return checked_strdup(first->cgroup);
	return read_cgroup(first, tgid);
}

/* Returns the text of a chunk; NULL if the list is empty. */
static char *finish_list(struct threads *threads, struct json_object *list,
			 pid_t tgid, bool now)
{
	struct json_object *object;
	char *path;

	if (!json_length(list)) {
		json_drop(list);
		return NULL;
	}
	object = json_new_object();
	json_add(object, "threads", list);
	path = find_cgroup(threads, tgid, now);
	if (path)
		json_add_text(object, "cgroup", path);
	free(path);
	return json_finish(object);
}

char *thread_changed(struct threads *threads, pid_t tgid, pid_t tid)
{
	struct json_object *list = json_new_array();

	look_at(pid_table_get(&threads->known, tid, sizeof(struct known)),
		list, tgid);
	return finish_list(threads, list, tgid, tid == tgid);
}

void threads_forget(struct threads *threads, pid_t tid)
{
	struct known *known = pid_table_find(&threads->known, tid);

	if (known)
		free(known->cgroup);
	pid_table_forget(&threads->known, tid);
}

char *threads_changed(struct threads *threads, pid_t tgid, bool all)
{
	char *path = checked_printf("/proc/%d/task", tgid);
	DIR *task = opendir(path);
	struct json_object *list;

	free(path);
	if (!task)
		return NULL;
	list = list_changed(threads, task, tgid, all);
	closedir(task);
	return finish_list(threads, list, tgid, true);
}
