// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_info.c - describe one event */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "event_info.h"
#include "event_names.h"
#include "json.h"
#include "pfmlib_events.h"
#include "pmc_value.h"
#include "sysfs_describe.h"
#include "tracepoints.h"
#include "util.h"

static void add_generic(struct json_object *object, const char *name)
{
	char *meaning = generic_event_meaning(name);

	json_add_text(object, "source", "generic");
	json_add_text(object, "meaning", meaning);
	free(meaning);
}

static void add_source(struct json_object *object, const char *root,
		       const char *name, enum event_source source)
{
	switch (source) {
	case EVENT_GENERIC:
		add_generic(object, name);
		break;
	case EVENT_RAW:
		json_add_text(object, "source", "raw");
		break;
	case EVENT_SYSFS:
		json_add_text(object, "source", "sysfs");
		sysfs_event_describe(root, name, object);
		break;
	case EVENT_TRACEPOINT:
		json_add_text(object, "source", "tracepoint");
		tracepoint_describe(root, name, object);
		break;
	case EVENT_PFMLIB:
		json_add_text(object, "source", "libpfm4");
		pfmlib_event_describe(name, object);
		break;
	}
}

static void add_encoding(struct json_object *object,
			 const struct encoded_event *event)
{
	char *value = pmc_value_text(event->pmc);

	json_add_u64(object, "config", event->pmc & PFM_PERF_ID_MASK);
	json_add_u64(object, "config1", event->config[0]);
	json_add_u64(object, "config2", event->config[1]);
	json_add_u64(object, "pmc", event->pmc);
	json_add_text(object, "pmc_meaning", value);
	free(value);
}

/*
 * Whether an event can be counted with a suffix. If no event can be tried, all
 * suffixes that can be encoded are accepted.
 */
static bool counts_with(const char *root, const char *plain,
			const char *suffix, struct event_trial *trial)
{
	char *name = checked_printf("%s%s%s", plain,
				    plain[strcspn(plain, "/")] ? "" : ":",
				    suffix);
	struct encoded_event event;
	bool counts = false, unknown = false;
	char *why;

	if (event_encode_quietly(root, name, 0, &event, &why)) {
		counts = event_trial_counts(trial, &event, &why, &unknown);
		free(event.cpus);
	}
	free(why);
	free(name);
	return counts || unknown;
}

static struct json_object *describe_suffixes(const char *root,
					     const char *plain,
					     struct event_trial *trial)
{
	static const char * const suffixes[] = {
		"u", "k", "uk", "p", "pp", "ppp",
	};
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (counts_with(root, plain, suffixes[i], trial))
			json_append(list, json_new_text(suffixes[i]));
	}
	return list;
}

/* Adds whether the event can be counted, null if unknown. */
static void add_counted(struct json_object *object,
			const struct encoded_event *event,
			struct event_trial *trial)
{
	bool unknown, counted;
	char *why;

	counted = event_trial_counts(trial, event, &why, &unknown);
	if (unknown)
		json_add(object, "counted", NULL);
	else
		json_add_bool(object, "counted", counted);
	json_add_text(object, "reason", why);
	free(why);
}

static void add_event(struct json_object *object, const char *root,
		      const char *plain, const struct encoded_event *event,
		      struct event_trial *trial)
{
	add_encoding(object, event);
	add_counted(object, event, trial);
	if (event->per_thread)
		json_add(object, "suffixes",
			 describe_suffixes(root, plain, trial));
	else
		json_add_text(object, "cpus", event->cpus);
	add_source(object, root, plain, event->source);
}

struct json_object *event_describe(const char *root, const char *name,
				   struct event_trial *trial)
{
	struct json_object *object = json_new_object();
	char *plain = event_plain_name(name), *why;
	struct encoded_event event;

	json_add_text(object, "name", name);
	if (event_encode_quietly(root, name, 0, &event, &why)) {
		add_event(object, root, plain, &event, trial);
		free(event.cpus);
	} else {
		json_add_bool(object, "counted", false);
		json_add_text(object, "reason", why);
		add_source(object, root, plain, EVENT_PFMLIB);
	}
	free(why);
	free(plain);
	return object;
}
