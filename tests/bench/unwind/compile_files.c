// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * compile_files - measure the compilation of unwind tables
 *
 * usage: compile_files <LIST
 *
 * Reads a list of files. For each ELF file with a table, prints the numbers of
 * rows, rules and bytes of the table, the CPU time in microseconds, and the
 * file.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind/compile.h"

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void measure(const char *path)
{
	struct pfm_unwind_head *table;
	const char *why;
	uint64_t before;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	before = cpu_ns();
	table = unwind_compile(fd, &why);
	if (table)
		printf("%u %u %u %.1f %s\n", table->nr_rows, table->nr_rules,
		       table->size, (double)(cpu_ns() - before) / 1000, path);
	free(table);
	close(fd);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		measure(line);
	}
	free(line);
	return 0;
}
