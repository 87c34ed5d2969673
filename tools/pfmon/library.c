// SPDX-License-Identifier: MIT OR GPL-2.0
/* library.c - where code is in the shared libraries of a process */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "mapping.h"
#include "symbols.h"
#include "util.h"

/* The code that a process has mapped from files. */
struct code {
	char *text;		/* of /proc/TID/maps */
	struct mapping *mappings;
	unsigned int count;
};

/* The one before the code. Paths may have others; C++ has pairs of them. */
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

/* False sets errno. */
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

static const char *file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool is_called(const char *path, const char *library, size_t length)
{
	const char *name = memchr(library, '/', length) ? path :
							  file_name(path);

	return !strncmp(name, library, length) &&
	       (!name[length] || (name != path && name[length] == '.'));
}

static void complain(const struct code *code, const char *library,
		     size_t length)
{
	char *list = checked_strdup("");

	for (unsigned int i = 0; i < code->count; i++)
		list = checked_append(list, i ? ", " : "",
				      file_name(code->mappings[i].path));
	message("%.*s is no library that the program begins with; there are: %s",
		(int)length, library, list);
	free(list);
}

/* The path of the library; NULL with a message if there is none, or several. */
static const char *choose(const struct code *code, const char *library,
			  size_t length)
{
	const char *chosen = NULL, *path;

	for (unsigned int i = 0; i < code->count; i++) {
		path = code->mappings[i].path;
		if (!is_called(path, library, length))
			continue;
		if (chosen && strcmp(chosen, path)) {
			message("%.*s may be %s or %s: give the path of one",
				(int)length, library, chosen, path);
			return NULL;
		}
		chosen = path;
	}
	if (!chosen)
		complain(code, library, length);
	return chosen;
}

/* Where the process has that byte of the file, as code. */
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
	message("%s has other code in its file than in memory: has it been replaced?",
		path);
	return false;
}

static bool find(pid_t tid, const struct code *code, const char *text,
		 uint64_t *address)
{
	const char *colon = colon_of(text);
	const char *path = choose(code, text, (size_t)(colon - text));
	struct code_place place;
	char *file;
	bool ok;

	if (!path)
		return false;
	file = checked_printf("/proc/%d/root%s", tid, path);
	ok = symbols_find(file, path, colon + 1, &place) &&
	     find_mapped(code, path, place.offset, address);
	free(file);
	return ok;
}

bool library_find(pid_t tid, const char *text, uint64_t *address)
{
	struct code code = { .count = 0 };
	bool ok = read_code(tid, &code);

	if (ok)
		ok = find(tid, &code, text, address);
	else
		message("cannot tell where %s is: %s", text, strerror(errno));
	free_code(&code);
	return ok;
}
