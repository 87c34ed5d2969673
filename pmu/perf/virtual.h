/* SPDX-License-Identifier: GPL-2.0 */
/*
 * virtual.h - PMDs without a perf event
 */
#ifndef PFM_PMU_PERF_VIRTUAL_H
#define PFM_PMU_PERF_VIRTUAL_H

#include <perfmon/perfmon_pmu.h>

/*
 * Read or write a PMD without a perf event. @task: current in an overflow,
 * otherwise a thread to which the caller has a reference.
 */
u64 perf_read_virtual(const struct pfm_pmu_reg *reg, struct task_struct *task);
void perf_write_virtual(struct pfm_pmu_reg *reg, u64 value);

/* Functions for pfm_reg_desc.read */
u64 perf_tid(struct task_struct *task);
u64 perf_resident_pages(struct task_struct *task);
u64 perf_clock_now(struct task_struct *task);
u64 perf_thread_state(struct task_struct *task);

#endif /* PFM_PMU_PERF_VIRTUAL_H */
