// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_info.c - describe one event */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "base/directory.h"
#include "base/json.h"
#include "base/util.h"
#include "events/event_info.h"
#include "events/event_names.h"
#include "events/pfmlib_events.h"
#include "events/pmc_value.h"
#include "events/sysfs_pmu.h"
#include "events/tracepoints.h"

static void add_generic(struct json_object *object, const char *name)
{
	char *meaning = generic_event_meaning(name);

	json_add_text(object, "source", "generic");
	json_add_text(object, "meaning", meaning);
	free(meaning);
}

/* Reads a file in a PMU's directory; returns its line, to be freed, or NULL. */
static char *line_in(const char *pmu, const char *file, const char *suffix)
{
	char *path = checked_printf("%s/%s%s", pmu, file, suffix);
	char *line = read_line_of(path);

	free(path);
	return line;
}

/* Adds the line of a file, if it exists. */
static void add_line_in(struct json_object *object, const char *name,
			const char *pmu, const char *file, const char *suffix)
{
	char *line = line_in(pmu, file, suffix);

	if (line)
		json_add_text(object, name, line);
	free(line);
}

/*
 * Adds a term if it is an event, that is, if the PMU's directory "events" has a
 * file of that name.
 */
static void add_term(struct json_object *list, const char *pmu, char *term)
{
	const char *name = strsep(&term, "=");
	char *file = checked_printf("events/%s", name);
	char *text = line_in(pmu, file, "");
	struct json_object *object;

	if (text) {
		object = json_new_object();
		json_add_text(object, "name", name);
		json_add_text(object, "stands_for", text);
		add_line_in(object, "unit", pmu, file, ".unit");
		add_line_in(object, "scale", pmu, file, ".scale");
		json_append(list, object);
	}
	free(text);
	free(file);
}

static struct json_object *describe_terms(const char *pmu, const char *terms)
{
	char *copy = strndup(terms, strcspn(terms, "/")), *rest = copy, *term;
	struct json_object *list = json_new_array();

	while (rest && (term = strsep(&rest, ","))) {
		if (*term)
			add_term(list, pmu, term);
	}
	free(copy);
	return list;
}

static void add_parameter(struct json_object *list, const char *pmu,
			  const char *name)
{
	char *file = checked_printf("format/%s", name);
	char *text = line_in(pmu, file, "");
	unsigned int bits = text ? sysfs_parameter_bits(text) : 0;
	struct json_object *object;

	if (text) {
		object = json_new_object();
		json_add_text(object, "name", name);
		json_add_text(object, "place", text);
		json_add(object, "largest", bits ? json_new_u64(bits == 64 ?
				~0ULL : (1ULL << bits) - 1) : NULL);
		json_append(list, object);
	}
	free(text);
	free(file);
}

static struct json_object *describe_parameters(const char *pmu)
{
	char *path = checked_printf("%s/format", pmu);
	struct directory names = directory_read(path, directory_is_plain);
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < names.count; i++)
		add_parameter(list, pmu, names.names[i]);
	directory_free(&names);
	free(path);
	return list;
}

static void describe_pmu(const char *root, const char *name,
			 struct json_object *object)
{
	int length = (int)strcspn(name, "/");
	char *devices = sysfs_pmu_devices(root);
	char *pmu = checked_printf("%.*s", length, name);
	char *path = checked_printf("%s/%s", devices, pmu);

	json_add_text(object, "pmu", pmu);
	json_add_text(object, "path", path);
	json_add(object, "terms", describe_terms(path, name + length + 1));
	json_add(object, "parameters", describe_parameters(path));
	free(path);
	free(pmu);
	free(devices);
}

/*
 * Describes an event "PMU/TERM,.../" or "NAME:TERM..." in the members "pmu",
 * "path", "terms" (events that stand for other terms) and "parameters". The
 * caller has encoded the event successfully, so its syntax is valid.
 */
