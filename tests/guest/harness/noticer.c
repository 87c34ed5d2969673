// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * noticer.c - print what a program can notice about a tool that monitors it
 *
 * usage: noticer WHAT
 *        noticer user COMMAND [ARGS]: run a command as an unprivileged user
 *
 * WHAT is a name in the table ways[]. The output and the exit status must be
 * the same with and without a tool.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER		1000
#define STATUS		7
#define BREAKPOINTS	8	/* more than a CPU has */

static pid_t fork_or_exit(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		exit(1);
	return pid;
}

/* Wait until a child's state changes, and print the change. */
static void print_change(pid_t pid, int options)
{
	int status;

	if (waitpid(pid, &status, options) > 0)
		printf("status %x\n", status);
	else
		perror("waitpid");
}

static void print_ids(void)
{
	printf("uid %d %d, gid %d %d, secure %lu\n", getuid(), geteuid(),
	       getgid(), getegid(), getauxval(AT_SECURE));
}

static void print_groups(void)
{
	printf("group %d, session %d\n", getpgrp() == getpgid(getppid()),
	       getsid(0) == getsid(getppid()));
}

static void print_prctl(void)
{
	int signal = -1, reaper = -1;

	prctl(PR_GET_PDEATHSIG, &signal);
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	printf("death signal %d, reaper %d, dumpable %d, slack %d, name ",
	       signal, reaper, prctl(PR_GET_DUMPABLE),
	       prctl(PR_GET_TIMERSLACK));
	printf("%s\n", program_invocation_short_name);
}

/* Trace a child, as a debugger does. */
static void trace_child(void)
{
	pid_t pid = fork_or_exit();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			perror("traceme");
		raise(SIGUSR1);
		exit(STATUS);
	}
	print_change(pid, 0);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	print_change(pid, 0);
}

/* Let a child trace this process, as sanitizers and crash handlers do. */
static void trace_parent(void)
{
	pid_t parent = getpid(), pid;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pid = fork_or_exit();
	if (!pid) {
		if (ptrace(PTRACE_ATTACH, parent, NULL, NULL))
			perror("attach");
		else
			print_change(parent, __WALL);
		exit(STATUS);
	}
	print_change(pid, 0);
}

static void stop_child(void)
{
	pid_t pid = fork_or_exit();

	if (!pid) {
		raise(SIGSTOP);
		exit(STATUS);
	}
	print_change(pid, WUNTRACED);
	kill(pid, SIGCONT);
	print_change(pid, 0);
}

/* Stop this process. A child waits for the stop, and then sends SIGCONT. */
static void stop_itself(void)
{
	char path[64], line[512];
	pid_t pid = fork_or_exit();

	if (pid) {
		raise(SIGSTOP);
		print_change(pid, 0);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	do {
		FILE *stat = fopen(path, "r");

		if (!stat || !fgets(line, sizeof(line), stat))
			exit(1);
		fclose(stat);
	} while (!strstr(line, ") T ") && !strstr(line, ") t "));
	printf("state %c\n", strstr(line, ") ")[2]);
	fflush(stdout);
	kill(getppid(), SIGCONT);
	exit(STATUS);
}

static void print_trap(int signal, siginfo_t *info, void *context)
{
	printf("signal %d, code %d\n", signal, info->si_code);
}

static void trap(void)
{
	const struct sigaction action = {
		.sa_sigaction = print_trap, .sa_flags = SA_SIGINFO,
	};

	sigaction(SIGTRAP, &action, NULL);
	raise(SIGTRAP);
#ifdef __x86_64__
	__asm__ volatile("int3");
	/* Single-step some instructions by setting the trap flag. */
	__asm__ volatile("pushf; orl $0x100, (%%rsp); popf; nop; "
			 "pushf; andl $~0x100, (%%rsp); popf" ::: "memory");
#endif
}

static void be_strict(void)
{
	puts("strict");
	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		perror("seccomp");
	syscall(SYS_exit, STATUS);
}

static void open_breakpoints(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W, .bp_len = HW_BREAKPOINT_LEN_1,
	};
	static char places[BREAKPOINTS];
	int n = 0;

	do {
		attr.bp_addr = (unsigned long)&places[n];
	} while (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0 &&
		 ++n < BREAKPOINTS);
	printf("breakpoints %d\n", n);
}

static void *exit_later(void *leader)
{
	pthread_join(*(pthread_t *)leader, NULL);
	exit(STATUS);
}

static void end_leader(void)
{
	static pthread_t leader;
	pthread_t thread;

	leader = pthread_self();
	if (!pthread_create(&thread, NULL, exit_later, &leader))
		pthread_exit(NULL);
}

static void be_interrupted(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 10000 };
	const struct sigaction action = { .sa_sigaction = print_trap,
					  .sa_flags = SA_SIGINFO };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
	perror("pause");
}

static void wait_for_nothing(void)
{
	print_change(-1, __WALL | WNOHANG);
}

static const struct {
	const char *what;
	void (*notice)(void);
} ways[] = {
	{ "ids", print_ids },
	{ "groups", print_groups },
	{ "prctl", print_prctl },
	{ "traces", trace_child },
	{ "traces-parent", trace_parent },
	{ "stops-child", stop_child },
	{ "stops", stop_itself },
	{ "traps", trap },
	{ "strict", be_strict },
	{ "breakpoints", open_breakpoints },
	{ "leader-ends", end_leader },
	{ "interrupted", be_interrupted },
	{ "childless", wait_for_nothing },
	{ "aborts", abort },
};

static void run_as_user(char **argv)
{
	if (setgroups(0, NULL) || setgid(USER) || setuid(USER))
		perror("user");
	else
		execvp(argv[0], argv);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (argc > 2 && !strcmp(argv[1], "user"))
		run_as_user(argv + 2);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].what))
			continue;
		ways[i].notice();
		return STATUS;
	}
	return 2;
}
