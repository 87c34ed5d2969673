// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * retire.c - retires a known number of instructions, two per round
 *
 * usage: retire ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>

static void retire(unsigned long rounds)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b"
		     : "+r"(rounds) : : "cc");
#else
	asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#endif
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!rounds) {
		fprintf(stderr, "usage: retire ROUNDS\n");
		return 2;
	}
	retire(rounds);
	return 0;
}
