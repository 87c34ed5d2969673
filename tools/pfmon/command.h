/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* command.h - a program that is run under ptrace while it is measured */
#ifndef PFMON_COMMAND_H
#define PFMON_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "trace.h"

#define NO_EXIT_STATUS	(-1)	/* no command was run */

struct command {
	pid_t pid;		/* 0 if there is none */
	bool ended;
	int status;		/* as waitpid() gives it, when ended */
	struct trace trace;	/* its threads, and what is followed */

	/* What happens to any of them, once it has been resumed; or NULL. */
	void (*handle)(const struct trace_event *event, void *data);
	void *data;
};

/* The flags are TRACE_*. Without a command, its trace may be used alone. */
void command_init(struct command *command, unsigned int flags);

/*
 * Starts a program and leaves it stopped right after its exec. unblocked is
 * the signal mask that it gets. False with a message if it cannot be run.
 */
bool command_launch(struct command *command, char **argv,
		    const sigset_t *unblocked);

/* Lets the program that command_launch() left stopped go on. */
void command_resume(struct command *command);

/*
 * Lets it go on by itself, and what is followed: not traced, and not killed if
 * this program dies. SIGCHLD must be blocked.
 */
void command_detach(struct command *command);

/*
 * Handles what has happened to what is traced; to be called after SIGCHLD. If
 * that is very much, SIGCHLD comes again.
 */
void command_reap(struct command *command);

void command_signal(struct command *command, int signal);

/* Ends it, if it still runs, and waits for its end. */
void command_kill(struct command *command);

/* Its exit status, 128 + N if signal N ended it. */
int command_exit_status(const struct command *command);

#endif /* PFMON_COMMAND_H */
