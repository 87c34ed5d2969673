// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * command_runner - run a command as pfmon does
 *
 * usage: command_runner [--detach] COMMAND [ARGS]
 *
 * With --detach, the command is detached right after its exec and does not stop
 * again.
 *
 * Prints "launched" when the command has stopped after its exec, "exec" or
 * "exit" for each further stop, and finally the exit status that pfmon would
 * return.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/command.h"

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void handle(const struct trace_event *event, void *data)
{
	(void)data;
	if (event->what == TRACE_EXECED)
		say("exec");
	if (event->what == TRACE_EXITING)
		say("exit");
}

int main(int argc, char **argv)
{
	struct command command = { .handle = handle };
	sigset_t child, unblocked;
	bool detach = argc > 1 && !strcmp(argv[1], "--detach");
	int signal;

	argv += detach;
	if (!argv[1])
		return 2;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &unblocked);
	command_init(&command, TRACE_EXIT | TRACE_KILL);
	if (!command_launch(&command, argv + 1, &unblocked))
		return 1;
	say("launched");
	command_resume(&command);
	if (detach)
		command_detach(&command);
	while (!command.ended && !sigwait(&child, &signal))
		command_reap(&command);
	trace_free(&command.trace);
	printf("%d\n", command_exit_status(&command));
	return 0;
}
