// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_check.c - the option --check-events-only */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "event_check.h"
#include "events/event_trial.h"
#include "events/events.h"
#include "options/event_options.h"
#include "session/context.h"
#include "session/lifetime.h"
#include "session/plan.h"

/*
 * Returns a text, to be freed, that says why an event cannot be counted; NULL
 * if it can.
 */
static char *obstacle_of(const struct options *options,
			 const struct event_option *option,
			 struct event_trial *trial)
{
	struct encoded_event event;
	bool unknown;
	char *why;

	if (!event_encode_quietly("", option->name,
				  event_option_levels(options, option), &event,
				  &why))
		return why ? why : checked_strdup("it cannot be encoded");
	event_trial_counts(trial, &event, &why, &unknown);
	free(event.cpus);
	return why;
}

static bool check_each(const struct options *options)
{
	struct event_trial trial;
	bool ok = true;

	event_trial_init(&trial);
	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *option = &options->events[i];
		char *why = obstacle_of(options, option, &trial);

		if (why)
			printf("%s: no: %s\n", option->name, why);
		else
			printf("%s: yes\n", option->name);
		ok = ok && !why;
		free(why);
	}
	event_trial_close(&trial);
	return ok;
}

/*
 * Returns options to count only the events of @set, without sampling and
 * multiplexing. The caller frees the events.
 */
static struct options counting(const struct options *options, unsigned int set)
{
	struct options plain = *options;

	plain.events = checked_calloc(options->event_count,
				      sizeof(*options->events));
	plain.event_count = 0;
	for (unsigned int i = 0; i < options->event_count; i++) {
		struct event_option *event = &plain.events[plain.event_count];

		if (options->events[i].set != set)
			continue;
		*event = options->events[i];
		event->set = 0;
		event->sampling = false;
		event->switch_after = 0;
		plain.event_count++;
	}
	plain.set_count = 1;
	plain.switch_ns = 0;
	plain.sampling = false;
	plain.overflow_block = false;
	return plain;
}

/*
 * Counts the calling thread briefly. Fails unless the events can all be counted
 * at the same time.
 */
static bool try_together(struct context *context)
{
	bool ok = context_load(context, gettid());

	if (!ok)
		return false;
	ok = context_start(context);
	context_unload(context);
	return ok;
}

static bool check_together(const struct options *options, unsigned int set)
{
	struct options plain = counting(options, set);
	struct context context;
	struct plan plan;
	bool ok = plan_init(&plan, &plain);

	if (ok) {
		ok = context_open(&context, &plan, 0, NO_CPU);
		if (ok) {
			ok = try_together(&context);
			context_close(&context);
		}
		plan_free(&plan);
	}
	free(plain.events);
	return ok;
}

/*
 * Does not try system-wide contexts, because another session may be measuring
 * the CPUs.
 */
bool check_events(const struct options *options)
{
	bool ok = check_each(options);

	for (unsigned int set = 0; ok && !options->system_wide &&
	     set < options->set_count; set++)
		ok = check_together(options, set);
	return ok;
}
