// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * command.c - a program that is run under ptrace while it is measured
 *
 * ptrace stops it at two moments: after exec, so that measuring starts with the
 * program's first instruction, and before exit, so that its mappings can be
 * read a last time. Everything else it does as if it was not traced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "util.h"

#define TRACE_OPTIONS \
	(PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

/* Two pipes between pfmon and the child before its exec. */
struct channel {
	int gate[2];		/* the child goes on when a byte arrives */
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

static void proceed(pid_t pid, int request, int signal)
{
	/* ESRCH: it has been killed, which the next wait reports. */
	ptrace(request, pid, NULL, (void *)(long)signal);
}

static bool is_stopping(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
	       signal == SIGTTOU;
}

static void handle_stop(struct command *command, int status)
{
	int signal = WSTOPSIG(status);
	int event = status >> 16;

	switch (event) {
	case 0:			/* a signal is about to be delivered */
		proceed(command->pid, PTRACE_CONT, signal);
		break;
	case PTRACE_EVENT_STOP:	/* job control: stay stopped until SIGCONT */
		proceed(command->pid,
			is_stopping(signal) ? PTRACE_LISTEN : PTRACE_CONT, 0);
		break;
	case PTRACE_EVENT_EXEC:
	case PTRACE_EVENT_EXIT:
		if (command->stopped)
			command->stopped(command->pid,
					 event == PTRACE_EVENT_EXEC,
					 command->data);
		proceed(command->pid, PTRACE_CONT, 0);
		break;
	default:
		proceed(command->pid, PTRACE_CONT, 0);
	}
}

/* Takes one change of state; false if there is none or the child is gone. */
static bool next_change(struct command *command, int flags, int *status)
{
	pid_t pid;

	if (command->ended)
		return false;
	do {
		pid = waitpid(command->pid, status, flags | __WALL);
	} while (pid < 0 && errno == EINTR);
	if (pid <= 0)
		return false;
	if (!WIFSTOPPED(*status)) {
		command->ended = true;
		command->status = *status;
	}
	return true;
}

/*
 * Returns true when it is stopped at its exec, false if it ended before that.
 */
static bool wait_for_exec(struct command *command)
{
	int status;

	while (next_change(command, 0, &status)) {
		if (command->ended)
			return false;
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return true;
		handle_stop(command, status);
	}
	return false;
}

/* Why it ended without an exec. */
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
	if (!ptrace(PTRACE_SEIZE, command->pid, NULL,
		    (void *)(long)TRACE_OPTIONS))
		return true;
	message("cannot trace the command: %s; is pfmon traced or ptrace forbidden here (kernel.yama.ptrace_scope)?",
		strerror(errno));
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

bool command_launch(struct command *command, char **argv,
		    const sigset_t *unblocked)
{
	struct channel channel;
	bool ok;

	command->ended = false;
	if (!open_channel(&channel)) {
		message("cannot make a pipe: %s", strerror(errno));
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
	proceed(command->pid, PTRACE_CONT, 0);
}

/* What it was about to get is delivered; other stops have no signal. */
static void let_go(pid_t pid, int status)
{
	proceed(pid, PTRACE_DETACH, status >> 16 ? 0 : WSTOPSIG(status));
}

void command_detach(struct command *command)
{
	int status;

	if (!command->pid || command->ended)
		return;
	ptrace(PTRACE_INTERRUPT, command->pid, NULL, NULL);
	if (next_change(command, 0, &status) && !command->ended)
		let_go(command->pid, status);
}

void command_reap(struct command *command)
{
	int status;

	while (command->pid && next_change(command, WNOHANG, &status)) {
		if (!command->ended)
			handle_stop(command, status);
	}
}

void command_signal(struct command *command, int signal)
{
	if (command->pid && !command->ended)
		kill(command->pid, signal);
}

void command_kill(struct command *command)
{
	int status;

	if (!command->pid)
		return;
	command_signal(command, SIGKILL);
	while (next_change(command, 0, &status)) {
		if (!command->ended)
			proceed(command->pid, PTRACE_CONT, 0);
	}
}

int command_exit_status(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
