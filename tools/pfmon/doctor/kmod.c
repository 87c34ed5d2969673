// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * kmod.c - look up installed and loaded kernel modules
 *
 * pfmon runs modinfo(8), which handles compressed modules and alias indexes. It
 * does not use libkmod, because a static pfmon cannot link that library.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fts.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "doctor/kmod.h"

/* PATH is not searched, because it often lacks sbin for users except root. */
static const char * const programs[] = {
	"/usr/sbin/modinfo", "/sbin/modinfo", "/usr/bin/modinfo", "/bin/modinfo",
};

static const char *modinfo(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (!access(programs[i], X_OK))
			return programs[i];
	}
	return NULL;
}

bool kmod_can_ask(void)
{
	return modinfo();
}

/* Runs a program and returns its first output line; NULL if it fails. */
static char *first_line(const char *program, const char * const arguments[])
{
	posix_spawn_file_actions_t actions;
	char *line = NULL, *environment[] = { "LC_ALL=C", NULL };
	size_t size = 0;
	int ends[2], status = -1, error;
	pid_t child;
	FILE *output;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	error = posix_spawn(&child, program, &actions, NULL,
			    (char * const *)arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	output = fdopen(ends[0], "r");
	if (!error && (!output || getline(&line, &size, output) < 0)) {
		free(line);
		line = checked_strdup("");
	}
	if (output)
		fclose(output);
	if (!error)
		waitpid(child, &status, 0);
	if (status) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

char *kmod_field(const struct machine *machine, const char *module,
		 const char *field)
{
	const char *program = modinfo();
	/*
	 * -b comes last so that NULL can replace it; modinfo accepts options
	 * after the module name. For the real root directory, -b is omitted:
	 * with "-b /", the paths that modinfo prints would begin with //lib.
	 */
	const char * const arguments[] = {
		"modinfo", "-k", machine->release, "-F", field, module,
		*machine->root ? "-b" : NULL, machine->root, NULL
	};

	return program ? first_line(program, arguments) : NULL;
}

/* Returns whether this is the name of one of perfmon's modules. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "pfm_", strlen("pfm_")) ||
	       !strcmp(name, CORE_MODULE);
}

char *kmod_loaded(const struct machine *machine)
{
	char *path = machine_path(machine, "/proc/modules");
	char *text, *line, *rest, *names = checked_strdup("");
	size_t length;

	text = read_file(path, &length);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, " ")] = '\0';
		if (is_ours(line))
			names = checked_append(names, " ", line);
	}
	free(text);
	free(path);
	return names;
}

/*
 * Returns whether @file is @module with the suffix .ko, possibly followed by a
 * compression suffix.
 */
static bool is_module(const char *file, const char *module)
{
	size_t length = strlen(module);

	return !strncmp(file, module, length) &&
	       !strncmp(file + length, ".ko", 3);
}

char *kmod_search(const struct machine *machine, const char *module)
{
	char *extra = machine_path(machine, "/lib/modules/%s/extra",
				   machine->release);
	char *updates = machine_path(machine, "/lib/modules/%s/updates",
				     machine->release);
	char * const places[] = { extra, updates, NULL };
	FTS *tree = fts_open(places, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F &&
		    is_module(entry->fts_name, module))
			found = checked_strdup(entry->fts_path);
	}
	if (tree)
		fts_close(tree);
	free(extra);
	free(updates);
	return found;
}
