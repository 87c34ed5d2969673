// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * symbol_finder FILE CODE - print the distance in bytes from FILE's entry point
 * to CODE, which is the name of a function or an address
 */
#include <inttypes.h>
#include <stdio.h>

#include "process/symbols.h"

int main(int argc, char **argv)
{
	int64_t distance;

	if (argc != 3 ||
	    !symbols_find(argv[1], "PROGRAM", argv[2], &distance))
		return 1;
	printf("%" PRId64 "\n", distance);
	return 0;
}
