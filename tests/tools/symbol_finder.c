// SPDX-License-Identifier: MIT OR GPL-2.0
/* symbol_finder - print the position of code: symbol_finder FILE CODE */
#include <inttypes.h>
#include <stdio.h>

#include "process/symbols.h"

int main(int argc, char **argv)
{
	struct code_place place;

	if (argc != 3 ||
	    !symbols_find(argv[1], "PROGRAM", argv[2], &place))
		return 1;
	printf("%" PRId64 "\n", (int64_t)place.distance);
	return 0;
}
