/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev.h - /dev/perfmon
 */
#ifndef PFM_CORE_DEV_H
#define PFM_CORE_DEV_H

/* Create the device. Context: process. Return: 0 or an errno. */
int pfm_dev_init(void);
void pfm_dev_exit(void);

#endif /* PFM_CORE_DEV_H */
