/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * registered.h - formats that the kernel has registered, or can load
 *
 * A registered format has a directory in sysfs, named by its UUID. A module
 * that is installed has the alias perfmon-fmt-UUID, by which the kernel loads
 * it when a context asks for the format.
 */
#ifndef PFMON_FORMATS_REGISTERED_H
#define PFMON_FORMATS_REGISTERED_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#define REGISTERED_DIR	PFM_SYSFS "/formats"

/* For scandir(): directories of formats. */
int registered_is_uuid(const struct dirent *entry);

/*
 * A file of a format in sysfs, with all lines, or its only one without the
 * newline; to be freed. NULL if there is no such file.
 */
char *registered_file(const pfm_uuid_t uuid, const char *name);
char *registered_line(const char *uuid, const char *name);

/* The number in such a file; 0 if there is no such file. */
uint64_t registered_number(const pfm_uuid_t uuid, const char *name);

bool registered_has(const pfm_uuid_t uuid);

/* The UUID of a registered format of that name. */
bool registered_by_name(const char *name, pfm_uuid_t uuid);

/*
 * Calls visit with each format whose module is installed for the running
 * kernel. The name is that of the module without pfm_fmt_, by convention the
 * format's.
 */
void installed_each(void (*visit)(const char *name, const char *uuid,
				  void *data),
		    void *data);

/* The UUID of an installed format of that name. */
bool installed_by_name(const char *name, pfm_uuid_t uuid);

#endif /* PFMON_FORMATS_REGISTERED_H */
