// SPDX-License-Identifier: MIT OR GPL-2.0
/* library_finder - print the address of code: PID LIBRARY:CODE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "process/library.h"

int main(int argc, char **argv)
{
	uint64_t address;

	if (argc != 3 || !library_is_named(argv[2]) ||
	    !library_find(atoi(argv[1]), argv[2], &address))
		return 1;
	printf("%" PRIu64 "\n", address);
	return 0;
}
