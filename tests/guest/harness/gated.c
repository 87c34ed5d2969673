// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * gated.c - execute a system call at the label "gate", then call getppid()
 *
 * usage: gated forks|execs|exits|waits|masks|signals|calls
 *
 * triggers.sh runs this program with pfmon --trigger-start=gate. The program
 * first prints "calls: N", the number of getppid() calls that pfmon must count:
 * those of the first process after the gate. SIGTRAPs of pfmon's breakpoint
 * must not reach the program. The exit status is the number of SIGTRAPs that
 * nevertheless reached it. With "exits", the exit status is STATUS.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS		5
#define STATUS		7
#define SIGNALS		100
#define KERNEL_SIGSET	8

long pass(long number, long a, long b, long c, long d);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl pass, gate\n"
	".type pass, @function\n"
	".type gate, @function\n"
	"pass:	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"gate:	syscall\n"
	"	ret\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl pass, gate\n"
	".type pass, %function\n"
	".type gate, %function\n"
	"pass:	mov x8, x0\n"
	"	mov x0, x1\n"
	"	mov x1, x2\n"
	"	mov x2, x3\n"
	"	mov x3, x4\n"
	"gate:	svc #0\n"
	"	ret\n");
#endif

static volatile sig_atomic_t traps, received;

/*
 * Make raw system calls, so that their number does not depend on the C library.
 */
static void call(int times)
{
	for (int i = 0; i < times; i++)
		syscall(SYS_getppid);
}

static void count(int signal)
{
	if (signal == SIGTRAP)
		traps++;
	else
		received++;
}

/* Count the signals that arrive in order and without repetition. */
static void take(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_value.sival_int == received)
		received++;
	call(1);
}

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

/* Fork at the gate. The child's calls are not counted. */
static void forks(void)
{
	long pid = pass(SYS_clone, SIGCHLD, 0, 0, 0);
	int status = 0;

	if (!pid) {
		call(3);
		_exit(traps);
	}
	if (waitpid((pid_t)pid, &status, 0) != pid || status)
		fail("waitpid");
}

/*
 * At the gate, execute this program as "calls". Counting continues after the
 * exec.
 */
static void execs(void)
{
	static const char path[] = "/proc/self/exe";
	const char *const arguments[] = { path, "calls", NULL };

	pass(SYS_execve, (long)path, (long)arguments, (long)environ, 0);
	fail("execve");
}

static void exits(void)
{
	pass(SYS_exit_group, STATUS, 0, 0, 0);
}

/*
 * Return whether a process is asleep. A process that its tracer has stopped
 * does not count as asleep.
 */
static bool sleeps(pid_t pid)
{
	char path[32], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		fail(path);
	fclose(file);
	return state == 'S';
}

/* At the gate, wait in a system call that a signal interrupts. */
static void waits(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child) {
		while (!sleeps(parent))
			sched_yield();
		kill(parent, SIGUSR1);
		_exit(0);
	}
	pass(SYS_ppoll, 0, 0, 0, 0);
	if (received != 1)
		fail("ppoll");
	waitpid(child, NULL, 0);
}

/*
 * At the gate, make a system call that masks a signal, which must stay masked.
 */
static void masks(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pass(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, 0, KERNEL_SIGSET);
	raise(SIGUSR1);
	if (received)
		fail("rt_sigprocmask");
}

/*
 * Send one signal per round, regardless of which instruction the parent is
 * executing.
 */
static void send_signals(pid_t to, const atomic_int *round)
{
	union sigval value = { .sival_int = 0 };

	for (; value.sival_int < SIGNALS; value.sival_int++) {
		while (atomic_load(round) <= value.sival_int)
			sched_yield();
		if (sigqueue(to, SIGRTMIN, value))
			fail("sigqueue");
	}
	_exit(0);
}

static void signals(void)
{
	const struct sigaction action = {
		.sa_sigaction = take,
		.sa_flags = SA_SIGINFO,
	};
	atomic_int *round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid();

	if (round == MAP_FAILED || sigaction(SIGRTMIN, &action, NULL))
		fail("sigaction");
	if (!fork())
		send_signals(parent, round);
	for (int i = 1; i <= SIGNALS; i++) {
		pass(SYS_getppid, 0, 0, 0, 0);
		atomic_store(round, i);
	}
	while (received < SIGNALS)
		sched_yield();
}

static void nothing(void)
{
}

static const struct kind {
	const char *name;
	void (*run)(void);
	int calls;
} kinds[] = {
	{ "forks",	forks,		CALLS },
	{ "execs",	execs,		0 },
	{ "exits",	exits,		0 },
	{ "waits",	waits,		CALLS },
	{ "masks",	masks,		CALLS },
	{ "signals",	signals,	2 * SIGNALS + CALLS },
	{ "calls",	nothing,	CALLS },
};

int main(int argc, char **argv)
{
	signal(SIGTRAP, count);
	signal(SIGUSR1, count);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc != 2 || strcmp(argv[1], kinds[i].name))
			continue;
		printf("calls: %d\n", kinds[i].calls);
		fflush(stdout);
		kinds[i].run();
		call(CALLS);
		return traps;
	}
	return 2;
}
