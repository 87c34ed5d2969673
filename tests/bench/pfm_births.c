// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_births.c - measure the cost of creating and ending a process or a thread
 * under a tool, which runs this program
 *
 * usage: pfm_births [TOOL PROCESS THREAD [BOUND BOUND]]
 *
 * The program measures COUNT births, then twice as many. The result is the
 * difference per birth, which does not include the start of the tool. Without
 * arguments, the program prints only the costs of a process and a thread. TOOL
 * is a title for the output. PROCESS and THREAD are the costs without a tool,
 * and BOUND the bounds of what the tool adds to them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

#define COUNT	400

static unsigned int count;

static void run_processes(void)
{
	for (unsigned int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("process");
	}
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void run_threads(void)
{
	pthread_t thread;

	for (unsigned int i = 0; i < count; i++) {
		if (pthread_create(&thread, NULL, do_nothing, NULL) ||
		    pthread_join(thread, NULL))
			die("thread");
	}
}

static double one_more(void (*what)(void))
{
	uint64_t once, twice;

	count = COUNT;
	once = least(what);
	count = 2 * COUNT;
	twice = least(what);
	return ((double)twice - (double)once) / COUNT;
}

static void print_row(const char *tool, const char *what, double cost,
		      const char *alone, const char *bound)
{
	double added = cost - strtod(alone, NULL);

	printf("%-28s %-8s %10.0f, added %10.0f", tool, what, cost, added);
	end_row(added, bound ? strtod(bound, NULL) : 0);
}

int main(int argc, char **argv)
{
	double process = one_more(run_processes);
	double thread = one_more(run_threads);

	if (argc < 4) {
		printf("%.0f %.0f\n", process, thread);
		return 0;
	}
	print_row(argv[1], "process", process, argv[2], argv[4]);
	print_row(argv[1], "thread", thread, argv[3],
		  argc > 5 ? argv[5] : NULL);
	return 0;
}
