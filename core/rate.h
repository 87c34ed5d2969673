/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate.h - limit of the overflow rate of each context
 */
#ifndef PFM_CORE_RATE_H
#define PFM_CORE_RATE_H

#include <linux/types.h>

struct pfm_context;

/* Maximum number of overflows per second; 0 for no limit */
extern unsigned int pfm_ovfl_rate_max;

/* Start a new window. Context: process, no overflow in progress. */
void pfm_rate_init(struct pfm_context *ctx);

/*
 * The credit is used up: renew it. Context: the owner of the overflow path.
 * Return: true if it was used up too fast.
 */
bool pfm_rate_is_exceeded(struct pfm_context *ctx);

#endif /* PFM_CORE_RATE_H */
