// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * command.c - run a program under ptrace while it is measured
 *
 * The program is stopped after its exec, so that measuring starts with its
 * first instruction.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "process/command.h"
#include "process/refusal.h"

/* Two pipes between pfmon and the child before its exec. */
struct channel {
	int gate[2];		/* the child continues after reading a byte */
	int error[2];		/* errno of a failed exec; closed by exec */
};

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

static void close_all(struct channel *channel)
{
	for (int i = 0; i < 2; i++) {
		close_end(&channel->gate[i]);
		close_end(&channel->error[i]);
	}
}

static bool open_channel(struct channel *channel)
{
	if (pipe2(channel->gate, O_CLOEXEC))
		return false;
	if (!pipe2(channel->error, O_CLOEXEC))
		return true;
	close_end(&channel->gate[0]);
	close_end(&channel->gate[1]);
	return false;
}

static ssize_t read_again(int fd, void *data, size_t size)
{
	ssize_t got;

	do {
		got = read(fd, data, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

static _Noreturn void child(struct channel *channel, char **argv,
			    const sigset_t *unblocked)
{
	char go;
	int error;

	close_end(&channel->gate[1]);
	if (read_again(channel->gate[0], &go, 1) != 1)
		_exit(PFMON_EXIT_ERROR);
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(channel->error[1], &error, sizeof(error)) < 0)
		_exit(error);
	_exit(PFMON_EXIT_ERROR);
}

/* Returns true when the program has stopped at its exec, false if it ended. */
static bool wait_for_exec(struct command *command)
{
	command->trace.hold = true;
	while (!command->ended && command->trace.hold) {
		if (!trace_wait(&command->trace))
			return false;
	}
	return !command->ended;
}

/* Prints why the child has ended without an exec. */
static void explain_failure(const struct channel *channel, const char *name)
{
	int error;

	if (read_again(channel->error[0], &error, sizeof(error)) ==
	    sizeof(error))
		message("cannot run %s: %s", name, strerror(error));
	else
		message("cannot run %s: it was killed", name);
}

static bool seize(struct command *command)
{
	char *reason;

	if (trace_seize(&command->trace, command->pid, command->pid))
		return true;
	reason = trace_refusal(command->pid, errno);
	message("cannot trace the command: %s", reason);
	free(reason);
	return false;
}

static bool run_to_exec(struct command *command, struct channel *channel,
			const char *name)
{
	bool running;

	if (!seize(command) || write(channel->gate[1], "", 1) != 1) {
		command_kill(command);
		return false;
	}
	running = wait_for_exec(command);
	close_end(&channel->error[1]);
	if (!running)
		explain_failure(channel, name);
	return running;
}

static void handle(const struct trace_event *event, void *data)
{
	struct command *command = data;

	if (event->what == TRACE_GONE && event->tid == command->pid &&
	    !event->replaced) {
		command->ended = true;
		command->status = event->status;
	}
	if (command->handle)
		command->handle(event, command->data);
}

void command_init(struct command *command, unsigned int flags)
{
	command->trace.flags = flags;
	command->trace.handle = handle;
	command->trace.data = command;
}

bool command_launch(struct command *command, char **argv,
		    const sigset_t *unblocked)
{
	struct channel channel;
	bool ok;

	command->ended = false;
	if (!open_channel(&channel)) {
		message("cannot create a pipe: %s", strerror(errno));
		return false;
	}
	command->pid = fork();
	if (!command->pid)
		child(&channel, argv, unblocked);
	ok = command->pid > 0;
	if (ok)
		ok = run_to_exec(command, &channel, argv[0]);
	else
		message("cannot start a process: %s", strerror(errno));
	close_all(&channel);
	if (!ok)
		command->pid = 0;
	return ok;
}

void command_resume(struct command *command)
{
	trace_resume(command->pid);
}

void command_detach(struct command *command)
{
	trace_detach(&command->trace);
}

void command_reap(struct command *command)
{
	trace_reap(&command->trace);
}

void command_signal(struct command *command, int signal)
{
	if (command->pid && !command->ended)
		kill(command->pid, signal);
}

void command_signal_all(struct command *command, int signal)
{
	trace_signal(&command->trace, command->pid, signal);
	command_signal(command, signal);
}

void command_kill(struct command *command)
{
	command_signal(command, SIGKILL);
	while (command->pid && !command->ended &&
	       trace_wait(&command->trace))
		;
}

int command_exit_status(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
