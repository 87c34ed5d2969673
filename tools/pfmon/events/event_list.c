// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_list.c - list events, and find those that this machine can count */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "base/elements.h"
#include "base/json.h"
#include "base/util.h"
#include "events/event_info.h"
#include "events/event_list.h"
#include "events/event_trial.h"
#include "events/events.h"

/* Width of the names, after which a + marks events that can be counted. */
#define NAME_WIDTH	40

#define FTRACE		"ftrace:"
#define LIBPFM4		"perf::"	/* prefix of libpfm4's tracepoints */

struct listing {
	const char *root;
	regex_t pattern;
	struct event_trial trial;
	bool tracepoint_tried;	/* one result holds for all tracepoints */
	bool tracepoint_counted;
	size_t found;
	char *unknown;		/* why no event can be tried, or NULL */
	struct json_object *list;	/* events found; NULL: text output */
	void (*show)(struct listing *listing, const char *name);
};

static bool compile(struct listing *listing, const char *pattern)
{
	char text[128];
	int error = regcomp(&listing->pattern, pattern,
			    REG_EXTENDED | REG_ICASE | REG_NOSUB);

	if (!error)
		return true;
	regerror(error, &listing->pattern, text, sizeof(text));
	message("pattern '%s': %s; see regex(7)", pattern, text);
	return false;
}

/*
 * Returns whether the event can be counted. Sets listing->unknown if no event
 * can be tried.
 */
static bool try_event(struct listing *listing,
		      const struct encoded_event *event)
{
	bool counted, unknown;
	char *why;

	counted = event_trial_counts(&listing->trial, event, &why, &unknown);
	if (unknown)
		listing->unknown = why;
	else
		free(why);
	return counted;
}

/*
 * Tests the encoding rather than the name, because libpfm4 has names of its own
 * for tracepoints.
 */
static bool is_tracepoint(const struct encoded_event *event)
{
	return (event->pmc & (PFM_PERF_RAW | PFM_PERF_TYPE_MASK)) ==
	       PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT, 0);
}

static bool is_of_ftrace(const char *name)
{
	if (!strncmp(name, LIBPFM4, strlen(LIBPFM4)))
		name += strlen(LIBPFM4);
	return !strncmp(name, FTRACE, strlen(FTRACE));
}

/*
 * Returns whether the tracepoint can be counted. Tries only one tracepoint,
 * whose result holds for all: enabling and disabling a tracepoint synchronizes
 * all CPUs, so trying thousands would take minutes. ftrace's own events are an
 * exception, because perf cannot use them.
 */
static bool try_tracepoint(struct listing *listing, const char *name,
			   const struct encoded_event *event)
{
	if (is_of_ftrace(name))
		return false;
	if (!listing->tracepoint_tried)
		listing->tracepoint_counted = try_event(listing, event);
	listing->tracepoint_tried = true;
	return listing->tracepoint_counted;
}

/*
 * Returns whether the event can be counted. Also returns false if the name
 * alone cannot be encoded, because the event needs a unit mask or a parameter.
 */
static bool is_counted(struct listing *listing, const char *name)
{
	struct encoded_event event;
	bool counted = false;
	char *why;

	if (listing->unknown)
		return false;
	if (event_encode_quietly(listing->root, name, 0, &event, &why)) {
		counted = is_tracepoint(&event) ?
			  try_tracepoint(listing, name, &event) :
			  try_event(listing, &event);
		free(event.cpus);
	}
	free(why);
	return counted;
}

static void add_marked(struct listing *listing, const char *name)
{
	struct json_object *object = json_new_object();
	bool counted = is_counted(listing, name);

	json_add_text(object, "name", name);
	if (listing->unknown)
		json_add(object, "counted", NULL);
	else
		json_add_bool(object, "counted", counted);
	json_append(listing->list, object);
}

static void show_marked(struct listing *listing, const char *name)
{
	if (listing->list)
		add_marked(listing, name);
	else if (is_counted(listing, name))
		printf("%-*s +\n", NAME_WIDTH, name);
	else
		puts(name);
}

static void show_if_matching(const char *name, void *data)
{
	struct listing *listing = data;

	if (regexec(&listing->pattern, name, 0, NULL, 0))
		return;
	listing->found++;
	listing->show(listing, name);
}

/* Returns the exit status. It is not an error if no event matches. */
static int show_matching(struct listing *listing, const char *pattern)
{
	if (!compile(listing, pattern))
		return PFMON_EXIT_USAGE;
	events_each(listing->root, show_if_matching, listing);
	regfree(&listing->pattern);
	return 0;
}

/*
 * With JSON output, prints the list as one object on one line, or nothing if
 * the pattern is invalid. Without JSON output, does nothing.
 */
static void print_list(struct listing *listing, int status)
{
	if (!listing->list)
		return;
	if (status == PFMON_EXIT_USAGE)
		json_drop(listing->list);
	else
		json_print_list("events", listing->list);
}

int events_list(const char *root, const char *pattern, bool json)
{
	struct listing listing = {
		.root = root,
		.show = show_marked,
		.list = json ? json_new_array() : NULL,
	};
	int status;

	event_trial_init(&listing.trial);
	status = show_matching(&listing, pattern ? pattern : "");
	event_trial_close(&listing.trial);
	print_list(&listing, status);
	fflush(stdout);
	if (!status && !listing.found) {
		message("no event matches '%s'; pfmon --list-events lists all events",
			pattern ? pattern : "");
		status = PFMON_EXIT_ERROR;
	}
	if (listing.unknown && listing.found)
		message("no event is marked (+), because pfmon cannot test what this machine can count: %s",
			listing.unknown);
	free(listing.unknown);
	return status;
}

static void explain(struct listing *listing, const char *name)
{
	struct json_object *event = event_describe(listing->root, name,
						   &listing->trial);

	if (listing->list) {
		json_append(listing->list, event);
		return;
	}
	if (listing->found > 1)
		putchar('\n');
	event_print(event);
	json_drop(event);
}

/*
 * Describes the event @name or, if -e does not accept @name, all events that
 * match @name as a pattern. Returns the exit status.
 */
static int explain_one(struct listing *listing, const char *name)
{
	struct encoded_event event;
	size_t before = listing->found++;
	int status = 0;
	char *why;

	if (event_encode_quietly(listing->root, name, 0, &event, &why)) {
		free(event.cpus);
		explain(listing, name);
		return 0;
	}
	listing->found = before;
	status = show_matching(listing, name);
	if (!status && listing->found == before) {
		message("%s", why);
		status = PFMON_EXIT_ERROR;
	}
	free(why);
	return status;
}

int events_explain(const char *root, const char *names, bool json)
{
	struct listing listing = {
		.root = root,
		.show = explain,
		.list = json ? json_new_array() : NULL,
	};
	char *copy = checked_strdup(names), *rest = copy, *name;
	int status = 0, one;

	event_trial_init(&listing.trial);
	while ((name = next_element(&rest))) {
		one = explain_one(&listing, name);
		status = one ? one : status;
	}
	event_trial_close(&listing.trial);
	print_list(&listing, status);
	free(copy);
	return status;
}
