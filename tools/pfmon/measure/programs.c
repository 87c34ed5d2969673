// SPDX-License-Identifier: MIT OR GPL-2.0
/* programs.c - choose programs by --follow-exec and --exclude */
#define _GNU_SOURCE
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "measure/programs.h"

struct program {
	char path[PATH_MAX];	/* "" if it cannot be read */
	char *arguments;	/* joined with spaces; or NULL */
};

static void read_program(struct program *program, pid_t tgid)
{
	char *exe = checked_printf("/proc/%d/exe", tgid);
	char *cmdline = checked_printf("/proc/%d/cmdline", tgid);
	ssize_t length = readlink(exe, program->path,
				  sizeof(program->path) - 1);
	size_t size = 0;

	program->path[length > 0 ? length : 0] = '\0';
	program->arguments = read_file(cmdline, &size);
	for (size_t i = 0; i + 1 < size; i++) {
		if (!program->arguments[i])
			program->arguments[i] = ' ';
	}
	free(cmdline);
	free(exe);
}

static bool matches(const struct program *program, const regex_t *pattern)
{
	return !regexec(pattern, program->path, 0, NULL, 0) ||
	       (program->arguments &&
		!regexec(pattern, program->arguments, 0, NULL, 0));
}

bool programs_choose(const struct options *options, pid_t tgid)
{
	struct program program;
	bool chosen;

	if (!options->only && !options->exclude)
		return true;
	read_program(&program, tgid);
	chosen = (!options->only || matches(&program, options->only)) &&
		 !(options->exclude && matches(&program, options->exclude));
	free(program.arguments);
	return chosen;
}
