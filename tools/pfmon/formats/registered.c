// SPDX-License-Identifier: MIT OR GPL-2.0
/* registered.c - registered formats, and formats that the kernel can load */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "base/util.h"
#include "formats/registered.h"

#define MODULE_PREFIX	"pfm_fmt_"
#define ALIAS_PREFIX	"alias perfmon-fmt-"

int registered_is_uuid(const struct dirent *entry)
{
	uuid_t uuid;

	return !uuid_parse(entry->d_name, uuid);
}

static char *path_of(const pfm_uuid_t uuid, const char *name)
{
	char text[UUID_STR_LEN];

	uuid_unparse_lower(uuid, text);
	return checked_printf(REGISTERED_DIR "/%s/%s", text, name);
}

char *registered_file(const pfm_uuid_t uuid, const char *name)
{
	char *path = path_of(uuid, name);
	size_t length;
	char *content = read_file(path, &length);

	free(path);
	return content;
}

char *registered_line(const char *uuid, const char *name)
{
	char *path = checked_printf(REGISTERED_DIR "/%s/%s", uuid, name);
	char *text = read_line_of(path);

	free(path);
	return text;
}

uint64_t registered_number(const pfm_uuid_t uuid, const char *name)
{
	char *path = path_of(uuid, name);
	char *text = read_line_of(path);
	uint64_t number = 0;

	if (text)
		parse_u64(text, &number);
	free(text);
	free(path);
	return number;
}

bool registered_has(const pfm_uuid_t uuid)
{
	char *path = path_of(uuid, "");
	bool registered = !access(path, F_OK);

	free(path);
	return registered;
}

bool registered_by_name(const char *name, pfm_uuid_t uuid)
{
	struct dirent **entries;
	int count = scandir(REGISTERED_DIR, &entries, registered_is_uuid,
			    alphasort);
	bool found = false;
	char *other;

	for (int i = 0; i < count; i++) {
		other = registered_line(entries[i]->d_name, "name");
		if (!found && other && !strcmp(other, name))
			found = !uuid_parse(entries[i]->d_name, uuid);
		free(other);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}

/* Parses a line "alias perfmon-fmt-UUID pfm_fmt_NAME"; false for others. */
static bool parse_alias(char *line, const char **name, const char **uuid)
{
	char *module;
	uuid_t parsed;

	if (strncmp(line, ALIAS_PREFIX, strlen(ALIAS_PREFIX)))
		return false;
	module = strchr(line + strlen(ALIAS_PREFIX), ' ');
	if (!module)
		return false;
	*module++ = '\0';
	if (strncmp(module, MODULE_PREFIX, strlen(MODULE_PREFIX)))
		return false;
	*uuid = line + strlen(ALIAS_PREFIX);
	*name = module + strlen(MODULE_PREFIX);
	return **name && !uuid_parse(*uuid, parsed);
}

void installed_each(void (*visit)(const char *name, const char *uuid,
				  void *data),
		    void *data)
{
	char *path, *text, *rest, *line;
	const char *name, *uuid;
	struct utsname system;
	size_t length;

	uname(&system);
	path = checked_printf("/lib/modules/%s/modules.alias", system.release);
	text = read_file(path, &length);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (parse_alias(line, &name, &uuid))
			visit(name, uuid, data);
	}
	free(text);
	free(path);
}

struct wanted {
	char *name;
	unsigned char *uuid;
	bool found;
};

static void compare(const char *name, const char *uuid, void *data)
{
	struct wanted *wanted = data;

	if (!wanted->found && !strcmp(name, wanted->name))
		wanted->found = !uuid_parse(uuid, wanted->uuid);
}

bool installed_by_name(const char *name, pfm_uuid_t uuid)
{
	struct wanted wanted = { .name = checked_strdup(name), .uuid = uuid };

	/* A module's name has no dashes. */
	for (char *at = wanted.name; (at = strchr(at, '-')); at++)
		*at = '_';
	installed_each(compare, &wanted);
	free(wanted.name);
	return wanted.found;
}
