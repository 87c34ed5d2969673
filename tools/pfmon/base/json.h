/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* json.h - json-c with checked allocation and valid UTF-8 */
#ifndef PFMON_BASE_JSON_H
#define PFMON_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_u64(uint64_t value);
struct json_object *json_new_double(double value);

/*
 * Returns a JSON string, in which bytes that are not valid UTF-8 are replaced.
 * Converts NULL to null.
 */
struct json_object *json_new_text(const char *text);

/* Add a member or an element; both functions take ownership of the value. */
void json_add(struct json_object *object, const char *name,
	      struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);

/* Returns the number of elements. */
size_t json_length(const struct json_object *array);
bool json_equal(struct json_object *one, struct json_object *other);
void json_drop(struct json_object *object);

void json_add_u64(struct json_object *object, const char *name, uint64_t value);
void json_add_bool(struct json_object *object, const char *name, bool value);
/*
 * Adds a text or null. If the text is not valid UTF-8, also adds its bytes, in
 * hexadecimal, as a second member "NAME_bytes".
 */
void json_add_text(struct json_object *object, const char *name,
		   const char *text);
void json_add_hex(struct json_object *object, const char *name,
		  const void *bytes, size_t length);

/* Returns a member of an object; NULL if it is missing or null. */
struct json_object *json_member(const struct json_object *object,
				const char *name);
/* Return a member's value; NULL, 0 or false if the member is missing. */
const char *json_text_of(const struct json_object *object, const char *name);
uint64_t json_u64_of(const struct json_object *object, const char *name);
bool json_bool_of(const struct json_object *object, const char *name);

struct json_object *json_at(const struct json_object *array, size_t index);
/* Returns an element as text. */
const char *json_text_at(const struct json_object *array, size_t index);

/* Returns the object as text, to be freed, and releases the object. */
char *json_finish(struct json_object *object);

/* Prints the object on one line and releases it. */
void json_print(struct json_object *object, FILE *out);
/* Prints {@name: @list} to stdout on one line, and releases @list. */
void json_print_list(const char *name, struct json_object *list);

#endif /* PFMON_BASE_JSON_H */
