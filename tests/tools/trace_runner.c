// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trace_runner - trace a command and all its descendants
 *
 * usage: trace_runner COMMAND [ARGS]
 *
 * The environment changes what the program does. With SIGNAL, it sends SIGTERM
 * to the command after an exec by a thread other than the first. With SLOW, it
 * pauses at each new process or thread, so that others can end in the meantime.
 * With BYSTANDER, it has another, untraced child, and prints this child's exit
 * status at the end. With DETACH, it detaches all processes when the command
 * has ended. If ENTRY is set as well, it detaches the command at its entry
 * point ("reached"), before the entry point ("armed"), or at its first stop
 * ("pending").
 *
 * When it no longer traces anything, it prints how many threads and processes
 * have started, how many have ended, how many execs there were, and how many of
 * these execs were by a thread other than the first. The next line is the exit
 * status that pfmon would return.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/command.h"
#include "process/entry_stop.h"

#define BYSTANDER_STATUS	5

struct counts {
	unsigned int threads;
	unsigned int processes;
	unsigned int gone;
	unsigned int execs;
	unsigned int renamed;	/* execs by a thread other than the first */
	struct command *command;
};

static void handle(const struct trace_event *event, void *data)
{
	struct counts *counts = data;

	switch (event->what) {
	case TRACE_MADE:
		break;
	case TRACE_BORN:
		/* Sleep because others may then end first. */
		if (getenv("SLOW"))
			usleep(2000);
		if (event->tid == event->tgid)
			counts->processes++;
		else
			counts->threads++;
		break;
	case TRACE_EXECED:
		counts->execs++;
		if (event->former == event->tid)
			break;
		counts->renamed++;
		if (getenv("SIGNAL"))
			command_signal(counts->command, SIGTERM);
		break;
	case TRACE_EXITING:
		break;
	case TRACE_GONE:
		counts->gone++;
		break;
	}
}

/* Return the PID of a child that has ended but has not been reaped. */
static pid_t make_bystander(void)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(BYSTANDER_STATUS);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return pid;
}

/* Wait until the command stops, and detach without handling the stop. */
static void detach_at_entry(struct command *command, const char *where)
{
	siginfo_t info;

	command->trace.release = entry_stop_release;
	if (strcmp(where, "pending"))
		entry_stop_arm(command->pid);
	/*
	 * SIGWINCH stops the traced command before its first instruction. The
	 * command ignores this signal.
	 */
	if (!strcmp(where, "armed"))
		command_signal(command, SIGWINCH);
	command_resume(command);
	waitid(P_PID, (id_t)command->pid, &info,
	       WSTOPPED | WEXITED | WNOWAIT);
	trace_detach(&command->trace);
}

int main(int argc, char **argv)
{
	struct bystander bystander = { .pid = 0 };
	struct counts counts = { .threads = 0 };
	struct command command = { .handle = handle, .data = &counts };
	const char *entry = getenv("ENTRY");
	bool detach = getenv("DETACH");
	sigset_t child, unblocked;
	int signal;

	if (argc < 2)
		return 2;
	counts.command = &command;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &unblocked);
	command_init(&command, TRACE_FORK | TRACE_VFORK | TRACE_CLONE |
			       TRACE_EXIT | TRACE_KILL);
	if (getenv("BYSTANDER")) {
		bystander.pid = make_bystander();
		command.trace.bystander = &bystander;
	}
	if (!command_launch(&command, argv + 1, &unblocked))
		return 1;
	if (entry)
		detach_at_entry(&command, entry);
	else
		command_resume(&command);
	while ((detach ? !command.ended : command.trace.tracees.count) &&
	       !sigwait(&child, &signal))
		command_reap(&command);
	if (detach)
		trace_detach(&command.trace);
	printf("%u threads, %u processes, %u gone, %u execs, %u renamed\n",
	       counts.threads, counts.processes, counts.gone, counts.execs,
	       counts.renamed);
	printf("%d\n", command_exit_status(&command));
	if (bystander.ended)
		printf("%d\n", WEXITSTATUS(bystander.status));
	trace_free(&command.trace);
	return 0;
}
