// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * top.c - pfmon top, a live view
 *
 * pfmon writes the capture to a pipe, from which pfmparse reads it. pfmparse
 * controls the terminal, so pfmon holds back its messages until pfmparse has
 * ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/view.h"
#include "top.h"

/* The descriptor from which pfmparse reads the pipe. */
#define VIEWER_FD	3

/* Elements of pfmparse's argv: program, command, five options, file, NULL. */
#define MOST_WORDS	9

struct show {
	char *program;
	int pipe[2];
	struct viewer viewer;
};

static bool spawn(struct show *show, const struct options *options)
{
	const struct {
		const char *name, *value;
	} passed[] = {
		{ "iterations", options->top.iterations },
		{ "window", options->top.window },
		{ "rows", options->top.rows },
		{ "sort", options->top.sort },
	};
	char *words[MOST_WORDS] = { (char *)"pfmparse", (char *)"top" };
	size_t count = 2;
	posix_spawn_file_actions_t actions;
	int error;

	for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
		if (passed[i].value)
			words[count++] = checked_printf("--%s=%s",
							passed[i].name,
							passed[i].value);
	}
	if (options->top.batch)
		words[count++] = checked_strdup("--batch");
	words[count++] = checked_printf("/proc/self/fd/%d", VIEWER_FD);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, show->pipe[0], VIEWER_FD);
	error = posix_spawn(&show->viewer.process.pid, show->program, &actions,
			    NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (count-- > 2)
		free(words[count]);
	if (error)
		message("cannot run %s: %s", show->program, strerror(error));
	return !error;
}

static bool start(struct show *show, const struct options *options)
{
	bool ok;

	if (pipe2(show->pipe, O_CLOEXEC)) {
		message("cannot create a pipe: %s", strerror(errno));
		return false;
	}
	ok = spawn(show, options);
	close(show->pipe[0]);
	if (!ok) {
		close(show->pipe[1]);
		return false;
	}
	show->viewer.fd = pidfd_open(show->viewer.process.pid, 0);
	return true;
}

/*
 * Returns whether the viewer has ended. A failed write to the pipe is then not
 * an error.
 */
static bool has_ended(const struct show *show)
{
	struct pollfd fd = { .fd = show->viewer.fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Closes the pipe, waits for the viewer and returns its exit status. */
static int wait_for_end(struct show *show)
{
	struct bystander *process = &show->viewer.process;

	close(show->pipe[1]);
	/* trace_reap() may already have reaped the viewer. */
	while (!process->ended) {
		if (waitpid(process->pid, &process->status, 0) > 0)
			process->ended = true;
		else if (errno != EINTR)
			return PFMON_EXIT_ERROR;
	}
	if (show->viewer.fd >= 0)
		close(show->viewer.fd);
	return WIFEXITED(process->status) ? WEXITSTATUS(process->status) :
					    PFMON_EXIT_ERROR;
}

static int measure_with(struct show *show, const struct options *options,
			int (*measure)(const struct options *options,
				       struct viewer *viewer))
{
	struct options piped = *options;
	char *path = checked_printf("/proc/self/fd/%d", show->pipe[1]);
	int status, shown;

	piped.outfile = path;
	message_hold(!options->top.batch);
	status = measure(&piped, &show->viewer);
	if (has_ended(show))
		status = 0;
	shown = wait_for_end(show);
	message_hold(false);
	free(path);
	return status ? status : shown;
}

int top_show(const struct options *options,
	     int (*measure)(const struct options *options,
			    struct viewer *viewer))
{
	struct show show = { .program = view_program() };
	int status = PFMON_EXIT_ERROR;

	if (!show.program)
		message("pfmon top needs pfmparse, which is neither in pfmon's directory nor in PATH: install it");
	else if (start(&show, options))
		status = measure_with(&show, options, measure);
	free(show.program);
	return status;
}
