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

/*
 * Names that stand for one or several virtual PMDs. virtual_pmd_name() uses the
 * first row that includes the PMD, so "branches", which stands for all PMDs of
 * the three rows above it, comes last.
 */
static const struct {
	const char *name;
	unsigned int first, count;
} virtual_pmds[] = {
	{ "state",	PFM_PMD_STATE, 1 },
	{ "elapsed",	PFM_PMD_ELAPSED, 1 },
	{ "tid",	PFM_PMD_TID, 1 },
	{ "resident",	PFM_PMD_RESIDENT, 1 },
	{ "clock",	PFM_PMD_PERF_CLOCK, 1 },
	{ "addr",	PFM_PMD_ADDRESS, 1 },
	{ "latency",	PFM_PMD_LATENCY, 1 },
	{ "weight2",	PFM_PMD_WEIGHT2, 1 },
	{ "weight3",	PFM_PMD_WEIGHT3, 1 },
	{ "source",	PFM_PMD_SOURCE, 1 },
	{ "physical",	PFM_PMD_PHYSICAL, 1 },
	{ "transaction", PFM_PMD_TRANSACTION, 1 },
	{ "branch-from", PFM_PMD_BRANCH_FROM(0), PFM_BRANCHES },
	{ "branch-to",	PFM_PMD_BRANCH_TO(0), PFM_BRANCHES },
	{ "branch-flags", PFM_PMD_BRANCH_FLAGS(0), PFM_BRANCHES },
	{ "branches",	PFM_PMD_BRANCH_FROM(0), 3 * PFM_BRANCHES },
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
	static char name[24];

	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		unsigned int at = number - virtual_pmds[i].first;

		if (at >= virtual_pmds[i].count)
			continue;
		if (virtual_pmds[i].count == 1)
			return virtual_pmds[i].name;
		snprintf(name, sizeof(name), "%s%u", virtual_pmds[i].name, at);
		return name;
	}
	snprintf(name, sizeof(name), "PMD%u", number);
	return name;
}

bool virtual_pmd_find(const char *name, uint64_t *first, uint64_t *last)
{
	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		if (strcmp(name, virtual_pmds[i].name))
			continue;
		*first = virtual_pmds[i].first;
		*last = *first + virtual_pmds[i].count - 1;
		return true;
	}
	return false;
}
