// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * waits.c - wait in three ways, each in its own function, and compute
 *
 * usage: waits TIMES MILLISECONDS [child]
 *
 * The first thread, a second thread, and a child process that executes this
 * program again all call the three functions in turn. Each function waits TIMES
 * times for MILLISECONDS. After each function, the thread prints the time that
 * it has waited, without its CPU time, as "FUNCTION: NANOSECONDS".
 *
 * Each thread also alternates between compute(), which takes less than a
 * millisecond, and rest(), which sleeps for two milliseconds. It prints the CPU
 * time of compute() and the time that rest() waited.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int times;
static struct timespec pause_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static sem_t wanted, ready;

/*
 * These functions do not end with a tail call, because they must appear in the
 * call chain.
 */
static __attribute__((noinline)) int wait_asleep(void)
{
	/* Sleep because this time is measured. */
	return nanosleep(&pause_length, NULL) ? -1 : 1;
}

static __attribute__((noinline)) int wait_for_lock(void)
{
	sem_post(&wanted);
	sem_wait(&ready);
	pthread_mutex_lock(&lock);
	return pthread_mutex_unlock(&lock) ? -1 : 1;
}

static __attribute__((noinline)) int wait_for_data(void)
{
	char byte;

	sem_post(&wanted);
	return read(ends[0], &byte, 1) == 1 ? 1 : -1;
}

/*
 * Each time that wait_for_lock() wants the lock, hold it for a while. Then,
 * each time that wait_for_data() reads, write to the pipe after a while.
 */
static void *serve(void *unused)
{
	for (int i = 0; i < times; i++) {
		sem_wait(&wanted);
		pthread_mutex_lock(&lock);
		sem_post(&ready);
		/* Sleep because the lock must be held for a known time. */
		nanosleep(&pause_length, NULL);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < times; i++) {
		sem_wait(&wanted);
		/* Sleep because the reader must wait for a known time. */
		nanosleep(&pause_length, NULL);
		if (write(ends[1], "", 1) != 1)
			abort();
	}
	return NULL;
}

static long long clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Return how long the thread has waited so far, plus a constant. */
static long long waited(void)
{
	return clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void measure(const char *name, int (*wait)(void))
{
	long long start = waited();

	for (int i = 0; i < times; i++) {
		if (wait() != 1)
			abort();
	}
	printf("%s: %lld\n", name, waited() - start);
}

static __attribute__((noinline)) void compute(void)
{
	for (volatile int i = 0; i < 50000; i++)
		;
}

static __attribute__((noinline)) int rest(void)
{
	const struct timespec length = { .tv_nsec = 2000000 };

	/* Sleep because this time is measured. */
	return nanosleep(&length, NULL) ? -1 : 1;
}

static __attribute__((noinline)) void work(void)
{
	long long computed = 0, rested = 0, start;

	for (int i = 0; i < 50 * times; i++) {
		start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		compute();
		computed += clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
		start = waited();
		if (rest() != 1)
			abort();
		rested += waited() - start;
	}
	printf("compute: %lld\nrest: %lld\n", computed, rested);
}

static void *wait_in_all_ways(void *unused)
{
	pthread_t server;

	if (pthread_create(&server, NULL, serve, NULL))
		abort();
	measure("wait_for_lock", wait_for_lock);
	measure("wait_for_data", wait_for_data);
	pthread_join(server, NULL);
	work();
	/* Sleep last, so that the thread ends right after a sleep. */
	measure("wait_asleep", wait_asleep);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	times = argc > 1 ? atoi(argv[1]) : 1;
	pause_length.tv_nsec = (argc > 2 ? atoi(argv[2]) : 1) * 1000000L;
	sem_init(&wanted, 0, 0);
	sem_init(&ready, 0, 0);
	if (pipe(ends))
		return 1;
	wait_in_all_ways(NULL);
	if (argc > 3)
		return 0;
	if (pthread_create(&thread, NULL, wait_in_all_ways, NULL))
		return 1;
	pthread_join(thread, NULL);
	/* Write these lines out before the child prints its own. */
	fflush(stdout);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", argv[0], argv[1], argv[2], "child",
		      NULL);
		abort();
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}
