// SPDX-License-Identifier: MIT OR GPL-2.0
/* json.c - json-c with checked allocation and valid UTF-8 */
#define _GNU_SOURCE
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/util.h"

static struct json_object *checked(struct json_object *object)
{
	if (object)
		return object;
	message("out of memory");
	exit(PFMON_EXIT_ERROR);
}

struct json_object *json_new_object(void)
{
	return checked(json_object_new_object());
}

struct json_object *json_new_array(void)
{
	return checked(json_object_new_array());
}

struct json_object *json_new_u64(uint64_t value)
{
	return checked(json_object_new_uint64(value));
}

struct json_object *json_new_double(double value)
{
	return checked(json_object_new_double(value));
}

struct json_object *json_new_text(const char *text)
{
	struct json_object *object;
	size_t length;
	char *clean;

	if (!text)
		return NULL;
	clean = checked_strdup(text);
	for (char *at = clean; *at; at += length) {
		length = utf8_length(at);
		if (!length) {
			*at = '?';
			length = 1;
		}
	}
	object = checked(json_object_new_string(clean));
	free(clean);
	return object;
}

void json_add(struct json_object *object, const char *name,
	      struct json_object *value)
{
	if (!json_object_object_add(object, name, value))
		return;
	message("out of memory");
	exit(PFMON_EXIT_ERROR);
}

void json_append(struct json_object *array, struct json_object *value)
{
	if (!json_object_array_add(array, value))
		return;
	message("out of memory");
	exit(PFMON_EXIT_ERROR);
}

size_t json_length(const struct json_object *array)
{
	return json_object_array_length(array);
}

bool json_equal(struct json_object *one, struct json_object *other)
{
	return json_object_equal(one, other);
}

void json_drop(struct json_object *object)
{
	json_object_put(object);
}

void json_add_u64(struct json_object *object, const char *name, uint64_t value)
{
	json_add(object, name, json_new_u64(value));
}

void json_add_bool(struct json_object *object, const char *name, bool value)
{
	json_add(object, name, checked(json_object_new_boolean(value)));
}

static bool is_utf8(const char *text)
{
	size_t length = 1;

	for (; *text && length; text += length)
		length = utf8_length(text);
	return length;
}

void json_add_text(struct json_object *object, const char *name,
		   const char *text)
{
	char *exact;

	json_add(object, name, json_new_text(text));
	if (!text || is_utf8(text))
		return;
	exact = checked_printf("%s_bytes", name);
	json_add_hex(object, exact, text, strlen(text));
	free(exact);
}

void json_add_hex(struct json_object *object, const char *name,
		  const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;
	char *text = checked_calloc(length + 1, 2);

	for (size_t i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", byte[i]);
	json_add_text(object, name, text);
	free(text);
}

struct json_object *json_member(const struct json_object *object,
				const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

const char *json_text_of(const struct json_object *object, const char *name)
{
	return json_object_get_string(json_member(object, name));
}

uint64_t json_u64_of(const struct json_object *object, const char *name)
{
	return json_object_get_uint64(json_member(object, name));
}

bool json_bool_of(const struct json_object *object, const char *name)
{
	return json_object_get_boolean(json_member(object, name));
}

struct json_object *json_at(const struct json_object *array, size_t index)
{
	return json_object_array_get_idx(array, index);
}

const char *json_text_at(const struct json_object *array, size_t index)
{
	return json_object_get_string(json_at(array, index));
}

char *json_finish(struct json_object *object)
{
	const char *text =
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	char *copy = text ? checked_strdup(text) : NULL;

	json_object_put(object);
	if (copy)
		return copy;
	message("out of memory");
	exit(PFMON_EXIT_ERROR);
}

void json_print(struct json_object *object, FILE *out)
{
	char *text = json_finish(object);

	fprintf(out, "%s\n", text);
	free(text);
}

void json_print_list(const char *name, struct json_object *list)
{
	struct json_object *object = json_new_object();

	json_add(object, name, list);
	json_print(object, stdout);
}
