/* SPDX-License-Identifier: GPL-2.0 */
/*
 * overflow.h - call-backs for perf and for the core in the overflow path
 */
#ifndef PFM_PMU_PERF_OVERFLOW_H
#define PFM_PMU_PERF_OVERFLOW_H

#include "set.h"

/* Get the function that perf is to call when the event of a PMD overflows. */
perf_overflow_handler_t perf_handler(const struct pfm_pmu_reg *reg);

/* The operations pfm_pmu.read_pmds_ovfl and pfm_pmu.reset_pmd */
void perf_read_pmds_ovfl(struct pfm_pmu_reg *const *regs, u64 *values,
			 unsigned int n);
void perf_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported);

#endif /* PFM_PMU_PERF_OVERFLOW_H */
