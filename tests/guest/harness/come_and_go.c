// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * come_and_go.c - run 64 threads, at most 8 at a time
 *
 * usage: come_and_go ROUNDS
 *
 * When the oldest thread has ended, the next one starts. Each thread maps and
 * touches 32 new pages, sleeps twice and works for ROUNDS rounds. The thread
 * spends three times as long in work_often() as in work_seldom().
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS	64
#define AT_ONCE	8
#define PAGES	32
#define SLEEPS	2
#define STEPS	5000UL	/* steps of work_seldom() */

/*
 * Keep the function from being merged, cloned or split across a page boundary.
 */
#define HOT __attribute__((noipa, noinline, aligned(2048)))

static unsigned long rounds;

static inline __attribute__((always_inline)) uint64_t work(uint64_t x,
							   unsigned long steps)
{
#pragma GCC unroll 32
	for (unsigned long i = 0; i < steps; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

HOT uint64_t work_often(uint64_t x)
{
	return work(x, 3 * STEPS);
}

HOT uint64_t work_seldom(uint64_t x)
{
	return work(x, STEPS);
}

static void take_pages(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < PAGES; i++)
		__atomic_store_n(&p[i * page], 1, __ATOMIC_RELAXED);
	munmap(p, PAGES * page);
}

static void *live(void *sum)
{
	struct timespec moment = { .tv_nsec = 100000 };
	uint64_t x = 88172645463325252ULL;

	take_pages();
	/* Sleep because this causes context switches, which a test counts. */
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&moment, NULL);
	for (unsigned long i = 0; i < rounds; i++) {
		x = work_often(x);
		x = work_seldom(x);
	}
	*(uint64_t *)sum = x;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t sums[THREADS];

	rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (!rounds) {
		fprintf(stderr, "usage: come_and_go ROUNDS\n");
		return 2;
	}
	for (int i = 0; i < THREADS + AT_ONCE; i++) {
		if (i >= AT_ONCE && pthread_join(threads[i - AT_ONCE], NULL))
			return 1;
		if (i < THREADS &&
		    pthread_create(&threads[i], NULL, live, &sums[i]))
			return 1;
	}
	printf("%llu\n", (unsigned long long)sums[THREADS - 1]);
	return 0;
}
