/* SPDX-License-Identifier: GPL-2.0 */
/*
 * defect.h - properties of this kernel that self-tests have found missing
 */
#ifndef PFM_CORE_DEFECT_H
#define PFM_CORE_DEFECT_H

/* Create /sys/kernel/perfmon/defects. Context: process. Return: 0 or -errno. */
int pfm_defect_init(void);

#endif /* PFM_CORE_DEFECT_H */
