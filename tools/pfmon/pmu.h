/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pmu.h - the kernel's PMU description, and virtual PMDs */
#ifndef PFMON_PMU_H
#define PFMON_PMU_H

#include <stdbool.h>

/* The name of the description, to be freed; NULL if there is none. */
char *pmu_name(void);

/* How many PMDs it has; the most that there can be if there is none. */
unsigned int pmu_pmd_count(void);

/* Name of a virtual PMD, "PMDn" for others; valid until the next call. */
const char *virtual_pmd_name(unsigned int number);

/* False if no virtual PMD has that name. */
bool virtual_pmd_find(const char *name, unsigned int *number);

#endif /* PFMON_PMU_H */
