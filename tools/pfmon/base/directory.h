/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* directory.h - list the names in a directory */
#ifndef PFMON_BASE_DIRECTORY_H
#define PFMON_BASE_DIRECTORY_H

#include <dirent.h>
#include <stddef.h>

struct directory {
	struct dirent **entries;
	const char **names;	/* sorted */
	size_t count;		/* 0 if the directory cannot be read */
};

/* Lists the entries for which wanted() returns nonzero. */
struct directory directory_read(const char *path,
				int (*wanted)(const struct dirent *entry));
void directory_free(struct directory *list);

/*
 * Returns the names of the entries for which wanted() returns nonzero, as "a,
 * b, c", "a, ... and 9 more", or "none". The caller frees the text.
 */
char *directory_join(const char *path,
		     int (*wanted)(const struct dirent *entry));

/* A wanted() that rejects names with a dot, such as "." and EVENT.unit. */
int directory_is_plain(const struct dirent *entry);

#endif /* PFMON_BASE_DIRECTORY_H */
