// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * maps_printer - print the MAPS chunks that pfmon would write
 *
 * usage: maps_printer PID [data|tables]
 *
 * With "data", mappings of data are printed, too. With "tables", mappings are
 * examined as if pfmon also loaded the unwind tables of code.
 *
 * Examines the process whenever a line arrives on standard input, and answers
 * with a line: the chunk's text, or an empty line if nothing has changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/jit.h"
#include "capture/maps.h"
#include "stacks/table_set.h"

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
bool __wrap_table_set_looks_up(const struct table_set *set);
void __wrap_table_set_add(struct table_set *set, int fd, const char *build_id);

bool __wrap_table_set_looks_up(const struct table_set *set)
{
	(void)set;
	return false;
}

void __wrap_table_set_add(struct table_set *set, int fd, const char *build_id)
{
	(void)set;
	(void)build_id;
	close(fd);
}

int main(int argc, char **argv)
{
	static char tables;	/* only its address is used */
	struct jit *jit = jit_create(0);
	struct maps *maps;
	char *text;
	int c;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: %s PID [data|tables]\n", argv[0]);
		return 2;
	}
	maps = maps_create(argc == 3 && !strcmp(argv[2], "data"),
			   argc == 3 && !strcmp(argv[2], "tables") ?
			   (struct table_set *)&tables : NULL, jit);
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
	jit_destroy(jit);
	return 0;
}
