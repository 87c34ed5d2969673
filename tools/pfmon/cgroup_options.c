// SPDX-License-Identifier: MIT OR GPL-2.0
/* cgroup_options.c - the option --cgroup */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cgroup_options.h"
#include "util.h"

/* Repeated options are joined to one list. */
bool parse_cgroup(struct options *options, const char *text)
{
	if (!text[strspn(text, ",")]) {
		message("--cgroup: the list is empty: give a control group such as /system.slice");
		return false;
	}
	if (!options->cgroups)
		options->cgroups = checked_strdup("");
	options->cgroups = checked_append(options->cgroups, ",", text);
	return true;
}

bool cgroup_options_agree(const struct options *options)
{
	const unsigned int short_entries =
		FORMAT_OPT_NO_HDR | FORMAT_OPT_IP_ONLY;

	if (!options->cgroups)
		return true;
	if (!options->system_wide)
		message("--cgroup needs --system-wide: it selects among all processes");
	else if (!options->sampling)
		message("--cgroup needs sampling, because the counts of a CPU include all groups: give a period with --long-smpl-periods, or count a process with --attach-process");
	else if (options->format_options & short_entries)
		message("--cgroup needs the process ID of each sample, which --smpl-no-hdr and --smpl-ip-only omit");
	else
		return true;
	return false;
}
