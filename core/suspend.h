/* SPDX-License-Identifier: GPL-2.0 */
/*
 * suspend.h - contexts while the machine is suspended or hibernated
 */
#ifndef PFM_CORE_SUSPEND_H
#define PFM_CORE_SUSPEND_H

#include <linux/types.h>

/*
 * Stop contexts before a suspend (@suspend), or resume them after it. Contexts
 * that are started in between count from the resume on. Context: process.
 */
void pfm_suspend(bool suspend);

/* Watch for suspends. Context: process. Return: 0 or an errno. */
int pfm_suspend_init(void);
void pfm_suspend_exit(void);

#endif /* PFM_CORE_SUSPEND_H */
