// SPDX-License-Identifier: MIT OR GPL-2.0
/* list.c - prints the sampling formats that the kernel has */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "formats/arg_layout.h"
#include "formats/table.h"
#include "json.h"
#include "util.h"

static struct json_object *describe_field(const struct arg_field *field)
{
	struct json_object *object = json_new_object();

	json_add_text(object, "name", field->name);
	json_add_u64(object, "default", field->default_value);
	json_add_text(object, "unit", field->unit);
	json_add_u64(object, "size", field->size);
	return object;
}

/* The fields of an argument, as --smpl-arg takes them. */
static struct json_object *describe_fields(const char *uuid_text)
{
	struct json_object *list = json_new_array();
	struct arg_layout layout = { .count = 0 };
	pfm_uuid_t uuid;
	char *text;

	if (uuid_parse(uuid_text, uuid))
		return list;
	text = smpl_format_file(uuid, "arg_layout");
	arg_layout_parse(&layout, text ? text : "", SIZE_MAX);
	for (size_t i = 0; i < layout.count; i++)
		json_append(list, describe_field(&layout.fields[i]));
	arg_layout_free(&layout);
	free(text);
	return list;
}

static struct json_object *describe_format(const char *uuid_text)
{
	struct json_object *object = json_new_object();
	char *name = smpl_format_line(uuid_text, "name");
	char *arg_size = smpl_format_line(uuid_text, "arg_size");
	uint64_t size;

	json_add_text(object, "uuid", uuid_text);
	json_add_text(object, "name", name);
	json_add(object, "arg_size", arg_size && parse_u64(arg_size, &size) ?
		 json_new_u64(size) : NULL);
	json_add(object, "fields", describe_fields(uuid_text));
	free(name);
	free(arg_size);
	return object;
}

static const char *or_unknown(const char *text)
{
	return text ? text : "?";
}

static void print_format(const struct json_object *format)
{
	const struct json_object *fields = json_member(format, "fields");

	printf("%s %s (argument: %s bytes)\n", json_text_of(format, "uuid"),
	       or_unknown(json_text_of(format, "name")),
	       or_unknown(json_text_of(format, "arg_size")));
	for (size_t i = 0; i < json_length(fields); i++) {
		const struct json_object *field = json_at(fields, i);

		printf("\t%s=%" PRIu64 " (%s, in %" PRIu64 " bytes)\n",
		       json_text_of(field, "name"),
		       json_u64_of(field, "default"),
		       json_text_of(field, "unit"),
		       json_u64_of(field, "size"));
	}
}

static void print_text(struct json_object *list)
{
	for (size_t i = 0; i < json_length(list); i++)
		print_format(json_at(list, i));
	json_drop(list);
}

bool smpl_formats_list(bool json)
{
	struct json_object *list;
	struct dirent **entries;
	int count = scandir(SMPL_FORMATS_DIR, &entries, smpl_is_uuid,
			    alphasort);

	if (count < 0) {
		message("cannot read " SMPL_FORMATS_DIR ": %s; is perfmon loaded? (modprobe pfm_pmu_perf)",
			strerror(errno));
		return false;
	}
	list = json_new_array();
	for (int i = 0; i < count; i++) {
		json_append(list, describe_format(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (json)
		json_print_list("formats", list);
	else
		print_text(list);
	return true;
}
