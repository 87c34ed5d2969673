/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* arg_layout.h - the fields of a format's argument, as sysfs shows them */
#ifndef PFMON_FORMATS_ARG_LAYOUT_H
#define PFMON_FORMATS_ARG_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No word in the kernel's file is longer. */
#define ARG_WORD_SIZE	32

struct arg_field {
	char name[ARG_WORD_SIZE];
	char unit[ARG_WORD_SIZE];
	size_t offset;
	size_t size;
	uint64_t default_value;
};

struct arg_layout {
	struct arg_field *fields;
	size_t count;			/* 0: nothing is known of it */
};

/*
 * Takes what is in the file arg_layout, of an argument of size bytes; lines
 * that are not of a field in it are left out.
 */
void arg_layout_parse(struct arg_layout *layout, const char *text, size_t size);
void arg_layout_free(struct arg_layout *layout);

void arg_layout_set_defaults(const struct arg_layout *layout, void *arg);

/* False if there is no field of that name. */
bool arg_layout_set_field(const struct arg_layout *layout, const char *name,
			  uint64_t value, void *arg);

/*
 * Sets what --smpl-arg names, NAME=VALUE,...; format is for messages. False
 * with one.
 */
bool arg_layout_set(const struct arg_layout *layout, const char *format,
		    const char *assignments, void *arg);

/* All fields as --smpl-arg takes them, with their values; to be freed. */
char *arg_layout_text(const struct arg_layout *layout, const void *arg);

#endif /* PFMON_FORMATS_ARG_LAYOUT_H */
