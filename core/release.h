/* SPDX-License-Identifier: GPL-2.0 */
/*
 * release.h - releasing what the PMU's operations have left
 */
#ifndef PFM_CORE_RELEASE_H
#define PFM_CORE_RELEASE_H

struct pfm_context;

void pfm_release_init(struct pfm_context *ctx);

/*
 * Have a work item release what is left, a second later: an exiting thread does
 * not compete with it, and what the next command needs again, for example a
 * tracepoint, is still set up. Context: process.
 */
void pfm_release_soon(struct pfm_context *ctx);

/*
 * Release at the end of a command: call pfm_release_soon(), but wait if a lot
 * is left, so that a user cannot accumulate it. Context: process, no lock held.
 */
void pfm_release_after(struct pfm_context *ctx);

/* Release everything before returning. Context: process, no lock held. */
void pfm_release_all(struct pfm_context *ctx);

#endif /* PFM_CORE_RELEASE_H */
