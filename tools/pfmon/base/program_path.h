/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* program_path.h - find programs by name */
#ifndef PFMON_BASE_PROGRAM_PATH_H
#define PFMON_BASE_PROGRAM_PATH_H

#include <stddef.h>

/*
 * Both return a path, to be freed, or NULL with errno if there is no such
 * program. The first one looks in a directory, whose name has this length; the
 * second one looks where execvp() does.
 */
char *program_path_in(const char *directory, size_t length, const char *name);
char *program_path(const char *name);

#endif /* PFMON_BASE_PROGRAM_PATH_H */
