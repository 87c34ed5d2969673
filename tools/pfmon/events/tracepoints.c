// SPDX-License-Identifier: MIT OR GPL-2.0
/* tracepoints.c - find kernel tracepoints by name */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/json.h"
#include "base/util.h"
#include "events/tracepoints.h"

/* Mount points of tracefs; the second one is in debugfs. */
static const char * const mounts[] = {
	"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
};

static int is_directory(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && *entry->d_name != '.';
}

/*
 * Returns the path of the directory "events" in tracefs, to be freed; NULL with
 * errno set on failure.
 */
static char *open_events(const char *root)
{
	int error = ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		char *path = checked_printf("%s%s/events", root, mounts[i]);

		if (!access(path, R_OK | X_OK))
			return path;
		if (errno == EACCES)
			error = errno;
		free(path);
	}
	errno = error;
	return NULL;
}

static enum tracepoint_answer explain_missing(const char *system_path,
					      const char *system,
					      const char *event)
{
	char *others = directory_join(system_path, is_directory);

	message("there is no tracepoint %s in %s; it has: %s", event, system,
		others);
	free(others);
	return TRACEPOINT_REFUSED;
}

static bool read_id(const char *system_path, const char *event,
		    struct event_code *code)
{
	char *path = checked_printf("%s/%s/id", system_path, event);
	char *line = read_line_of(path);
	bool ok = line && parse_u64(line, &code->config[0]);

	free(line);
	free(path);
	return ok;
}

static enum tracepoint_answer find_in(const char *events, const char *system,
				      const char *event,
				      struct event_code *code)
{
	char *path = checked_printf("%s/%s", events, system);
	enum tracepoint_answer answer = TRACEPOINT_FOUND;

	if (access(path, F_OK))
		answer = TRACEPOINT_NO_NAME;
	else if (!read_id(path, event, code))
		answer = explain_missing(path, system, event);
	free(path);
	return answer;
}

enum tracepoint_answer tracepoint_find(const char *root, const char *name,
				       struct event_code *code)
{
	const char *colon = strchr(name, ':');
	enum tracepoint_answer answer;
	char *events, *system;

	if (!colon || colon == name || !colon[1] || strpbrk(name, "/.=") ||
	    strchr(colon + 1, ':'))
		return TRACEPOINT_NO_NAME;
	events = open_events(root);
	if (!events)
		return errno == EACCES ? TRACEPOINT_UNKNOWN :
					 TRACEPOINT_NO_NAME;
	system = strndup(name, (size_t)(colon - name));
	answer = system ? find_in(events, system, colon + 1, code) :
			  TRACEPOINT_NO_NAME;
	if (answer == TRACEPOINT_FOUND) {
		code->type = PERF_TYPE_TRACEPOINT;
		/*
		 * perf attributes tracepoints to the kernel, even if user code
		 * causes them, so by default the kernel must not be excluded.
		 */
		code->levels = LEVEL_USER | LEVEL_KERNEL;
		code->per_thread = true;
	}
	free(system);
	free(events);
	return answer;
}

/*
 * Adds "TYPE NAME" from a line "field:TYPE NAME;\toffset:...;", unless it is a
 * field that all tracepoints have.
 */
static void add_field(struct json_object *list, const char *line)
{
	static const char start[] = "\tfield:";
	const char *field = line + strlen(start);
	char *text;

	if (strncmp(line, start, strlen(start)) || strstr(line, " common_"))
		return;
	text = checked_printf("%.*s", (int)strcspn(field, ";"), field);
	json_append(list, json_new_text(text));
	free(text);
}

static void add_fields(struct json_object *object, const char *path)
{
	size_t length;
	char *text = read_file(path, &length), *rest = text;
	struct json_object *list;
	const char *line;

	if (!text)
		return;
	list = json_new_array();
	while ((line = strsep(&rest, "\n")))
		add_field(list, line);
	json_add_text(object, "path", path);
	json_add(object, "fields", list);
	free(text);
}

void tracepoint_describe(const char *root, const char *name,
			 struct json_object *object)
{
	char *events = open_events(root), *path;
	int length = (int)strcspn(name, ":");

	if (!events)
		return;
	path = checked_printf("%s/%.*s/%s/format", events, length, name,
			      name + length + 1);
	add_fields(object, path);
	free(path);
	free(events);
}

static void visit_system(const char *events, const char *system,
			 void (*visit)(const char *name, void *data),
			 void *data)
{
	char *path = checked_printf("%s/%s", events, system);
	struct directory list = directory_read(path, is_directory);

	for (size_t i = 0; i < list.count; i++) {
		char *name = checked_printf("%s:%s", system, list.names[i]);
		char *id = checked_printf("%s/%s/id", path, list.names[i]);

		if (!access(id, F_OK))
			visit(name, data);
		free(id);
		free(name);
	}
	directory_free(&list);
	free(path);
}

void tracepoint_each(const char *root,
		     void (*visit)(const char *name, void *data), void *data)
{
	char *events = open_events(root);
	struct directory list;

	if (!events)
		return;
	list = directory_read(events, is_directory);
	for (size_t i = 0; i < list.count; i++)
		visit_system(events, list.names[i], visit, data);
	directory_free(&list);
	free(events);
}
