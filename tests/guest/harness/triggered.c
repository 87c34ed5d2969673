// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * triggered.c - call getppid() a known number of times in each phase
 *
 * usage: triggered ROUNDS [PROGRAM ARGUMENT...]
 *
 * First another process and another thread do one round each. Then the program
 * makes BEFORE calls and does ROUNDS rounds. Each round makes INSIDE calls
 * between begin() and finish(), and OUTSIDE calls after finish(). At the end
 * the program executes PROGRAM, if given, or exits with the number of SIGTRAPs
 * that it received. This number must be 1, because the program sends one
 * SIGTRAP to itself.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEFORE	100
#define INSIDE	7
#define OUTSIDE	3

static volatile sig_atomic_t traps;

/*
 * Tests use the addresses of these two functions as triggers. noipa keeps the
 * compiler from merging the two functions, whose code is identical.
 */
__attribute__((noipa)) static void begin(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void finish(void)
{
	__asm__ volatile("" ::: "memory");
}

static void count_trap(int signal)
{
	(void)signal;
	traps++;
}

/*
 * Make raw system calls, so that their number does not depend on the C library.
 */
static void call(int times)
{
	for (int i = 0; i < times; i++)
		syscall(SYS_getppid);
}

static void *do_round(void *data)
{
	begin();
	call(INSIDE);
	finish();
	call(OUTSIDE);
	return data;
}

/*
 * Let another process and another thread do a round. Their calls must not be
 * counted for the first thread.
 */
static void let_others_do_a_round(void)
{
	pthread_t thread;
	int status = 0;
	pid_t child = fork();

	if (!child) {
		do_round(NULL);
		_exit(traps);
	}
	waitpid(child, &status, 0);
	traps += status;
	if (pthread_create(&thread, NULL, do_round, NULL))
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	signal(SIGTRAP, count_trap);
	let_others_do_a_round();
	raise(SIGTRAP);
	call(BEFORE);
	for (int i = 0; i < rounds; i++)
		do_round(NULL);
	if (argc > 2)
		execv(argv[2], argv + 2);
	return traps;
}
