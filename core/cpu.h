/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h - CPUs that go offline under a system-wide context
 */
#ifndef PFM_CORE_CPU_H
#define PFM_CORE_CPU_H

/* Register the hotplug call-back. Context: process. Return: 0 or an errno. */
int pfm_cpu_init(void);
void pfm_cpu_exit(void);

#endif /* PFM_CORE_CPU_H */
