/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* command.h - run a program while it is measured, with or without ptrace */
#ifndef PFMON_PROCESS_COMMAND_H
#define PFMON_PROCESS_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "process/trace.h"

#define NO_EXIT_STATUS	(-1)	/* no command has ended */

struct command {
	pid_t pid;		/* 0 if none */
	bool ended;
	int status;		/* from waitpid(), if ended */
	int gate, error;	/* pipes to and from the child, or -1 */
	struct trace trace;	/* its threads, and followed processes */

	/* Called for events of all traced threads after the start; or NULL. */
	void (*handle)(const struct trace_event *event, void *data);
	void *data;
};

/* The flags are TRACE_*. The trace can also be used without a command. */
void command_init(struct command *command, unsigned int flags);

/*
 * Starts a process without tracing it. The process waits before its exec.
 * @unblocked is the signal mask that the program gets: pfmon's own before
 * waiter_init(). Returns false, with a message, on failure.
 */
bool command_fork(struct command *command, char **argv,
		  const sigset_t *unblocked);

/* Returns whether the process waits before its exec. */
bool command_waits(const struct command *command);

/*
 * Lets the process execute the program; returns false with a message on
 * failure.
 */
bool command_exec(struct command *command);

/*
 * Waits for the exec, and returns false, with a message, if it has failed. Call
 * it only after measuring: otherwise the exec would wake up pfmon, which might
 * then preempt the measured process.
 */
bool command_executed(struct command *command, const char *name);

/*
 * Starts a program and leaves it stopped right after its exec. @unblocked: as
 * for command_fork(). Returns false, with a message, if the program
 * cannot be run.
 */
bool command_launch(struct command *command, char **argv,
		    const sigset_t *unblocked);

/* Resumes the program after command_launch(). */
void command_resume(struct command *command);

/* Resumes the program after command_launch(), and stops tracing it. */
void command_release(struct command *command);

/*
 * Stops tracing the program and followed processes, which continue. From then
 * on, they are not killed if pfmon dies. SIGCHLD must be blocked.
 */
void command_detach(struct command *command);

/*
 * Handles events of traced threads. Call it after SIGCHLD. If there are too
 * many events for one call, raises SIGCHLD again.
 */
void command_reap(struct command *command);

void command_signal(struct command *command, int signal);

/*
 * Sends a signal to the command and to followed processes, except daemons.
 * Misses a process that is just being created.
 */
void command_signal_all(struct command *command, int signal);

/* Kills the program, if it still runs, and waits for its end. */
void command_kill(struct command *command);

/* Returns the exit status, 128 + N if signal N killed the program. */
int command_exit_status(const struct command *command);

#endif /* PFMON_PROCESS_COMMAND_H */
