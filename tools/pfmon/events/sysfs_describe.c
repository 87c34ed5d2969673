// SPDX-License-Identifier: MIT OR GPL-2.0
/* sysfs_describe.c - describe an event and its PMU from sysfs */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/directory.h"
#include "base/json.h"
#include "base/util.h"
#include "events/sysfs_describe.h"
#include "events/sysfs_pmu.h"

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

static void describe(const char *root, const char *name,
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

void sysfs_event_describe(const char *root, const char *name,
			  struct json_object *object)
{
	bool several;
	char *whole = strchr(name, '/') ? checked_strdup(name) :
		      sysfs_event_find(root, name, &several);

	if (whole)
		describe(root, whole, object);
	free(whole);
}
