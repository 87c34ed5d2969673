// SPDX-License-Identifier: MIT OR GPL-2.0
/* arg_layout.c - fields of a format's argument, as published in sysfs */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "formats/arg_layout.h"

/* memcpy() copies shorter fields to and from the low bytes of a uint64_t. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "");

static bool parse_field(const char *line, size_t arg_size,
			struct arg_field *field)
{
	char live[sizeof("live")] = "";
	int words = sscanf(line, "%31s %zu %zu %" SCNu64 " %31s %4s",
			   field->name, &field->offset, &field->size,
			   &field->default_value, field->unit, live);

	field->live = !strcmp(live, "live");
	return words >= 5 && field->size >= 1 &&
	       field->size <= sizeof(uint64_t) && field->offset <= arg_size &&
	       field->size <= arg_size - field->offset;
}

void arg_layout_parse(struct arg_layout *layout, const char *text, size_t size)
{
	char *copy = checked_strdup(text), *rest = copy, *line;
	struct arg_field field;

	*layout = (struct arg_layout){ NULL, 0 };
	while ((line = strsep(&rest, "\n"))) {
		if (!parse_field(line, size, &field))
			continue;
		layout->fields = checked_realloc(layout->fields,
						 layout->count + 1,
						 sizeof(field));
		layout->fields[layout->count++] = field;
	}
	free(copy);
}

void arg_layout_free(struct arg_layout *layout)
{
	free(layout->fields);
	*layout = (struct arg_layout){ NULL, 0 };
}

static void set_field(const struct arg_field *field, void *arg, uint64_t value)
{
	memcpy((char *)arg + field->offset, &value, field->size);
}

static uint64_t largest_of(const struct arg_field *field)
{
	return UINT64_MAX >> 8 * (sizeof(uint64_t) - field->size);
}

void arg_layout_set_defaults(const struct arg_layout *layout, void *arg)
{
	for (size_t i = 0; i < layout->count; i++)
		set_field(&layout->fields[i], arg,
			  layout->fields[i].default_value);
}

char *arg_layout_text(const struct arg_layout *layout, const void *arg)
{
	char *text = checked_strdup(""), *assignment;

	for (size_t i = 0; i < layout->count; i++) {
		const struct arg_field *field = &layout->fields[i];
		uint64_t value = 0;

		memcpy(&value, (const char *)arg + field->offset, field->size);
		assignment = checked_printf("%s=%" PRIu64, field->name, value);
		text = checked_append(text, ",", assignment);
		free(assignment);
	}
	return text;
}

static const struct arg_field *field_named(const struct arg_layout *layout,
					   const char *name)
{
	for (size_t i = 0; i < layout->count; i++) {
		if (!strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	}
	return NULL;
}

bool arg_layout_set_field(const struct arg_layout *layout, const char *name,
			  uint64_t value, void *arg)
{
	const struct arg_field *field = field_named(layout, name);

	if (!field || value > largest_of(field))
		return false;
	set_field(field, arg, value);
	return true;
}

static const struct arg_field *find_field(const struct arg_layout *layout,
					  const char *format, const char *name)
{
	const struct arg_field *field = field_named(layout, name);
	char *names;

	if (field)
		return field;
	names = checked_strdup("");
	for (size_t i = 0; i < layout->count; i++)
		names = checked_append(names, ", ", layout->fields[i].name);
	message("--smpl-arg: the argument of the sampling format %s has no field '%s'; it has %s",
		format, name, names);
	free(names);
	return NULL;
}

/* Returns the power of 1024 for a suffix k, M or G; 0 without a suffix. */
static unsigned int power_of(const char *number)
{
	static const char letters[] = "kmg";
	size_t length = strlen(number);
	int last = length ? tolower((unsigned char)number[length - 1]) : 0;
	const char *found = last ? strchr(letters, last) : NULL;

	return found ? (unsigned int)(found - letters) + 1 : 0;
}

/* Returns false if the text is not a number of at most 64 bits. */
static bool parse_number(const char *text, uint64_t *value)
{
	unsigned int power = power_of(text);
	char *digits = checked_strdup(text);
	bool ok;

	if (power)
		digits[strlen(digits) - 1] = '\0';
	ok = parse_u64(digits, value) && *value <= UINT64_MAX >> 10 * power;
	*value <<= 10 * power;
	free(digits);
	return ok;
}

static bool parse_value(const struct arg_field *field, const char *text,
			uint64_t *value)
{
	bool in_bytes = !strcmp(field->unit, "bytes");

	if (!in_bytes && power_of(text))
		message("--smpl-arg: %s=%s: k, M and G are for bytes, but this is a number of %s",
			field->name, text, field->unit);
	else if (!parse_number(text, value))
		message("--smpl-arg: %s=%s: '%s' is not a number%s",
			field->name, text, text,
			in_bytes ? " such as 65536, 0x10000 or 64k" :
			" such as 16 or 0x10");
	else if (*value > largest_of(field))
		message("--smpl-arg: %s=%s: the field has %zu bytes, and holds at most %ju",
			field->name, text, field->size,
			(uintmax_t)largest_of(field));
	else
		return true;
	return false;
}

/* Sets one field; it is an error to set it twice. */
static bool assign(const struct arg_layout *layout, const char *format,
		   char *assignment, void *arg, bool *was_set)
{
	char *value_text = strchr(assignment, '=');
	const struct arg_field *field;
	uint64_t value;

	if (!value_text) {
		message("--smpl-arg: '%s' is not NAME=VALUE; --list-formats prints the names",
			assignment);
		return false;
	}
	*value_text++ = '\0';
	field = find_field(layout, format, assignment);
	if (!field || !parse_value(field, value_text, &value))
		return false;
	if (was_set[field - layout->fields]) {
		message("--smpl-arg: %s is given twice: omit one",
			field->name);
		return false;
	}
	was_set[field - layout->fields] = true;
	set_field(field, arg, value);
	return true;
}

bool arg_layout_set(const struct arg_layout *layout, const char *format,
		    const char *assignments, void *arg)
{
	bool *was_set = checked_calloc(layout->count, sizeof(*was_set));
	char *copy = checked_strdup(assignments), *rest = copy, *assignment;
	bool ok = true;

	while (ok && (assignment = strsep(&rest, ",")))
		ok = assign(layout, format, assignment, arg, was_set);
	free(copy);
	free(was_set);
	return ok;
}
