// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_follow - what following costs, in guest instructions: threads and
 *		processes that a program makes and waits for, one after the
 *		other, less the program that makes none; alone, with an event
 *		of perf's that they inherit, and followed by pfmon
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

#define LIVES		200U
#define SELF		"/proc/self/exe"

static void *exit_at_once(void *arg)
{
	return arg;
}

static void make_threads(unsigned int count)
{
	pthread_t thread;

	while (count--) {
		errno = pthread_create(&thread, NULL, exit_at_once, NULL);
		if (errno)
			die("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void make_processes(unsigned int count)
{
	while (count--) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("fork");
	}
}

/* In the new process, before it runs the program. */
static void alone(char **argv)
{
	execv(SELF, argv);
}

static void with_perf(char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
	};

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		die("perf_event_open");
	execv(SELF, argv);
}

static void with_pfmon(char **argv)
{
	execlp("pfmon", "pfmon", "--follow-all", "-e", "page-faults", "-o",
	       "/dev/null", argv[0], argv[1], argv[2], NULL);
}

static uint64_t run_once(void (*how)(char **argv), const char *what,
			 unsigned int count)
{
	char number[16], *argv[4] = { "pfm_follow" };
	uint64_t start = now();
	int status;
	pid_t pid;

	snprintf(number, sizeof(number), "%u", count);
	argv[1] = (char *)what;
	argv[2] = number;
	pid = fork();
	if (!pid) {
		how(argv);
		die("exec");
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("%s", what);
	return now() - start;
}

static uint64_t least_of(void (*how)(char **argv), const char *what,
			 unsigned int count)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t took = run_once(how, what, count);

		if (took < best)
			best = took;
	}
	return best;
}

static double cost(void (*how)(char **argv), const char *what)
{
	uint64_t none = least_of(how, what, 0);

	return (double)(least_of(how, what, LIVES) - none) / LIVES;
}

static void print_row(const char *what)
{
	double without = cost(alone, what);

	printf("%-12s %12.0f %12.0f %12.0f\n", what, without,
	       cost(with_perf, what) - without,
	       cost(with_pfmon, what) - without);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "threads")) {
		make_threads(count);
	} else if (argc > 1) {
		make_processes(count);
	} else {
		printf("followed: instructions of each thread or process\n");
		printf("%-12s %12s %12s %12s\n", "", "alone", "perf adds",
		       "pfmon adds");
		print_row("threads");
		print_row("processes");
	}
	return 0;
}
