/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * registered.h - registered formats, and formats that the kernel can load
 *
 * sysfs has a directory for each registered format, named by its UUID. The
 * module of a format has the alias perfmon-fmt-UUID; the kernel uses it to load
 * the module when a context names the format.
 */
#ifndef PFMON_FORMATS_REGISTERED_H
#define PFMON_FORMATS_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#define REGISTERED_DIR	PFM_SYSFS "/formats"

/*
 * Read a format's file in sysfs. registered_file() returns the whole content,
 * registered_line() the first line without its newline; the caller frees it.
 * Both return NULL if the file does not exist.
 */
char *registered_file(const pfm_uuid_t uuid, const char *name);
char *registered_line(const pfm_uuid_t uuid, const char *name);

/*
 * Returns the number in a format's file in sysfs; 0 if the file does not exist.
 */
uint64_t registered_number(const pfm_uuid_t uuid, const char *name);

bool registered_has(const pfm_uuid_t uuid);

/*
 * A function that is called for a format; @name is NULL if it cannot be read.
 */
typedef void visit_format_t(const char *name, const pfm_uuid_t uuid,
			    void *data);

/*
 * Calls visit with each registered format, in the order of their UUIDs. Returns
 * false with errno set if sysfs cannot be read.
 */
bool registered_each(visit_format_t *visit, void *data);

/*
 * Calls visit with each format that is installed for the running kernel. By
 * convention, the module of format NAME is called pfm_fmt_NAME.
 */
void installed_each(visit_format_t *visit, void *data);

/*
 * Find the UUID of a registered or of an installed format by its name; return
 * false if no such format has this name.
 */
bool registered_by_name(const char *name, pfm_uuid_t uuid);
bool installed_by_name(const char *name, pfm_uuid_t uuid);

#endif /* PFMON_FORMATS_REGISTERED_H */
