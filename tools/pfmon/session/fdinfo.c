// SPDX-License-Identifier: MIT OR GPL-2.0
/* fdinfo.c - the state of a context in /proc/self/fdinfo */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/fdinfo.h"

/* Returns the context's fdinfo, to be freed; or NULL. */
static char *read_fdinfo(const struct context *context)
{
	char *path = checked_printf("/proc/self/fdinfo/%d", context->fd);
	size_t length;
	char *text = read_file(path, &length);

	free(path);
	return text;
}

bool fdinfo_is_offline(const struct context *context)
{
	char *text = read_fdinfo(context);
	bool offline = text && strstr(text, "\npfm_state:\toffline\n");

	free(text);
	return offline;
}

static void set_denied(struct context *context, unsigned int set,
		       unsigned int pmd)
{
	const struct options *options = context->plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].set == set &&
		    options->events[i].number == pmd)
			context->result.events[i].denied = true;
	}
}

/*
 * Marks the events that had no counter for some time. A line of fdinfo lists
 * their PMDs as SET:PMD.
 */
static void mark_denied(struct context *context, const char *text)
{
	const char *next = strstr(text, "\npfm_denied_pmds:");
	unsigned int set, pmd;
	int used = 0;

	if (next)
		next = strchr(next, '\t');
	while (next && sscanf(next, "%*[ \t]%u:%u%n", &set, &pmd, &used) == 2) {
		set_denied(context, set, pmd);
		next += used;
	}
}

static uint64_t field(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

static struct context_stats parse_stats(const char *text)
{
	return (struct context_stats){
		.lost = field(text, "\npfm_lost:"),
		.throttled = field(text, "\npfm_pmu_throttled:"),
		.limited = field(text, "\npfm_throttled:"),
		.messages_dropped = field(text, "\npfm_msgs_dropped:"),
		.handler_errors = field(text, "\npfm_handler_errors:"),
		.handler_errno = (int)field(text, "\npfm_handler_errno:"),
		.handler_no_ctrl = field(text, "\npfm_handler_no_ctrl:"),
		.handler_bad_ctrl = field(text, "\npfm_handler_bad_ctrl:"),
		.unborn = field(text, "\npfm_exec_detached:") +
			  field(text, "\npfm_births_refused:") +
			  field(text, "\npfm_births_failed:"),
	};
}

struct context_stats fdinfo_stats(const struct context *context)
{
	struct context_stats stats = { 0 };
	char *text = read_fdinfo(context);

	if (text)
		stats = parse_stats(text);
	free(text);
	return stats;
}

struct context_stats fdinfo_read(struct context *context)
{
	struct context_stats stats = { 0 };
	char *text = read_fdinfo(context);

	if (text) {
		stats = parse_stats(text);
		mark_denied(context, text);
	}
	free(text);
	return stats;
}
