/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmu.h - the PMU description in use
 */
#ifndef PFM_CORE_PMU_H
#define PFM_CORE_PMU_H

#include <perfmon/perfmon_pmu.h>

/*
 * Get the PMU description, with a reference. Context: process. Return: the
 * description, or NULL if none is registered.
 */
const struct pfm_pmu *pfm_pmu_get(void);
/* Get another reference. Context: any. Return: @pmu. */
const struct pfm_pmu *pfm_pmu_hold(const struct pfm_pmu *pmu);
void pfm_pmu_put(const struct pfm_pmu *pmu);

/*
 * Return the number of PMDs in an event set: all of the PMU's PMDs except those
 * that hold data of samples, which come last. Context: any.
 */
u16 pfm_pmu_places(const struct pfm_pmu *pmu);

/* Find register @num in a table. Return: index, or -ENOENT. Context: any. */
int pfm_pmu_find(const struct pfm_reg_desc *regs, u16 n, u16 num);

/* Find the PMC that controls PMD @num, which must have one. Context: any. */
const struct pfm_reg_desc *pfm_pmu_selector(const struct pfm_pmu *pmu, u16 num);

/* Convert indices in the PMU's table to a bit vector of PMDs. Context: any. */
void pfm_bv_from_slots(const struct pfm_pmu *pmu, const unsigned long *slots,
		       u64 *bv);

/*
 * Convert a bit vector of PMDs to indices in the PMU's table. Context: any.
 * Return: the number of PMDs, or -EINVAL if one is not implemented.
 */
int pfm_bv_to_slots(const struct pfm_pmu *pmu, const u64 *bv,
		    unsigned long *slots);

#endif /* PFM_CORE_PMU_H */
