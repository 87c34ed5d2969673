// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * retire.c - retire a known number of instructions, two per round
 */
#include <stdio.h>
#include <stdlib.h>

#include "retire.h"

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
