// SPDX-License-Identifier: MIT OR GPL-2.0
/* perf_options.c - options of perf that have other names in pfmon */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "options/perf_options.h"

static const struct {
	char letter;		/* 0 if pfmon uses it for another option */
	const char *name;
	const char *here;
} options[] = {
	{ 'a', "all-cpus",	  "--system-wide" },
	{ 'A', "no-aggr",	  "--system-wide, which prints each CPU" },
	{ 'C', "cpu",		  "--system-wide --cpu-list=LIST" },
	{ 'c', "count",		  "--long-smpl-periods=N" },
	{ 'D', "",		  "--delay=MS" },
	{ 'G', "",		  "--system-wide --cgroup=PATTERN" },
	{ 'm', "mmap-pages",	  "--smpl-entries=SAMPLES" },
	{ 'p', "pid",		  "--attach-process=PID" },
	{ 0,   "tid",		  "--attach-task=TID" },
	{ 'x', "field-separator", "--csv=SEP" },
};

const char *perf_option_here(int letter, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (letter ? letter == options[i].letter :
			     !strcmp(name, options[i].name))
			return options[i].here;
	}
	return NULL;
}
