/* SPDX-License-Identifier: GPL-2.0 */
/*
 * outcome.h - carrying out what the handlers request
 */
#ifndef PFM_CORE_OUTCOME_H
#define PFM_CORE_OUTCOME_H

#include "context.h"

/*
 * The requests for one overflow event, collected over its PMDs. @notify: a
 * notification for a PMD with PFM_REGFL_OVFL_NOTIFY was requested. @asked: a
 * notification for any PMD was requested. @reset: slots of the PMDs to reset.
 */
struct pfm_outcome {
	bool	notify;
	bool	asked;
	bool	block;
	bool	mask;
	DECLARE_BITMAP(reset, PFM_MAX_PMDS);
};

/*
 * Add to @out what the handler (pfm_context.handler) requests for @pmd.
 * @err: the handler's return value. Context: the caller owns the context.
 */
void pfm_collect(struct pfm_outcome *out, const struct pfm_pmd *pmd, int err);

/*
 * Do what was requested for the PMDs in @ovfl (bitmap of slots): reset or mask,
 * block, notify, switch sets. Context: the caller owns the context, interrupts
 * off.
 */
void pfm_conclude(struct pfm_context *ctx, const unsigned long *ovfl,
		  struct pfm_outcome *out);

/*
 * Handler for contexts without a format. If the PMD has PFM_REGFL_OVFL_NOTIFY,
 * it requests PFM_OVFL_CTRL_HOLD. Otherwise it lets the counter wrap (3.4.3),
 * or resets a counter that counts towards a switch of sets (3.7.6). Context:
 * any in which an overflow is handled, including NMI. Return: 0.
 */
int pfm_no_fmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		       struct pfm_ovfl_data *data);

#endif /* PFM_CORE_OUTCOME_H */
