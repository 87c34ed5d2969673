/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle.h - counting how often perf throttles an event
 */
#ifndef PFM_PMU_PERF_THROTTLE_H
#define PFM_PMU_PERF_THROTTLE_H

struct perf_event;

/*
 * Count how often perf throttles the event from now on. Context: process,
 * before the event is enabled for the first time.
 */
void perf_watch_throttling(struct perf_event *event);

#endif /* PFM_PMU_PERF_THROTTLE_H */
