// SPDX-License-Identifier: MIT OR GPL-2.0
/* library.c - find code in the shared libraries of a process */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "process/library.h"
#include "process/mapping.h"
#include "process/symbols.h"

/* The code that a process has mapped from files. */
struct code {
	char *text;		/* the contents of /proc/TID/maps */
	struct mapping *mappings;
	unsigned int count;
};

/*
 * Finds the last colon, which separates CODE. Paths may contain other colons,
 * and C++ names contain double ones.
 */
static const char *colon_of(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':' || !colon[1])
		return NULL;
	return colon;
}

bool library_is_named(const char *text)
{
	return text && colon_of(text);
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Reads the executable mappings of files. False sets errno. */
static bool read_code(pid_t tid, struct code *code)
{
	char *path = checked_printf("/proc/%d/maps", tid), *rest, *line;
	struct mapping *mapping;
	size_t length;

	code->text = rest = read_file(path, &length);
	free(path);
	if (!rest)
		return false;
	code->mappings = checked_calloc(count_lines(rest), sizeof(*mapping));
	while ((line = strsep(&rest, "\n"))) {
		mapping = &code->mappings[code->count];
		if (mapping_parse(line, mapping) && mapping->prot[2] == 'x' &&
		    mapping->path[0] == '/')
			code->count++;
	}
	return true;
}

static void free_code(struct code *code)
{
	free(code->mappings);
	free(code->text);
}

static uint64_t inode_of(const struct mapping *mapping)
{
	const char *inode = strchr(mapping->device_inode, ' ');

	return inode ? strtoull(inode, NULL, 10) : 0;
}

static const char *file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool leads_to(const char *path, const struct mapping *mapping)
{
	struct stat info;

	return !stat(path, &info) && info.st_ino == inode_of(mapping);
}

/* Whether the library's path, or the file it links to, is that mapping's. */
static bool is_at(const char *library, size_t length,
		  const struct mapping *mapping)
{
	char *path = checked_printf("%.*s", (int)length, library);
	bool same = !strcmp(path, mapping->path) || leads_to(path, mapping);

	free(path);
	return same;
}

static bool is_called(const char *library, size_t length,
		      const struct mapping *mapping)
{
	const char *name = file_name(mapping->path);

	if (memchr(library, '/', length))
		return is_at(library, length, mapping);
	return !strncmp(name, library, length) &&
	       (!name[length] || name[length] == '.');
}

static void complain(const struct code *code, const char *library,
		     size_t length)
{
	char *list = checked_strdup("");

	for (unsigned int i = 0; i < code->count; i++)
		list = checked_append(list, i ? ", " : "",
				      file_name(code->mappings[i].path));
	message("the program does not start with a library '%.*s'; it has: %s",
		(int)length, library, list);
	free(list);
}

/* Returns a mapping of the library; NULL, with a message, unless unique. */
static const struct mapping *choose(const struct code *code,
				    const char *library, size_t length)
{
	const struct mapping *chosen = NULL, *mapping;

	for (unsigned int i = 0; i < code->count; i++) {
		mapping = &code->mappings[i];
		if (!is_called(library, length, mapping))
			continue;
		if (chosen && strcmp(chosen->path, mapping->path)) {
			message("'%.*s' may be %s or %s: give the path of one",
				(int)length, library, chosen->path,
				mapping->path);
			return NULL;
		}
		chosen = mapping;
	}
	if (!chosen)
		complain(code, library, length);
	return chosen;
}

/* Finds the address at which a byte of the file is mapped as code. */
static bool find_mapped(const struct code *code, const char *path,
			uint64_t offset, uint64_t *address)
{
	for (unsigned int i = 0; i < code->count; i++) {
		const struct mapping *mapping = &code->mappings[i];

		if (strcmp(mapping->path, path) ||
		    offset - mapping->offset >= mapping->end - mapping->start)
			continue;
		*address = mapping->start + (offset - mapping->offset);
		return true;
	}
	message("the file %s does not match the code in memory: it may have been replaced",
		path);
	return false;
}

/*
 * Returns a path, to be freed, by which the file of a mapping may be opened:
 * /proc/TID/map_files, which needs a capability; the path as pfmon sees it; or
 * the path in the root of the process.
 */
static char *reach(pid_t tid, const struct mapping *mapping)
{
	char *path = checked_printf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				    tid, mapping->start, mapping->end);

	if (leads_to(path, mapping))
		return path;
	free(path);
	if (leads_to(mapping->path, mapping))
		return checked_strdup(mapping->path);
	return checked_printf("/proc/%d/root%s", tid, mapping->path);
}

static bool find_in(pid_t tid, const struct code *code,
		    const struct mapping *mapping, const char *text,
		    uint64_t *address)
{
	char *file = reach(tid, mapping);
	struct code_place place;
	bool ok = symbols_find(file, mapping->path, text, &place) &&
		  find_mapped(code, mapping->path, place.offset, address);

	free(file);
	return ok;
}

static bool find(pid_t tid, const struct code *code, const char *text,
		 uint64_t *address)
{
	const char *colon = colon_of(text);
	const struct mapping *mapping =
		choose(code, text, (size_t)(colon - text));

	return mapping && find_in(tid, code, mapping, colon + 1, address);
}

bool library_find(pid_t tid, const char *text, uint64_t *address)
{
	struct code code = { .count = 0 };
	bool ok = read_code(tid, &code);

	if (ok)
		ok = find(tid, &code, text, address);
	else
		message("cannot find %s: %s", text, strerror(errno));
	free_code(&code);
	return ok;
}
