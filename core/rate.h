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
 * Renew a credit that is used up, unless that ends the window. @took: as for
 * pfm_rate_account(). Context: the caller owns the context. Return: true if
 * the credit was renewed; false if nothing was done.
 */
bool pfm_rate_renew(struct pfm_context *ctx, u64 took);

/*
 * Renew a credit that is used up, and check the limits if a window has ended.
 * @took: time in ns since the overflow's time stamp, 0 if the overflow is not
 * timed. Context: the caller owns the context. Return: true if there were too
 * many overflows, or they took too long; in a family also if a limit was
 * exceeded on this CPU since the last restart.
 */
bool pfm_rate_account(struct pfm_context *ctx, u64 took);

#endif /* PFM_CORE_RATE_H */
