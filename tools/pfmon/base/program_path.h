/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* program_path.h - find programs by name */
#ifndef PFMON_BASE_PROGRAM_PATH_H
#define PFMON_BASE_PROGRAM_PATH_H

#include <stddef.h>

/*
 * Both functions return the program's path, to be freed, or NULL with errno
 * set. program_path_in() looks in one directory, whose name has @length bytes;
 * program_path() looks where execvp() does.
 */
char *program_path_in(const char *directory, size_t length, const char *name);
char *program_path(const char *name);

#endif /* PFMON_BASE_PROGRAM_PATH_H */
