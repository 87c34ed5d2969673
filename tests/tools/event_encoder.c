// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * event_encoder - prints the PMC values of events for the tests
 *
 * usage: event_encoder [u][k]- NAME...
 *
 * The first argument is the privilege that pfmon's options would choose.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "events.h"

int main(int argc, char **argv)
{
	unsigned int levels = 0;
	uint64_t pmc;

	if (argc < 3) {
		fprintf(stderr, "usage: %s [u][k]- NAME...\n", argv[0]);
		return 2;
	}
	if (strchr(argv[1], 'u'))
		levels |= LEVEL_USER;
	if (strchr(argv[1], 'k'))
		levels |= LEVEL_KERNEL;
	for (int i = 2; i < argc; i++) {
		if (!event_encode(argv[i], levels, &pmc))
			return 1;
		printf("%s %016" PRIx64 "\n", argv[i], pmc);
	}
	return 0;
}
