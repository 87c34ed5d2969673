/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate.h - limits on overflows
 */
#ifndef PFM_CORE_RATE_H
#define PFM_CORE_RATE_H

#include <linux/types.h>

struct pfm_context;

/* Maximum number of overflows per second; 0 for no limit */
extern unsigned int pfm_ovfl_rate_max;

/* Maximum percentage of CPU time in overflow handlers; 0 for no limit */
extern unsigned int pfm_ovfl_cpu_max;

/* Start a new window. Context: process, no overflow in progress. */
void pfm_rate_init(struct pfm_context *ctx);

/*
 * The credit is used up: renew it, unless that ends the window. @took: as for
 * pfm_rate_is_exceeded(). Context: the owner of the overflow path. Return: true
 * if it was renewed; false if nothing was done.
 */
bool pfm_rate_renew(struct pfm_context *ctx, u64 took);

/*
 * The credit is used up: renew it. @took: time in ns since the overflow's time
 * stamp, 0 if it is not timed. Context: the caller owns the context. Return:
 * true if a window has ended, and there were too many overflows, or they took
 * too long; or if that has happened in this part since it was restarted.
 */
bool pfm_rate_is_exceeded(struct pfm_context *ctx, u64 took);

#endif /* PFM_CORE_RATE_H */
