/* SPDX-License-Identifier: GPL-2.0 */
/*
 * release.h - release resources of the PMU after its operations
 */
#ifndef PFM_CORE_RELEASE_H
#define PFM_CORE_RELEASE_H

struct pfm_context;

void pfm_release_init(struct pfm_context *ctx);

/*
 * Have a work item release, a second later, what the PMU has put on the list
 * pfm_context.left. This delay keeps the work item from competing with an
 * exiting thread, and keeps resources set up that the next command may need
 * again, for example a tracepoint. Context: process.
 */
void pfm_release_soon(struct pfm_context *ctx);

/*
 * Release at the end of a command: call pfm_release_soon(), but wait if the
 * list is long, so that no user can accumulate events. Context: process, no
 * lock held.
 */
void pfm_release_after(struct pfm_context *ctx);

/* Release everything before returning. Context: process, no lock held. */
void pfm_release_all(struct pfm_context *ctx);

#endif /* PFM_CORE_RELEASE_H */
