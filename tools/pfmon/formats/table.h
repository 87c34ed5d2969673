/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* table.h - the sampling formats that pfmon knows, and those of the kernel */
#ifndef PFMON_FORMATS_TABLE_H
#define PFMON_FORMATS_TABLE_H

#include <stdbool.h>

#include "formats/format.h"

/* The formats that pfmon has a row for. */
extern const struct smpl_module * const smpl_modules[];
extern const size_t smpl_module_count;

/* The row of that name, or NULL. */
const struct smpl_module *smpl_module_named(const char *name);

/*
 * Finds the format of a name or UUID, which may be registered or installed.
 * The list of kinds must outlive it. False with a message if there is none; it
 * is to be freed all the same.
 */
bool smpl_format_find(struct smpl_format *format, const char *name,
		      const struct smpl_kinds *kinds);

/* Makes its argument; false with a message. */
bool smpl_format_set_up(struct smpl_format *format,
			const struct options *options);
/* All names, or of those that take one of FORMAT_OPT_*; to be freed. */
char *smpl_formats_names(const char *separator);
char *smpl_formats_with(unsigned int format_option);

/*
 * Prints the formats that are registered or installed, as text or JSON; false
 * with a message if perfmon is missing.
 */
bool smpl_formats_list(bool json);

#endif /* PFMON_FORMATS_TABLE_H */
