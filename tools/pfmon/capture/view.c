// SPDX-License-Identifier: MIT OR GPL-2.0
/* view.c - show a capture in the view that --smpl-...-view selects */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/program_path.h"
#include "base/util.h"
#include "capture/view.h"
#include "formats/table.h"

#define PROGRAM	"pfmparse"

/*
 * The views, and what a row shows with --smpl-show-func; a "symbol" is a
 * variable. The first view is the default.
 */
static const struct {
	unsigned int option;
	const char *name;
	const char *per;
} views[] = {
	{ FORMAT_OPT_INST_VIEW, "inst", "function" },
	{ FORMAT_OPT_DATA_VIEW, "data", "symbol" },
	{ FORMAT_OPT_LEVEL_VIEW, "level", NULL },
};

static const char *command_of(const struct options *options)
{
	const struct smpl_module *module = smpl_module_named(options->module);

	return options->sampling && module ? module->view : NULL;
}

static struct json_object *describe_options(const struct options *options)
{
	struct json_object *object = json_new_object();
	size_t view = 0;
	char *top;

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		if (options->format_options & views[i].option)
			view = i;
	}
	json_add_text(object, "view", views[view].name);
	if (options->format_options & FORMAT_OPT_SHOW_FUNC && views[view].per)
		json_add_text(object, "per", views[view].per);
	if (options->show_top) {
		top = checked_printf("%" PRIu64, options->show_top);
		json_add_text(object, "top", top);
		free(top);
	}
	return object;
}

struct json_object *view_describe(const struct options *options)
{
	const char *command = command_of(options);
	struct json_object *object;

	if (!command)
		return NULL;
	object = json_new_object();
	json_add_text(object, "command", command);
	json_add(object, "options", describe_options(options));
	return object;
}

/*
 * Returns the path of the pfmparse in pfmon's directory, to be freed, or NULL.
 * It has the same version as pfmon.
 */
static char *program_beside(void)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
	const char *slash = length > 0 ?
		memrchr(self, '/', (size_t)length) : NULL;

	return slash ?
		program_path_in(self, (size_t)(slash - self), PROGRAM) : NULL;
}

char *view_program(void)
{
	char *path = program_beside();

	return path ? path : program_path(PROGRAM);
}

bool view_find_program(const struct options *options, char **path)
{
	*path = NULL;
	if (!command_of(options))
		return true;
	*path = view_program();
	if (*path)
		return true;
	message("%s needs " PROGRAM " to show its view, and " PROGRAM " is neither in pfmon's directory nor in PATH: install pfmparse, or replace --smpl-module=%s by --smpl-pmds=%s and view the capture with pfmparse %s on another machine",
		options->module, options->module,
		smpl_module_named(options->module)->pmds,
		command_of(options));
	return false;
}

bool view_show(const char *program, const char *capture)
{
	char *const words[] = { PROGRAM, "show", "--", (char *)capture, NULL };
	int error, status;
	pid_t child;

	fflush(stdout);
	error = posix_spawn(&child, program, NULL, NULL, words, environ);
	if (error) {
		message("cannot run %s: %s", program, strerror(error));
		return false;
	}
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	message("%s show %s failed", program, capture);
	return false;
}
