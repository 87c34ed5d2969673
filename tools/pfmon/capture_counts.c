// SPDX-License-Identifier: MIT OR GPL-2.0
/* capture_counts.c - counts of all contexts, for the end of a capture */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "capture_counts.h"
#include "json.h"
#include "util.h"

/* Keeps the chunk small enough to be read: 4 MB. */
#define MOST_COUNTS	32768

static void add_each(struct capture_counts *counts,
		     const struct context *context, uint32_t event)
{
	counts->each = checked_realloc(counts->each, counts->count + 1,
				       sizeof(*counts->each));
	counts->each[counts->count++] = (struct context_count){
		.context = context->id,
		.event = event,
		.value = context->result.events[event].count,
	};
}

static void add_turns(struct capture_counts *counts,
		      const struct context *context, uint32_t set)
{
	counts->turns = checked_realloc(counts->turns, counts->turn_count + 1,
					sizeof(*counts->turns));
	counts->turns[counts->turn_count++] = (struct context_turns){
		.context = context->id,
		.set = set,
		.active_ns = context->result.durations[set],
		.runs = context->result.runs[set],
	};
}

static void add_others(struct capture_counts *counts,
		       const struct context *context)
{
	unsigned int events = context->plan->options->event_count;

	if (!counts->others)
		counts->others = checked_calloc(events,
						sizeof(*counts->others));
	for (unsigned int i = 0; i < events; i++)
		counts->others[i] += context->result.events[i].count;
}

void capture_counts_add(struct capture_counts *counts,
			const struct context *context)
{
	const struct plan *plan = context->plan;
	unsigned int events = plan->options->event_count;

	if (counts->count + events > MOST_COUNTS) {
		add_others(counts, context);
		return;
	}
	for (unsigned int i = 0; i < events; i++) {
		if (plan_counts_on(plan, i, context->cpu))
			add_each(counts, context, i);
	}
	for (unsigned int i = 0; i < plan->options->set_count; i++) {
		if (plan_uses_set(plan, i, context->cpu))
			add_turns(counts, context, i);
	}
}

static struct json_object *describe(const struct plan *plan,
				    struct json_object *context,
				    unsigned int event, uint64_t value)
{
	const struct event_option *option = &plan->options->events[event];
	struct json_object *object = json_new_object();

	json_add(object, "context", context);
	json_add_u64(object, "set", option->set);
	json_add_u64(object, "pmd", option->number);
	json_add_text(object, "event", option->name);
	json_add_u64(object, "value", value);
	return object;
}

struct json_object *capture_counts_json(const struct capture_counts *counts,
					const struct plan *plan)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < counts->count; i++) {
		const struct context_count *count = &counts->each[i];

		json_append(list, describe(plan, json_new_u64(count->context),
					   count->event, count->value));
	}
	for (unsigned int i = 0; counts->others &&
	     i < plan->options->event_count; i++)
		json_append(list, describe(plan, NULL, i, counts->others[i]));
	return list;
}

struct json_object *capture_turns_json(const struct capture_counts *counts)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < counts->turn_count; i++) {
		const struct context_turns *turns = &counts->turns[i];
		struct json_object *object = json_new_object();

		json_add_u64(object, "context", turns->context);
		json_add_u64(object, "set", turns->set);
		json_add_u64(object, "active_ns", turns->active_ns);
		json_add_u64(object, "runs", turns->runs);
		json_append(list, object);
	}
	return list;
}

void capture_counts_free(struct capture_counts *counts)
{
	free(counts->each);
	free(counts->turns);
	free(counts->others);
	memset(counts, 0, sizeof(*counts));
}
