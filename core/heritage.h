/* SPDX-License-Identifier: GPL-2.0 */
/*
 * heritage.h - the registers that members of a family inherit
 */
#ifndef PFM_CORE_HERITAGE_H
#define PFM_CORE_HERITAGE_H

#include <linux/workqueue.h>
#include <perfmon/perfmon.h>

struct pfm_context;
struct pfm_family;

/*
 * Call pfm_family_create(), and give the family the registers of @root.
 * Context: process, mutex of @root held. Return: the family or NULL.
 */
struct pfm_family *pfm_heritage_begin(struct pfm_context *root,
				      work_func_t bury);

/*
 * Give the family's registers to a new or reused member.
 * Context: process, mutex of @ctx held. Return: 0, -ENOMEM, or an error of the
 * PMU.
 */
int pfm_heritage_equip(struct pfm_context *ctx);

/*
 * Update the reset values of a member that has just joined: the family's reset
 * values may have changed since pfm_heritage_equip(). Context: process, mutex
 * of @ctx held.
 */
void pfm_heritage_update(struct pfm_context *ctx);

/*
 * Process one element of PFM_WRITE_PMDS for the root and all members: change
 * the reset values of a PMD that samples, and the value with which new members
 * begin. Context: process, mutex of @root held. Return: 0; -EINVAL, with the
 * element marked; -EBUSY if the members do not sample with this PMD.
 */
int pfm_heritage_write(struct pfm_context *root, pfarg_pmd_t *req);

#endif /* PFM_CORE_HERITAGE_H */