static void add_sysfs(struct json_object *object, const char *root,
		      const char *name)
{
	bool several;
	char *whole = strchr(name, '/') ? checked_strdup(name) :
		      sysfs_event_find(root, name, &several);

	if (whole)
		describe_pmu(root, whole, object);
	free(whole);
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
		add_sysfs(object, root, name);
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
 * Returns whether the event @plain can be counted with a suffix. If no event
 * can be tried, returns whether the event can be encoded with the suffix.
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

/*
 * Adds the member "counted": whether the event can be counted, or null if that
 * is not known.
 */
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

static void print_line(const char *title, const char *text)
{
	printf("%-10s %s\n", title, text ? text : "-");
}

/* Prints a member if it exists. */
static void print_if_any(const char *title, const struct json_object *object,
			 const char *name)
{
	const char *text = json_text_of(object, name);

	if (text)
		print_line(title, text);
}

static void print_encoding(const struct json_object *event)
{
	printf("Encoding:  config %#" PRIx64 ", config1 %#" PRIx64
	       ", config2 %#" PRIx64 "\n", json_u64_of(event, "config"),
	       json_u64_of(event, "config1"), json_u64_of(event, "config2"));
	printf("PMC:       0x%016" PRIx64 ": %s\n", json_u64_of(event, "pmc"),
	       json_text_of(event, "pmc_meaning"));
}

static void print_counted(const struct json_object *event)
{
	if (json_bool_of(event, "counted"))
		print_line("Here:", "counted");
	else
		printf("Here:      %s: %s\n",
		       json_member(event, "counted") ? "not counted" :
						       "unknown",
		       json_text_of(event, "reason"));
}

static void print_suffixes(const struct json_object *list)
{
	char *text = checked_strdup("");

	for (size_t i = 0; i < json_length(list); i++)
		text = checked_append(text, ", ", json_text_at(list, i));
	print_line("Suffixes:", *text ? text : "none");
	free(text);
}

static void print_terms(const struct json_object *terms)
{
	for (size_t i = 0; terms && i < json_length(terms); i++) {
		const struct json_object *term = json_at(terms, i);

		printf("Event:     %s stands for %s\n",
		       json_text_of(term, "name"),
		       json_text_of(term, "stands_for"));
		print_if_any("Unit:", term, "unit");
		print_if_any("Scale:", term, "scale");
	}
}

static void print_parameter(const struct json_object *parameter)
{
	const char *name = json_text_of(parameter, "name");
	const char *place = json_text_of(parameter, "place");

	if (json_member(parameter, "largest"))
		printf("\t%s  0 to %#" PRIx64 ", in %s\n", name,
		       json_u64_of(parameter, "largest"), place);
	else
		printf("\t%s  in %s, which a PMC value cannot express\n", name,
		       place);
}

static void print_parameters(const struct json_object *list)
{
	if (!list)
		return;
	puts("Parameters (besides config, config1 and config2):");
	for (size_t i = 0; i < json_length(list); i++)
		print_parameter(json_at(list, i));
	if (!json_length(list))
		puts("\tnone");
}

static void print_fields(const struct json_object *event)
{
	const struct json_object *list = json_member(event, "fields");

	if (!list)
		return;
	printf("Fields, from %s:\n", json_text_of(event, "path"));
	for (size_t i = 0; i < json_length(list); i++)
		printf("\t%s\n", json_text_at(list, i));
}

/*
 * Returns the text to print after the name of a unit mask or modifier: for a
 * unit mask, whether it is the default; for a modifier, the kind of its value.
 */
static const char *kind_of(const struct json_object *attribute)
{
	const char *value = json_text_of(attribute, "value");

	if (!value)
		return json_bool_of(attribute, "default") ? " (default)" : "";
	return strcmp(value, "number") ? " (yes or no)" : "=NUMBER";
}

static void print_attributes(const char *title, const struct json_object *list)
{
	if (!list || !json_length(list))
		return;
	printf("%s:\n", title);
	for (size_t i = 0; i < json_length(list); i++) {
		const struct json_object *attribute = json_at(list, i);

		printf("\t:%s%s  %s\n", json_text_of(attribute, "name"),
		       kind_of(attribute), json_text_of(attribute, "meaning"));
	}
}

static void print_sysfs(const struct json_object *event)
{
	if (json_text_of(event, "pmu"))
		printf("PMU:       %s, of %s\n", json_text_of(event, "pmu"),
		       json_text_of(event, "path"));
	print_terms(json_member(event, "terms"));
	print_parameters(json_member(event, "parameters"));
}

static void print_pfmlib(const struct json_object *event)
{
	if (json_text_of(event, "pmu"))
		printf("PMU:       %s: %s\n", json_text_of(event, "pmu"),
		       json_text_of(event, "pmu_meaning"));
	/* Only an event that libpfm4 knows has modifiers and a meaning. */
	if (json_member(event, "modifiers"))
		print_line("Meaning:", json_text_of(event, "meaning"));
	print_if_any("Same as:", event, "same_as");
	print_attributes("Unit masks", json_member(event, "unit_masks"));
	print_attributes("Modifiers", json_member(event, "modifiers"));
}

static void print_source(const struct json_object *event)
{
	const char *source = json_text_of(event, "source");

	if (!strcmp(source, "generic")) {
		print_line("PMU:",
			   "generic events of the kernel, with perf's names");
		print_line("Meaning:", json_text_of(event, "meaning"));
	} else if (!strcmp(source, "raw")) {
		print_line("PMU:", "the CPU");
		print_line("Meaning:",
			   "a raw event code: see the CPU's manual");
	} else if (!strcmp(source, "tracepoint")) {
		print_line("PMU:", "the kernel's tracepoints");
		print_fields(event);
	} else if (!strcmp(source, "sysfs")) {
		print_sysfs(event);
	} else {
		print_pfmlib(event);
	}
}

void event_print(const struct json_object *event)
{
	const struct json_object *suffixes = json_member(event, "suffixes");

	print_line("Name:", json_text_of(event, "name"));
	if (!json_member(event, "pmc")) {
		print_line("Encoding:", json_text_of(event, "reason"));
		print_source(event);
		return;
	}
	print_encoding(event);
	print_counted(event);
	if (suffixes)
		print_suffixes(suffixes);
	else
		printf("CPUs:      %s, at all privilege levels\n",
		       json_text_of(event, "cpus"));
	print_source(event);
}
