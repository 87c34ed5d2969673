// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sleepers.c - threads that sleep until they are told to exit
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "sleepers.h"

static pthread_t threads[SLEEPERS_MAX];
static pid_t tids[SLEEPERS_MAX];
static unsigned int num;
/*
 * Pipes to the threads. Each thread reports that it is running, and then sleeps
 * until the pipe wait_for is closed.
 */
static int ready[2], wait_for[2];

static void *sleeper(void *arg)
{
	char c = 0;

	tids[(uintptr_t)arg] = syscall(SYS_gettid);
	if (write(ready[1], &c, 1) != 1 || read(wait_for[0], &c, 1))
		die("pipe of a thread");
	return NULL;
}

const pid_t *sleepers_begin(unsigned int n)
{
	pthread_attr_t attr;
	char c;

	if (pipe(ready) || pipe(wait_for))
		die("pipe");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 4 * PTHREAD_STACK_MIN);
	for (num = 0; num < n; num++) {
		errno = pthread_create(&threads[num], &attr, sleeper,
				       (void *)(uintptr_t)num);
		if (errno)
			die("pthread_create");
		if (read(ready[0], &c, 1) != 1)
			die("read");
	}
	pthread_attr_destroy(&attr);
	return tids;
}

void sleepers_end(void)
{
	close(wait_for[1]);
	for (unsigned int i = 0; i < num; i++)
		pthread_join(threads[i], NULL);
	close(wait_for[0]);
	close(ready[0]);
	close(ready[1]);
	num = 0;
}

pid_t sleepers_beside(unsigned int n, watch_t watch)
{
	int there[2];
	pid_t pid;
	char c;

	if (pipe(there))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		sleepers_begin(n);
		for (unsigned int i = 0; i < n; i++)
			watch(tids[i]);
		if (write(there[1], "", 1) != 1)
			die("write");
		pause();
	}
	close(there[1]);
	if (read(there[0], &c, 1) != 1)
		die("the process of sleepers has ended");
	close(there[0]);
	return pid;
}

void sleepers_beside_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
