/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pointers.h - perf PMUs whose configuration is a pointer
 */
#ifndef PFM_PMU_PERF_POINTERS_H
#define PFM_PMU_PERF_POINTERS_H

#include <linux/types.h>

/*
 * Find the PMUs kprobe and uprobe. Context: init of the module. Return: 0 or an
 * errno.
 */
int perf_pointers_init(void);

/* Does the configuration of an event of this PMU type point to user memory? */
bool perf_takes_pointer(u32 type);

#endif /* PFM_PMU_PERF_POINTERS_H */
