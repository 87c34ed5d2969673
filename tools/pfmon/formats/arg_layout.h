/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* arg_layout.h - fields of a format's argument, as published in sysfs */
#ifndef PFMON_FORMATS_ARG_LAYOUT_H
#define PFMON_FORMATS_ARG_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum size of a word in the sysfs file, including the terminating zero. */
#define ARG_WORD_SIZE	32

struct arg_field {
	char name[ARG_WORD_SIZE];
	char unit[ARG_WORD_SIZE];
	size_t offset;
	size_t size;
	uint64_t default_value;
	bool live;			/* can be changed while measuring */
};

struct arg_layout {
	struct arg_field *fields;
	size_t count;			/* 0: the fields are not known */
};

/*
 * Parses the content of the sysfs file arg_layout, for an argument of @size
 * bytes. A line describes a field: NAME OFFSET SIZE DEFAULT UNIT [live]. Lines
 * that are invalid or do not fit into the argument are ignored.
 */
void arg_layout_parse(struct arg_layout *layout, const char *text, size_t size);
void arg_layout_free(struct arg_layout *layout);

void arg_layout_set_defaults(const struct arg_layout *layout, void *arg);

/* Returns false if the field does not exist or cannot hold the value. */
bool arg_layout_set_field(const struct arg_layout *layout, const char *name,
			  uint64_t value, void *arg);

/*
 * Sets the fields that --smpl-arg gives as NAME=VALUE,... On failure, returns
 * false, with a message that names the format.
 */
bool arg_layout_set(const struct arg_layout *layout, const char *format,
		    const char *assignments, void *arg);

/* Returns all fields and values in the syntax of --smpl-arg; to be freed. */
char *arg_layout_text(const struct arg_layout *layout, const void *arg);

#endif /* PFMON_FORMATS_ARG_LAYOUT_H */
