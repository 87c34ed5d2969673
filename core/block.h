/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block.h - holding the monitored thread until PFM_RESTART
 */
#ifndef PFM_CORE_BLOCK_H
#define PFM_CORE_BLOCK_H

#include <linux/types.h>

struct pfm_context;

/*
 * A context that may block is there: see that threads come back.
 * Context: process, may sleep.
 */
void pfm_block_init(const struct pfm_context *ctx);

/*
 * It has been detached for good.
 * Context: process, may sleep.
 */
void pfm_block_gone(const struct pfm_context *ctx);

/*
 * There is no context any more, and will be none.
 * Context: process, may sleep.
 */
void pfm_block_exit(void);

/*
 * The attachment to a thread begins.
 * Context: process, pfm_context.mutex held. Return: 0 or -ENOMEM.
 */
int pfm_block_attach(struct pfm_context *ctx);

/*
 * It ends: the thread goes on.
 * Context: process, pfm_context.mutex held, no overflow under way.
 */
void pfm_block_detach(struct pfm_context *ctx);

/*
 * The monitored thread must not run on.
 * Context: the owner of the overflow path.
 */
void pfm_block_want(struct pfm_context *ctx);

/* See that it stops. Context: any but NMI, interrupts off. */
void pfm_block_request(struct pfm_context *ctx);

/*
 * It may run on, once it is woken.
 * Context: the owner of the overflow path; or the thread itself, when it cannot
 * overflow any more, preemption disabled.
 */
void pfm_block_end(struct pfm_context *ctx);

/* Let it go on, if it is not asked to wait again. Context: process. */
void pfm_block_wake(struct pfm_context *ctx);

/*
 * Is the monitored thread kept from running?
 * Context: process, pfm_context.mutex held.
 */
bool pfm_is_blocked(const struct pfm_context *ctx);

#endif /* PFM_CORE_BLOCK_H */
