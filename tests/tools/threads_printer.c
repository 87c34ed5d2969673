// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * threads_printer - print the THRD chunks that pfmon would write
 *
 * usage: threads_printer PID
 *
 * Examines the process whenever a line arrives on standard input: all threads
 * if the line is "all", one thread if it is a thread ID. For other lines, it
 * skips threads that it once found unchanged. Answers with a line: the text of
 * a chunk with the new and changed threads, or an empty line if nothing has
 * changed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/threads.h"

static char *look_at(struct threads *threads, pid_t pid, const char *line)
{
	pid_t tid = atoi(line);

	if (tid)
		return thread_changed(threads, pid, tid);
	return threads_changed(threads, pid, !strcmp(line, "all\n"));
}

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
		text = look_at(threads, atoi(argv[1]), line);
		puts(text ? text : "");
		fflush(stdout);
		free(text);
	}
	threads_destroy(threads);
	return 0;
}
