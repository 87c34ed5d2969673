// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * maps_printer - print the MAPS chunks that pfmon would write, for the tests
 *
 * usage: maps_printer PID [data]
 *
 * Examines the process whenever a line arrives on standard input, and answers
 * with a line: the chunk's text, or an empty line if nothing has changed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/maps.h"

int main(int argc, char **argv)
{
	struct maps *maps;
	char *text;
	int c;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: %s PID [data]\n", argv[0]);
		return 2;
	}
	maps = maps_create(argc == 3, NULL);
	while ((c = getchar()) != EOF) {
		if (c != '\n')
			continue;
		text = maps_changed(maps, atoi(argv[1]));
		maps_next_round(maps);
		puts(text ? text : "");
		fflush(stdout);
		free(text);
	}
	maps_destroy(maps);
	return 0;
}
