// SPDX-License-Identifier: MIT OR GPL-2.0
/* pmu.c - the kernel's PMU description, and virtual PMDs */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "base/util.h"
#include "events/pmu.h"

#define PMU_DIR	PFM_SYSFS "/pmu_desc"

static const struct {
	const char *name;
	unsigned int number;
} virtual_pmds[] = {
	{ "elapsed",	PFM_PMD_ELAPSED },
	{ "tid",	PFM_PMD_TID },
	{ "resident",	PFM_PMD_RESIDENT },
	{ "clock",	PFM_PMD_PERF_CLOCK },
	{ "addr",	PFM_PMD_ADDRESS },
	{ "latency",	PFM_PMD_LATENCY },
	{ "weight2",	PFM_PMD_WEIGHT2 },
	{ "weight3",	PFM_PMD_WEIGHT3 },
	{ "source",	PFM_PMD_SOURCE },
	{ "physical",	PFM_PMD_PHYSICAL },
	{ "transaction", PFM_PMD_TRANSACTION },
};

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

char *virtual_pmd_names(void)
{
	char *list = checked_strdup("");

	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++)
		list = checked_append(list, ", ", virtual_pmds[i].name);
	return list;
}

const char *virtual_pmd_name(unsigned int number)
{
	static char name[16];

	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		if (virtual_pmds[i].number == number)
			return virtual_pmds[i].name;
	}
	snprintf(name, sizeof(name), "PMD%u", number);
	return name;
}

bool virtual_pmd_find(const char *name, unsigned int *number)
{
	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		if (!strcmp(name, virtual_pmds[i].name)) {
			*number = virtual_pmds[i].number;
			return true;
		}
	}
	return false;
}
