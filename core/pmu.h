/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmu.h - the PMU description in use
 */
#ifndef PFM_CORE_PMU_H
#define PFM_CORE_PMU_H

#include <perfmon/perfmon_pmu.h>

/*
 * Hold the PMU. Context: process.
 * Return: the description, or NULL if there is none.
 */
const struct pfm_pmu *pfm_pmu_get(void);
void pfm_pmu_put(const struct pfm_pmu *pmu);

/* Return: place of register @num in the table, or -ENOENT. Context: any. */
int pfm_pmu_find(const struct pfm_reg_desc *regs, u16 n, u16 num);

/*
 * Context: any. Return: the PMC that controls PMD @num, which one controls.
 */
const struct pfm_reg_desc *pfm_pmu_selector(const struct pfm_pmu *pmu, u16 num);

/* Places in the PMU's table to a bit vector of PMD indices. Context: any. */
void pfm_bv_from_slots(const struct pfm_pmu *pmu, const unsigned long *slots,
		       u64 *bv);

/*
 * Bit vector of PMD indices to places in the PMU's table. Context: any.
 * Return: how many they are, or -EINVAL if one is not implemented.
 */
int pfm_bv_to_slots(const struct pfm_pmu *pmu, const u64 *bv,
		    unsigned long *slots);

#endif /* PFM_CORE_PMU_H */
