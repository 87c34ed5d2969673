// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * hotloops - three functions that do the same work in the ratio 6:3:1
 *
 * The functions run the same loop body 6, 3 and 1 times per round. So a profile
 * by function must show 60, 30 and 10 percent on any machine.
 *
 * usage: hotloops [ROUNDS]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS		20000UL		/* steps in one share */
#define DEFAULT_ROUNDS	4000UL

/*
 * Do @shares * STEPS steps of work. The function is inlined, so that samples
 * fall into its three callers. The loop is unrolled, so that the cost of a
 * backward jump does not distort the ratio. Each step depends on the previous
 * one.
 */
static inline __attribute__((always_inline)) uint64_t work(uint64_t x,
							   unsigned long shares)
{
#pragma GCC unroll 32
	for (unsigned long i = 0; i < shares * STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/*
 * noipa: the functions must not be merged, cloned or inlined. aligned: no
 * function crosses a page boundary, where an emulator would leave its
 * translated code.
 */
#define HOT __attribute__((noipa, noinline, aligned(2048)))

HOT uint64_t hot_sixty(uint64_t x)
{
	return work(x, 6);
}

HOT uint64_t hot_thirty(uint64_t x)
{
	return work(x, 3);
}

HOT uint64_t hot_ten(uint64_t x)
{
	return work(x, 1);
}

int main(int argc, char **argv)
{
	unsigned long rounds = DEFAULT_ROUNDS;
	uint64_t x = 88172645463325252ULL;
	char *end;

	if (argc > 2) {
		fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
		return 2;
	}
	if (argc == 2) {
		errno = 0;
		rounds = strtoul(argv[1], &end, 10);
		if (errno || *end || end == argv[1]) {
			fprintf(stderr, "%s: invalid number of rounds: '%s'\n",
				argv[0], argv[1]);
			return 2;
		}
	}
	for (unsigned long i = 0; i < rounds; i++) {
		x = hot_sixty(x);
		x = hot_thirty(x);
		x = hot_ten(x);
	}
	printf("%llu\n", (unsigned long long)x);
	return 0;
}
