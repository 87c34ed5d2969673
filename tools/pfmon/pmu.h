/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pmu.h - what the kernel says of its PMU description */
#ifndef PFMON_PMU_H
#define PFMON_PMU_H

/* Its name, to be freed; NULL if there is none. */
char *pmu_name(void);

/* How many PMDs it has; the most that there can be if there is none. */
unsigned int pmu_pmd_count(void);

#endif /* PFMON_PMU_H */
