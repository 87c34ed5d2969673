// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * kill_at.c - kill a command when it reaches its N-th stop at a system call
 *
 * usage: kill_at N COMMAND [ARGUMENT]...
 *
 * Each system call of the command's threads has two stops: before and after it.
 * The command's child processes are not traced, and continue to run. This
 * program waits until they have ended.
 *
 * The exit status is 0 if the command was killed, ENDED if it ended before its
 * N-th stop, and FAILED if something else fails or if a child process stops.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDED		1
#define FAILED		2
#define TIMEOUT		60	/* seconds, for a child process that hangs */
#define SYSCALL_STOP	(SIGTRAP | 0x80)

static void fail(const char *what)
{
	perror(what);
	exit(FAILED);
}

static pid_t start(char **argv)
{
	int gate[2];
	pid_t pid;
	char end;

	if (pipe(gate))
		fail("pipe");
	pid = fork();
	if (!pid) {
		close(gate[1]);
		if (read(gate[0], &end, 1))
			_exit(FAILED);
		close(gate[0]);
		execvp(argv[0], argv);
		_exit(FAILED);
	}
	if (ptrace(PTRACE_SEIZE, pid, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
		   PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL))
		fail("ptrace");
	close(gate[0]);
	close(gate[1]);
	return pid;
}

/* Return the signal to deliver to a thread that has stopped. */
static int signal_of(int status)
{
	bool event = status >> 16 || WSTOPSIG(status) == SYSCALL_STOP;

	return event ? 0 : WSTOPSIG(status);
}

/* Run to the @n-th stop; return false if the command has ended before. */
static bool run_to(pid_t pid, unsigned long n)
{
	int status;
	pid_t tid;

	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0)
			fail("waitpid");
		if (!WIFSTOPPED(status)) {
			if (tid == pid)
				return false;
			continue;
		}
		if (WSTOPSIG(status) == SYSCALL_STOP && !--n)
			return true;
		ptrace(PTRACE_SYSCALL, tid, 0, signal_of(status));
	}
}

/*
 * Wait until all processes have ended; return false if one of them stops. The
 * threads of the command have been killed.
 */
static bool all_end(void)
{
	int status;

	while (waitpid(-1, &status, __WALL | WUNTRACED) > 0) {
		if (WIFSTOPPED(status))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	bool reached;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: kill_at N COMMAND [ARGUMENT]...\n");
		return FAILED;
	}
	/* Become the parent of processes whose parents have ended. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = start(argv + 2);
	reached = run_to(pid, strtoul(argv[1], NULL, 10));
	if (reached)
		kill(pid, SIGKILL);
	alarm(TIMEOUT);
	if (!all_end()) {
		fprintf(stderr, "kill_at: a process has stopped\n");
		return FAILED;
	}
	return reached ? 0 : ENDED;
}
