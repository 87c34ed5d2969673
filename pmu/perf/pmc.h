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

/* Does the value stand for an event? */
bool perf_pmc_is_used(u64 pmc);

/*
 * Make the attributes of an event that is created disabled. @config: its
 * PFM_PMC_CONFIGS configuration words; @period: its sampling period, or 0.
 */
void perf_fill_attr(struct perf_event_attr *attr, u64 pmc, const u64 *config,
		    u64 period);

/* Map perf's errors to those of the specification. */
int perf_errno(long err);

/* pfm_pmu.check_pmc */
int perf_check_pmc(struct pfm_pmu_set *s, u16 num, u64 pmc, const u64 *config,
		   bool syswide);

/* Is the event precise if the debug-store area requires exact records? */
bool perf_is_exact_enough(const struct pfm_pmu_reg *reg);

/*
 * perf_event_open() makes these checks, but perf omits them for events created
 * in the kernel. As far as the event needs it: may the user count in the
 * kernel; see physical addresses; see registers while the kernel is locked
 * down? Context: process. Return: true if all of this is allowed.
 */
bool perf_may_count(const struct pfm_pmu_reg *reg);

/*
 * Does this CPU have precise events with exact registers? Context: init of the
 * module.
 */
bool perf_is_precise(void);

#endif /* PFM_PMU_PERF_PMC_H */
