// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_trials COUNT SEED - check random unwind tables, and unwind random
 * stacks with them
 *
 * Prints the number of each outcome in lines "NAME NUMBER". Each table ends at
 * most 7 bytes before a page that cannot be read, so that reading beyond the
 * table kills the program. The exit status is 1 if a guarantee of unwind_walk.h
 * was violated.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "../kunit/unwind_random.h"

#define PAGES	0x10000
#define NAMES	7

static const char *const names[NAMES] = {
	"more", "whole", "full", "no_mapping", "no_table", "no_rule",
	"unreadable",
};

int main(int argc, char **argv)
{
	struct rnd_seen seen = { 0 };
	unsigned long count;
	unsigned char *end;
	int i;

	if (argc != 3)
		errx(2, "usage: unwind_trials COUNT SEED");
	count = strtoul(argv[1], NULL, 0);
	rnd_state = strtoul(argv[2], NULL, 0) | 1;
	end = mmap(NULL, 2 * PAGES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (end == MAP_FAILED)
		err(2, "mmap");
	end += PAGES;
	if (mprotect(end, PAGES, PROT_NONE))
		err(2, "mprotect");
	while (count-- && !rnd_broken)
		rnd_trial(end - RND_MOST, &seen);
	printf("trials %lu\nrefused %lu\nguessed %lu\nlongest %lu\n",
	       seen.trials, seen.refused, seen.guessed, seen.longest);
	for (i = 0; i < NAMES; i++)
		printf("%s %lu\n", names[i], seen.why[i]);
	if (rnd_broken)
		errx(1, "guarantee violated in trial %lu: %s", seen.trials,
		     rnd_broken);
	return 0;
}
