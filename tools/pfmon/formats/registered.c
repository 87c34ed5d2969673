// SPDX-License-Identifier: MIT OR GPL-2.0
/* registered.c - registered formats, and formats that the kernel can load */
#define _GNU_SOURCE
#include <dirent.h>
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

char *registered_line(const pfm_uuid_t uuid, const char *name)
{
	char *path = path_of(uuid, name);
	char *text = read_line_of(path);

	free(path);
	return text;
}

uint64_t registered_number(const pfm_uuid_t uuid, const char *name)
{
	char *text = registered_line(uuid, name);
	uint64_t number = 0;

	if (text)
		parse_u64(text, &number);
	free(text);
	return number;
}

bool registered_has(const pfm_uuid_t uuid)
{
	char *path = path_of(uuid, "");
	bool registered = !access(path, F_OK);

	free(path);
	return registered;
}

static int is_uuid(const struct dirent *entry)
{
	uuid_t uuid;

	return !uuid_parse(entry->d_name, uuid);
}

bool registered_each(visit_format_t *visit, void *data)
{
	struct dirent **entries;
	int count = scandir(REGISTERED_DIR, &entries, is_uuid, alphasort);
	uuid_t uuid;
	char *name;

	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		uuid_parse(entries[i]->d_name, uuid);
		name = registered_line(uuid, "name");
		visit(name, uuid, data);
		free(name);
		free(entries[i]);
	}
	free(entries);
	return true;
}

/*
 * Parses a line "alias perfmon-fmt-UUID pfm_fmt_NAME"; false for other lines.
 */
static bool parse_alias(char *line, const char **name, pfm_uuid_t uuid)
{
	char *module;

	if (strncmp(line, ALIAS_PREFIX, strlen(ALIAS_PREFIX)))
		return false;
	module = strchr(line + strlen(ALIAS_PREFIX), ' ');
	if (!module)
		return false;
	*module++ = '\0';
	if (strncmp(module, MODULE_PREFIX, strlen(MODULE_PREFIX)))
		return false;
	*name = module + strlen(MODULE_PREFIX);
	return **name && !uuid_parse(line + strlen(ALIAS_PREFIX), uuid);
}

void installed_each(visit_format_t *visit, void *data)
{
	char *path, *text, *rest, *line;
	struct utsname system;
	const char *name;
	uuid_t uuid;
	size_t length;

	uname(&system);
	path = checked_printf("/lib/modules/%s/modules.alias", system.release);
	text = read_file(path, &length);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (parse_alias(line, &name, uuid))
			visit(name, uuid, data);
	}
	free(text);
	free(path);
}

struct wanted {
	const char *name;
	unsigned char *uuid;
	bool found;
};

static void compare(const char *name, const pfm_uuid_t uuid, void *data)
{
	struct wanted *wanted = data;

	if (wanted->found || !name || strcmp(name, wanted->name))
		return;
	memcpy(wanted->uuid, uuid, sizeof(pfm_uuid_t));
	wanted->found = true;
}

bool registered_by_name(const char *name, pfm_uuid_t uuid)
{
	struct wanted wanted = { .name = name, .uuid = uuid };

	registered_each(compare, &wanted);
	return wanted.found;
}

bool installed_by_name(const char *name, pfm_uuid_t uuid)
{
	char *module = checked_strdup(name);
	struct wanted wanted = { .name = module, .uuid = uuid };

	/* Module names have no dashes. */
	for (char *at = module; (at = strchr(at, '-')); at++)
		*at = '_';
	installed_each(compare, &wanted);
	free(module);
	return wanted.found;
}
