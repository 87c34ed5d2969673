/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle.h - events that perf throttles
 */
#ifndef PFM_PMU_PERF_THROTTLE_H
#define PFM_PMU_PERF_THROTTLE_H

/* Begin and end to count them. Context: process. */
void perf_throttle_init(void);
void perf_throttle_exit(void);

#endif /* PFM_PMU_PERF_THROTTLE_H */
