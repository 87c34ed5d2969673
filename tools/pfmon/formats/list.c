// SPDX-License-Identifier: MIT OR GPL-2.0
/* list.c - print the registered and installed sampling formats */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "base/json.h"
#include "base/util.h"
#include "formats/arg_layout.h"
#include "formats/registered.h"
#include "formats/table.h"

static struct json_object *describe_field(const struct arg_field *field)
{
	struct json_object *object = json_new_object();

	json_add_text(object, "name", field->name);
	json_add_u64(object, "default", field->default_value);
	json_add_text(object, "unit", field->unit);
	json_add_u64(object, "size", field->size);
	json_add_bool(object, "live", field->live);
	return object;
}

/* Describes the fields that --smpl-arg can set. */
static struct json_object *describe_fields(const pfm_uuid_t uuid)
{
	struct json_object *list = json_new_array();
	char *text = registered_file(uuid, "arg_layout");
	struct arg_layout layout;

	arg_layout_parse(&layout, text ? text : "", SIZE_MAX);
	for (size_t i = 0; i < layout.count; i++)
		json_append(list, describe_field(&layout.fields[i]));
	arg_layout_free(&layout);
	free(text);
	return list;
}

static struct json_object *describe(const char *name, const pfm_uuid_t uuid,
				    bool registered)
{
	struct json_object *object = json_new_object();
	const struct smpl_module *module = smpl_module_named(name);
	char text[UUID_STR_LEN];

	uuid_unparse_lower(uuid, text);
	json_add_text(object, "uuid", text);
	json_add_text(object, "name", name);
	json_add_text(object, "summary", module ? module->summary : NULL);
	json_add_bool(object, "registered", registered);
	return object;
}

static void append_registered(const char *name, const pfm_uuid_t uuid,
			      void *list)
{
	char *arg_size = registered_line(uuid, "arg_size");
	struct json_object *object = describe(name ? name : "?", uuid, true);
	uint64_t size;

	json_add(object, "arg_size", arg_size && parse_u64(arg_size, &size) ?
		 json_new_u64(size) : NULL);
	json_add(object, "fields", describe_fields(uuid));
	json_append(list, object);
	free(arg_size);
}

static void append_installed(const char *name, const pfm_uuid_t uuid,
			     void *list)
{
	if (!registered_has(uuid))
		json_append(list, describe(name, uuid, false));
}

static void print_state(const struct json_object *format)
{
	const char *summary = json_text_of(format, "summary");

	if (summary)
		printf("\t%s\n", summary);
	if (!json_bool_of(format, "registered"))
		puts("\tinstalled: the kernel loads it when a session uses it");
}

static void print_fields(const struct json_object *fields)
{
	for (size_t i = 0; i < json_length(fields); i++) {
		const struct json_object *field = json_at(fields, i);

		printf("\t%s=%" PRIu64 " (%s, in %" PRIu64 " bytes%s)\n",
		       json_text_of(field, "name"),
		       json_u64_of(field, "default"),
		       json_text_of(field, "unit"), json_u64_of(field, "size"),
		       json_bool_of(field, "live") ? ", live" : "");
	}
}

static void print_format(const struct json_object *format)
{
	const struct json_object *fields = json_member(format, "fields");

	printf("%s %s", json_text_of(format, "uuid"),
	       json_text_of(format, "name"));
	if (json_member(format, "arg_size"))
		printf(" (argument: %" PRIu64 " bytes)",
		       json_u64_of(format, "arg_size"));
	putchar('\n');
	print_state(format);
	/* Formats that are not registered have no list of fields. */
	if (fields)
		print_fields(fields);
}

static void print_text(struct json_object *list)
{
	for (size_t i = 0; i < json_length(list); i++)
		print_format(json_at(list, i));
	json_drop(list);
}

bool smpl_formats_list(bool json)
{
	struct json_object *list = json_new_array();

	if (!registered_each(append_registered, list)) {
		message("cannot read " REGISTERED_DIR ": %s; is perfmon loaded? (modprobe pfm_pmu_perf)",
			strerror(errno));
		json_drop(list);
		return false;
	}
	installed_each(append_installed, list);
	if (json)
		json_print_list("formats", list);
	else
		print_text(list);
	return true;
}
