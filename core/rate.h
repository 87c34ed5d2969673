/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate.h - a limit for the rate of overflows of each context
 */
#ifndef PFM_CORE_RATE_H
#define PFM_CORE_RATE_H

#include <linux/types.h>

struct pfm_context;

/* Overflows a second, at most; 0 for no limit. */
extern unsigned int pfm_ovfl_rate_max;

/* Begin anew. Context: process, no overflow under way. */
void pfm_rate_init(struct pfm_context *ctx);

/*
 * The credit is used up: give a new one.
 * Context: the owner of the overflow path.
 * Return: true if it was used up too fast.
 */
bool pfm_rate_is_exceeded(struct pfm_context *ctx);

#endif /* PFM_CORE_RATE_H */
