/* SPDX-License-Identifier: GPL-2.0 */
/*
 * heritage.h - the registers that members of a family inherit
 */
#ifndef PFM_CORE_HERITAGE_H
#define PFM_CORE_HERITAGE_H

#include <linux/workqueue.h>

struct pfm_context;
struct pfm_family;

/*
 * Create a family with the registers of @root: as pfm_family_create(). Context:
 * process, mutex of @root held. Return: the family or NULL.
 */
struct pfm_family *pfm_heritage_begin(struct pfm_context *root,
				      work_func_t bury);

/*
 * Give a new member, or one that is used again, the family's registers.
 * Context: process, mutex of @ctx held. Return: 0, -ENOMEM, or an error of the
 * PMU.
 */
int pfm_heritage_equip(struct pfm_context *ctx);

#endif /* PFM_CORE_HERITAGE_H */
