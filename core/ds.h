/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ds.h - the debug-store service: storing the PMU's records (PEBS)
 */
#ifndef PFM_CORE_DS_H
#define PFM_CORE_DS_H

#include <linux/types.h>

struct pfm_context;
struct pfm_ds_record;

/*
 * Take over the area that a format has set up. Context: process; the context is
 * not shared yet. Return: 0; -EINVAL if the area is invalid; -EOPNOTSUPP if the
 * PMU cannot fill it.
 */
int pfm_ds_attach(struct pfm_context *ctx);

/*
 * Handle counters that overflowed in one instant: write a record, or count it
 * as lost if @rec is NULL. Then reload the counters, unless the area is filled
 * to its threshold. Context: the caller owns the context, interrupts off.
 * Return: true if the area is filled to its threshold, at which PEBS hardware
 * would raise an interrupt.
 */
bool pfm_ds_store(struct pfm_context *ctx, const unsigned long *ovfl,
		  struct pfm_ds_record *rec);

#endif /* PFM_CORE_DS_H */
