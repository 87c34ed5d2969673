// SPDX-License-Identifier: MIT OR GPL-2.0
/* option_aliases.c - option names of the original pfmon */
#define _GNU_SOURCE
#include <string.h>

#include "base/util.h"
#include "options/option_table.h"

const struct option_alias option_aliases[] = {
	{ "show-events",	 0,   "list-events" },
	{ "long-show-events",	 'L', "list-events" },
	{ "info",		 0,   "list-formats" },
	{ NULL,			 'V', "version" },
	{ NULL,			 '3', "user-level" },
	{ NULL,			 '0', "kernel-level" },
	{ NULL,			 't', "session-timeout" },
	{ "exclude-idle",	 0,   "excl-idle" },
	{ "smpl-outfile",	 0,   "outfile" },
	{ "extra-smpl-pmds",	 0,   "smpl-pmds" },
	{ "smpl-per-function",	 0,   "smpl-show-func" },
	{ "follow-exec-exclude", 0,   "exclude" },
};

const size_t option_alias_count = ARRAY_SIZE(option_aliases);

const struct option_row *option_of_alias(const struct option_alias *alias)
{
	for (size_t i = 0; i < option_count; i++) {
		if (!strcmp(option_table[i].name, alias->option))
			return &option_table[i];
	}
	return NULL;
}
