// SPDX-License-Identifier: MIT OR GPL-2.0
/* pmu.c - what the kernel says of its PMU description */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "pmu.h"
#include "util.h"

#define PMU_DIR	PFM_SYSFS "/pmu_desc"

char *pmu_name(void)
{
	return read_line_of(PMU_DIR "/name");
}

unsigned int pmu_pmd_count(void)
{
	size_t length;
	char *text = read_file(PMU_DIR "/mappings", &length);
	char *line, *rest = text;
	unsigned int count = 0;

	while (rest && (line = strsep(&rest, "\n")))
		count += !strncmp(line, "PMD", 3);
	free(text);
	return count ? count : PFM_MAX_PMDS;
}
