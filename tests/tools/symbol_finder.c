// SPDX-License-Identifier: MIT OR GPL-2.0
/* symbol_finder.c - prints where code is: symbol_finder FILE CODE */
#include <inttypes.h>
#include <stdio.h>

#include "symbols.h"

int main(int argc, char **argv)
{
	uint64_t distance;

	if (argc != 3 ||
	    !symbols_find(argv[1], "PROGRAM", argv[2], &distance))
		return 1;
	printf("%" PRId64 "\n", (int64_t)distance);
	return 0;
}
