/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample.h - PMDs with the data that perf supplies about a sample
 */
#ifndef PFM_PMU_PERF_SAMPLE_H
#define PFM_PMU_PERF_SAMPLE_H

#include "set.h"

/**
 * struct perf_sampled - data of the sample that is being reported
 * @reg:  the counter
 * @data: perf's data
 */
struct perf_sampled {
	const struct pfm_pmu_reg	*reg;
	const struct perf_sample_data	*data;
};

/*
 * Can perf supply the data that the counter wants (pfm_pmu_reg.wants)? Return:
 * true also for precise events and for PMUs selected by their number, because
 * only the drivers know what they can supply; false if the data go into
 * debug-store records instead.
 */
bool perf_may_have_data(const struct pfm_pmu_reg *reg);

/*
 * Get branch_sample_type for an event that records branches: those at the
 * privilege levels at which the event counts.
 */
u64 perf_branch_type(u64 pmc);

/*
 * Get a sampled address as the user may see it: 0 for addresses of the kernel
 * if the event excludes the kernel.
 */
static inline u64 perf_visible_address(const struct pfm_pmu_reg *reg, u64 addr)
{
	return reg->pmc_value & PFM_PERF_EXCL_KERNEL && (s64)addr < 0 ? 0 :
									addr;
}

/*
 * Functions for pfm_reg_desc.read_sample; @sample is a struct perf_sampled.
 * Return: the value, or 0 if the sample lacks these data.
 */
u64 perf_sampled_address(const void *sample, u16 num);
u64 perf_sampled_latency(const void *sample, u16 num);
u64 perf_sampled_weight2(const void *sample, u16 num);
u64 perf_sampled_weight3(const void *sample, u16 num);
u64 perf_sampled_source(const void *sample, u16 num);
u64 perf_sampled_physical(const void *sample, u16 num);
u64 perf_sampled_transaction(const void *sample, u16 num);
u64 perf_sampled_from(const void *sample, u16 num);
u64 perf_sampled_to(const void *sample, u16 num);
u64 perf_sampled_flags(const void *sample, u16 num);

#endif /* PFM_PMU_PERF_SAMPLE_H */
