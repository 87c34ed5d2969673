/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * pmu.h - the kernel's PMU description, and virtual PMDs
 *
 * A virtual PMD is not a counter. Samples record its value, such as the thread
 * ID or the data address, like that of a counter.
 */
#ifndef PFMON_EVENTS_PMU_H
#define PFMON_EVENTS_PMU_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of the PMU description, to be freed, or NULL. */
char *pmu_name(void);

/*
 * Returns the number of PMDs in the PMU description; PFM_MAX_PMDS without one.
 */
unsigned int pmu_pmd_count(void);

/*
 * Returns the name of a virtual PMD, or "PMDn" for other PMDs; valid until the
 * next call.
 */
const char *virtual_pmd_name(unsigned int number);

/* Returns the names of the virtual PMDs, "a, b, c", to be freed. */
char *virtual_pmd_names(void);

/* Finds the PMDs that a name stands for; false if the name is unknown. */
bool virtual_pmd_find(const char *name, uint64_t *first, uint64_t *last);

#endif /* PFMON_EVENTS_PMU_H */
