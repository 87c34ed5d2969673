// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_births.c - measure the cost of creating and ending a process or a thread
 * under a tool, which runs this program
 *
 * usage: pfm_births TOOL
 *
 * TOOL is only a title for the output. The program measures COUNT births, then
 * twice as many. The result is the difference per birth, which does not include
 * the start of the tool.
 */
#include <pthread.h>
#include <stdio.h>
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

int main(int argc, char **argv)
{
	double process = one_more(run_processes);
	double thread = one_more(run_threads);

	printf("%-36s %10.0f a process %10.0f a thread\n",
	       argc > 1 ? argv[1] : "alone", process, thread);
	return 0;
}
