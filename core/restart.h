/* SPDX-License-Identifier: GPL-2.0 */
/*
 * restart.h - PFM_RESTART
 */
#ifndef PFM_CORE_RESTART_H
#define PFM_CORE_RESTART_H

struct pfm_context;

/*
 * Process PFM_RESTART. Context: process, pfm_context.mutex held. Return: 0;
 * -EBUSY or -ENODEV as pfm_check_cpu(); an error of the format or the PMU.
 */
int pfm_restart_context(struct pfm_context *ctx);

#endif /* PFM_CORE_RESTART_H */
