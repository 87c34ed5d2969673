/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* table.h - the sampling formats that pfmon knows, and those of the kernel */
#ifndef PFMON_FORMATS_TABLE_H
#define PFMON_FORMATS_TABLE_H

#include <dirent.h>
#include <stdbool.h>

#include "formats/format.h"

extern const struct smpl_module smpl_default;
extern const struct smpl_module smpl_nway;
extern const struct smpl_module smpl_pebs32;
extern const struct smpl_module smpl_pebs64;
extern const struct smpl_module smpl_dear_hist;
extern const struct smpl_module smpl_oprofile;

/* All of them. */
extern const struct smpl_module * const smpl_modules[];
extern const size_t smpl_module_count;

/* One of them, NULL if it is none. */
const struct smpl_module *smpl_module_named(const char *name);

/*
 * Finds the format that the options name and prepares its argument. The list of
 * kinds must stay there. False with a message if there is none.
 */
bool smpl_format_find(struct smpl_format *format,
		      const struct options *options,
		      const struct smpl_kinds *kinds);
void smpl_format_free(struct smpl_format *format);

/*
 * Names of those that take one of FORMAT_OPT_*, with commas between; to be
 * freed.
 */
char *smpl_formats_with(unsigned int format_option);

/* Has a directory for each registered format, whose name is a UUID. */
#define SMPL_FORMATS_DIR	PFM_SYSFS "/formats"
int smpl_is_uuid(const struct dirent *entry);

/* A file of it, without the newline; to be freed. NULL without one. */
char *smpl_format_line(const char *uuid, const char *name);

/* A file of a registered format in sysfs, to be freed; NULL without one. */
char *smpl_format_file(const pfm_uuid_t uuid, const char *name);

/* The number in such a file; 0 without one. */
uint64_t smpl_format_number(const pfm_uuid_t uuid, const char *name);

/* Whether the kernel has the format registered at this moment. */
bool smpl_format_registered(const struct smpl_format *format);

/*
 * Prints the registered formats as text or JSON; false with a message if
 * perfmon is missing.
 */
bool smpl_formats_list(bool json);

#endif /* PFMON_FORMATS_TABLE_H */
