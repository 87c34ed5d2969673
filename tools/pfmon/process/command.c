// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * command.c - run a program while it is measured, with or without ptrace
 *
 * With ptrace, pfmon stops the program after its exec, so that measuring starts
 * with the program's first instruction. Without ptrace, the child waits before
 * its exec, and the kernel starts measuring at the exec.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program_path.h"
#include "base/util.h"
#include "process/command.h"
#include "process/refusal.h"

/* Two pipes between pfmon and the child before its exec. */
struct channel {
	int gate[2];		/* the child continues after reading a byte */
	int error[2];		/* errno of a failed exec; closed by exec */
};

static bool open_channel(struct channel *channel)
{
	if (pipe2(channel->gate, O_CLOEXEC))
		return false;
	if (!pipe2(channel->error, O_CLOEXEC))
		return true;
	close(channel->gate[0]);
	close(channel->gate[1]);
	return false;
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* Closes the child's ends of the pipes. */
static void keep_channel(struct command *command, const struct channel *channel)
{
	close(channel->gate[0]);
	close(channel->error[1]);
	command->gate = channel->gate[1];
	command->error = channel->error[0];
}

static void close_channel(struct command *command)
{
	close_end(&command->gate);
	close_end(&command->error);
}

static ssize_t read_again(int fd, void *data, size_t size)
{
	ssize_t got;

	do {
		got = read(fd, data, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

/*
 * Set if pfmon's parent ignored SIGCHLD: the program must then ignore it, too.
 */
static bool ignores_children;

/*
 * Stops ignoring SIGCHLD. Otherwise the kernel would drop the exit status of a
 * child that is not traced.
 */
static void heed_children(void)
{
	if (signal(SIGCHLD, SIG_DFL) == SIG_IGN)
		ignores_children = true;
}

static _Noreturn void child(const struct channel *channel, char **argv,
			    const sigset_t *unblocked)
{
	char go;
	int error;

	close(channel->gate[1]);
	if (read_again(channel->gate[0], &go, 1) != 1)
		_exit(PFMON_EXIT_ERROR);
	if (ignores_children)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(channel->error[1], &error, sizeof(error)) < 0)
		_exit(error);
	_exit(PFMON_EXIT_ERROR);
}

/*
 * Waits until the program has stopped at its exec. Returns false if the program
 * has ended instead.
 */
static bool wait_for_exec(struct command *command)
{
	command->trace.hold = true;
	while (!command->ended && command->trace.hold) {
		if (!trace_wait(&command->trace))
			return false;
	}
	return !command->ended;
}

/*
 * Waits until the exec has succeeded or failed. Returns its errno; 0 on
 * success.
 */
static int exec_error(const struct command *command)
{
	int error;

	return read_again(command->error, &error, sizeof(error)) ==
	       sizeof(error) ? error : 0;
}

/* Prints why the child has ended without an exec. */
static void explain_failure(const char *name, int error)
{
	message("cannot run %s: %s", name,
		error ? strerror(error) : "it was killed");
}

static bool open_gate(struct command *command)
{
	bool ok = write(command->gate, "", 1) == 1;

	close_end(&command->gate);
	return ok;
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

static bool run_to_exec(struct command *command, const char *name)
{
	bool running;

	if (!seize(command) || !open_gate(command)) {
		command_kill(command);
		return false;
	}
	running = wait_for_exec(command);
	if (!running)
		explain_failure(name, exec_error(command));
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

/*
 * Returns whether the program exists. Without this check, pfmon would write an
 * empty capture before it fails.
 */
static bool exists(const char *name)
{
	char *path = program_path(name);
	bool found = path;

	if (!found)
		explain_failure(name, errno);
	free(path);
	return found;
}

bool command_fork(struct command *command, char **argv,
		  const sigset_t *unblocked)
{
	struct channel channel;

	command->ended = false;
	if (!exists(argv[0]))
		return false;
	if (!open_channel(&channel)) {
		message("cannot create a pipe: %s", strerror(errno));
		return false;
	}
	heed_children();
	command->pid = fork();
	if (!command->pid)
		child(&channel, argv, unblocked);
	keep_channel(command, &channel);
	if (command->pid > 0)
		return true;
	message("cannot start a process: %s", strerror(errno));
	close_channel(command);
	command->pid = 0;
	return false;
}

bool command_waits(const struct command *command)
{
	return command->pid && command->gate >= 0;
}

bool command_exec(struct command *command)
{
	if (open_gate(command))
		return true;
	message("cannot start the command: %s", strerror(errno));
	return false;
}

bool command_executed(struct command *command, const char *name)
{
	int error = exec_error(command);

	close_channel(command);
	if (error)
		explain_failure(name, error);
	return !error;
}

bool command_launch(struct command *command, char **argv,
		    const sigset_t *unblocked)
{
	bool ok;

	if (!command_fork(command, argv, unblocked))
		return false;
	ok = run_to_exec(command, argv[0]);
	close_channel(command);
	if (!ok)
		command->pid = 0;
	return ok;
}

void command_resume(struct command *command)
{
	trace_resume(command->pid);
}

void command_release(struct command *command)
{
	trace_release(&command->trace, command->pid);
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
	if (command->pid)
		close_channel(command);
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
