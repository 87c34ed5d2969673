// SPDX-License-Identifier: MIT OR GPL-2.0
/* defects.c - check for defects that the modules' self-tests have found */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "base/util.h"
#include "doctor/checks.h"
#include "doctor/kmod.h"

/*
 * The core's sentence about a defect begins with this text if pfm_pmu_perf
 * refuses to load because of the defect.
 */
#define REFUSED	PMU_MODULE " "

/*
 * Returns the core's sentences about defects, separated by semicolons: those
 * that begin with REFUSED if @refused is set, otherwise all others. Returns ""
 * if none, and NULL if the core does not report defects.
 */
static char *read_defects(const struct machine *machine, bool refused)
{
	char *path = machine_path(machine, PFM_SYSFS "/defects");
	size_t length;
	char *text = read_file(path, &length), *rest = text, *line;
	char *found = text ? checked_strdup("") : NULL;

	while (text && (line = strsep(&rest, "\n")))
		if (*line &&
		    refused == !strncmp(line, REFUSED, strlen(REFUSED)))
			found = checked_append(found, "; ", line);
	free(text);
	free(path);
	return found;
}

char *defect_of_pmu(const struct machine *machine)
{
	char *found = read_defects(machine, true);

	if (found && *found)
		return found;
	free(found);
	return NULL;
}

void check_defects(const struct machine *machine, struct finding *finding)
{
	char *found = read_defects(machine, false);

	if (found && *found)
		finding_note(finding, NULL, "%s", found);
	else if (found)
		finding_ok(finding, "the self-tests have found none");
	free(found);
}
