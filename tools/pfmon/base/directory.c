// SPDX-License-Identifier: MIT OR GPL-2.0
/* directory.c - list the names in a directory */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/directory.h"
#include "base/util.h"

/* Maximum number of names in a message. */
#define MOST_NAMES	16

int directory_is_plain(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

struct directory directory_read(const char *path,
				int (*wanted)(const struct dirent *entry))
{
	struct directory list = { .count = 0 };
	int count = scandir(path, &list.entries, wanted, alphasort);

	if (count < 0)
		return (struct directory){ .count = 0 };
	list.count = (size_t)count;
	list.names = checked_calloc(list.count + 1, sizeof(*list.names));
	for (size_t i = 0; i < list.count; i++)
		list.names[i] = list.entries[i]->d_name;
	return list;
}

void directory_free(struct directory *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i]);
	free(list->entries);
	free(list->names);
}

char *directory_join(const char *path,
		     int (*wanted)(const struct dirent *entry))
{
	struct directory list = directory_read(path, wanted);
	char *text = checked_strdup(list.count ? "" : "none");
	char *more;

	for (size_t i = 0; i < list.count && i < MOST_NAMES; i++)
		text = checked_append(text, ", ", list.names[i]);
	if (list.count > MOST_NAMES) {
		more = checked_printf("%zu more", list.count - MOST_NAMES);
		text = checked_append(text, " and ", more);
		free(more);
	}
	directory_free(&list);
	return text;
}
