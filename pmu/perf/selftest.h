/* SPDX-License-Identifier: GPL-2.0 */
/*
 * selftest.h - test whether perf works as event.c and hw_count.h expect
 */
#ifndef PFM_PMU_PERF_SELFTEST_H
#define PFM_PMU_PERF_SELFTEST_H

#include <linux/types.h>

/*
 * Test whether perf works as event.c expects, and record a defect if not.
 * Context: init of the module. Return: true if it does.
 */
bool perf_selftest(void);

/*
 * Test whether the functions of hw_count.h can read a counter, and record a
 * defect if not. Return: true if they can; false, without a defect, if the CPU
 * has no counter. Context: init of the module.
 */
bool perf_selftest_counter(void);

/*
 * Test whether perf keeps the times of events as clock.c expects, and record a
 * defect if not. Return: true if it does; false, without a defect, if the test
 * is not possible. Context: init of the module.
 */
bool perf_selftest_times(void);

/*
 * Test whether perf keeps the time at which it has removed the events of an
 * exiting thread, and record a defect if not. Return: as perf_selftest_times().
 * Context: init of the module, which can no longer fail.
 */
bool perf_selftest_exit(void);

#endif /* PFM_PMU_PERF_SELFTEST_H */
