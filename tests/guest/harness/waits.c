// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * waits.c - wait in three ways, each in its own function
 *
 * usage: waits TIMES MILLISECONDS
 *
 * Prints how long each function has waited, as "FUNCTION: NANOSECONDS".
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct timespec pause_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static sem_t wanted, ready;

/*
 * These functions must be in the call chain, so they do not end with a tail
 * call.
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

/* Hold the lock for a while, or write to the pipe after a while. */
static void *serve(void *arg)
{
	int times = *(int *)arg;

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

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void measure(const char *name, int (*wait)(void), int times)
{
	long long start = now();

	for (int i = 0; i < times; i++) {
		if (wait() != 1)
			abort();
	}
	printf("%s: %lld\n", name, now() - start);
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t server;

	pause_length.tv_nsec = (argc > 2 ? atoi(argv[2]) : 1) * 1000000L;
	sem_init(&wanted, 0, 0);
	sem_init(&ready, 0, 0);
	if (pipe(ends) || pthread_create(&server, NULL, serve, &times))
		return 1;
	measure("wait_asleep", wait_asleep, times);
	measure("wait_for_lock", wait_for_lock, times);
	measure("wait_for_data", wait_for_data, times);
	pthread_join(server, NULL);
	return 0;
}
