// SPDX-License-Identifier: MIT OR GPL-2.0
/* perf_options.c - what replaces perf's options and commands in pfmon */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "options/perf_options.h"

static const struct {
	char letter;		/* 0 if it is another option of pfmon */
	const char *name;
	const char *here;
} options[] = {
	{ 'a', "all-cpus",	  "--system-wide" },
	{ 'A', "no-aggr",	  "--system-wide, which prints each CPU" },
	{ 'b', "branch-any",	  "--smpl-pmds=branches" },
	{ 'C', "cpu",		  "--system-wide --cpu-list=LIST" },
	{ 'c', "count",		  "--long-smpl-periods=N" },
	{ 'D', "",		  "--delay=MS" },
	{ 'd', "data",
	  "--smpl-pmds=addr (perf record), -e EVENT,... (perf stat)" },
	{ 'G', "",		  "--system-wide --cgroup=PATTERN" },
	{ 'M', "metrics",	  "-e EVENT,..., which also prints ratios" },
	{ 'm', "mmap-pages",	  "--smpl-entries=SAMPLES" },
	{ 'p', "pid",		  "--attach-process=PID" },
	{ 's', "stat",
	  "--follow-all --aggregate=thread, or pfmparse report --by=KEY" },
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

const char *perf_command_here(const char *word)
{
	return !strcmp(word, "stat")   ? "pfmon" :
	       !strcmp(word, "record") ? "pfmon -F HZ -o FILE" :
	       !strcmp(word, "report") ? "pfmparse report FILE" :
					 NULL;
}
