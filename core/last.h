/* SPDX-License-Identifier: GPL-2.0 */
/*
 * last.h - the last samples of a thread
 */
#ifndef PFM_CORE_LAST_H
#define PFM_CORE_LAST_H

struct pfm_context;

/*
 * Take a sample for each PMD with PFM_REGFL_AT_EXIT, because the monitored
 * thread exits or has exited. The samples have no registers. Context: process,
 * pfm_context.mutex held, the context started and paused.
 */
void pfm_sample_exit(struct pfm_context *ctx);

#endif /* PFM_CORE_LAST_H */
