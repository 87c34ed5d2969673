// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * threads_printer - prints the THRD chunks that pfmon would write, for tests
 *
 * usage: threads_printer PID
 *
 * Looks at the process whenever a line arrives on standard input, at all
 * threads if it is "all", and answers with a line: the chunk's text, or nothing
 * if there is no news.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

int main(int argc, char **argv)
{
	struct threads *threads;
	char line[16], *text;

	if (argc != 2) {
		fprintf(stderr, "usage: %s PID\n", argv[0]);
		return 2;
	}
	threads = threads_create();
	while (fgets(line, sizeof(line), stdin)) {
		text = threads_changed(threads, atoi(argv[1]),
				       !strcmp(line, "all\n"));
		puts(text ? text : "");
		fflush(stdout);
		free(text);
	}
	threads_destroy(threads);
	return 0;
}
