// SPDX-License-Identifier: MIT OR GPL-2.0
/* program_path.c - find programs by name */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/program_path.h"
#include "base/util.h"

/*
 * Returns @path if it is an executable file; otherwise frees it, sets errno and
 * returns NULL. access() alone is not enough: it also accepts directories, for
 * which X_OK means search permission.
 */
static char *if_program(char *path)
{
	struct stat status;

	if (!access(path, X_OK) && !stat(path, &status)) {
		if (S_ISREG(status.st_mode))
			return path;
		errno = EACCES;
	}
	free(path);
	return NULL;
}

char *program_path_in(const char *directory, size_t length, const char *name)
{
	return if_program(length ?
			  checked_printf("%.*s/%s", (int)length, directory,
					 name) :
			  checked_printf("./%s", name));
}

char *program_path(const char *name)
{
	const char *directories = getenv("PATH");
	char *path = NULL;
	size_t length;

	if (strchr(name, '/'))
		return if_program(checked_strdup(name));
	if (!directories)
		directories = "/bin:/usr/bin";
	while (!path && directories) {
		length = strcspn(directories, ":");
		path = program_path_in(directories, length, name);
		directories = directories[length] ?
			directories + length + 1 : NULL;
	}
	return path;
}
