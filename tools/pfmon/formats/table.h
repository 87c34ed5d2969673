/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* table.h - find sampling formats by name or UUID */
#ifndef PFMON_FORMATS_TABLE_H
#define PFMON_FORMATS_TABLE_H

#include <stdbool.h>

#include "formats/format.h"

/* The formats that pfmon knows. */
extern const struct smpl_module * const smpl_modules[];
extern const size_t smpl_module_count;

/* Returns the format of that name from smpl_modules, or NULL. */
const struct smpl_module *smpl_module_named(const char *name);

/*
 * Finds a known, registered or installed format by its name or UUID. The list
 * in *kinds must outlive the format. Returns false, with a message, if the name
 * is unknown. The caller calls smpl_format_free() in any case.
 */
bool smpl_format_find(struct smpl_format *format, const char *name,
		      const struct smpl_kinds *kinds);

/* Builds the format's argument; returns false, with a message, on failure. */
bool smpl_format_set_up(struct smpl_format *format,
			const struct options *options);
/* Return the names of all known formats, or of those that take an option. */
char *smpl_formats_names(const char *separator);
char *smpl_formats_with(unsigned int format_option);

/*
 * Prints the registered and installed formats as text or JSON. Returns false
 * with a message if perfmon is not loaded.
 */
bool smpl_formats_list(bool json);

#endif /* PFMON_FORMATS_TABLE_H */
