/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmc.h - PMC values and the perf events that they encode
 */
#ifndef PFM_PMU_PERF_PMC_H
#define PFM_PMU_PERF_PMC_H

#include <linux/types.h>

struct perf_event_attr;
struct pfm_pmu_reg;
struct pfm_pmu_set;

/* Does the PMC value encode an event? */
bool perf_pmc_is_used(u64 pmc);

/*
 * Fill in the attributes of an event that is to be created disabled. @config:
 * the PFM_PMC_CONFIGS configuration words; @period: sampling period, or 0.
 */
void perf_fill_attr(struct perf_event_attr *attr, u64 pmc, const u64 *config,
		    u64 period);

/* Map perf's errors to those of the specification. */
int perf_errno(long err);

/* The operation pfm_pmu.check_pmc */
int perf_check_pmc(struct pfm_pmu_set *s, u16 num, u64 pmc, const u64 *config,
		   bool syswide);

/*
 * Is the event precise enough? Only counters that write debug-store records
 * need a precise event, and only if the set's debug-store area does not accept
 * imprecise records.
 */
bool perf_is_exact_enough(const struct pfm_pmu_reg *reg);

/*
 * Make those permission checks of perf_event_open() that perf omits for events
 * created in the kernel. The user may need the right to count in the kernel, to
 * see physical addresses, or to see registers while the kernel is locked down.
 * Context: process. Return: true if all that the event needs is allowed.
 */
bool perf_may_count(const struct pfm_pmu_reg *reg);

/*
 * Does this CPU have precise events with exact registers? Context: init of the
 * module.
 */
bool perf_is_precise(void);

#endif /* PFM_PMU_PERF_PMC_H */
