/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* json.h - json-c with checked allocation, and text that is always UTF-8 */
#ifndef PFMON_JSON_H
#define PFMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_u64(uint64_t value);
struct json_object *json_new_double(double value);

/* NULL gives null; bytes that are not UTF-8 are replaced. */
struct json_object *json_new_text(const char *text);

/* Both take over the value. */
void json_add(struct json_object *object, const char *name,
	      struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);

/* Elements of an array. */
size_t json_length(const struct json_object *array);
bool json_equal(struct json_object *one, struct json_object *other);
void json_drop(struct json_object *object);

void json_add_u64(struct json_object *object, const char *name, uint64_t value);
void json_add_bool(struct json_object *object, const char *name, bool value);
void json_add_text(struct json_object *object, const char *name,
		   const char *text);
void json_add_hex(struct json_object *object, const char *name,
		  const void *bytes, size_t length);

/* A member of an object: NULL if it is not there, or null. */
struct json_object *json_member(const struct json_object *object,
				const char *name);
/* The same: NULL, 0 and false if it is not there. */
const char *json_text_of(const struct json_object *object, const char *name);
uint64_t json_u64_of(const struct json_object *object, const char *name);
bool json_bool_of(const struct json_object *object, const char *name);

struct json_object *json_at(const struct json_object *array, size_t index);
/* An element that is text. */
const char *json_text_at(const struct json_object *array, size_t index);

/* The text of the object, to be freed; the object is given back. */
char *json_finish(struct json_object *object);

/* Prints it in a line, and gives it back. */
void json_print(struct json_object *object, FILE *out);
/* The same of an object that has the list as its only member, on stdout. */
void json_print_list(const char *name, struct json_object *list);

#endif /* PFMON_JSON_H */
