/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block.h - blocking the monitored thread until PFM_RESTART
 *
 * A blocked thread must still handle signals. A kprobe then makes it block
 * again: see block.c.
 */
#ifndef PFM_CORE_BLOCK_H
#define PFM_CORE_BLOCK_H

#include <linux/types.h>

struct pfm_context;

/*
 * If a new context may block a thread, register the kprobe, and have the
 * calling thread test it. Context: process, may sleep.
 */
void pfm_block_init(struct pfm_context *ctx);

/*
 * Stop using the kprobe for a detached context, which is being destroyed.
 * Context: process, may sleep.
 */
void pfm_block_gone(const struct pfm_context *ctx);

/*
 * Remove the kprobe when the module is unloaded and no perfmon context exists
 * any more. Context: process, may sleep.
 */
void pfm_block_exit(void);

/*
 * Prepare to block the thread to which @ctx is being attached. Context:
 * process, pfm_context.mutex held. Return: 0 or -ENOMEM.
 */
int pfm_block_attach(struct pfm_context *ctx);

/*
 * Release the thread from which @ctx is being detached. Context: process,
 * pfm_context.mutex held, no overflow in progress.
 */
void pfm_block_detach(struct pfm_context *ctx);

/*
 * Block the monitored thread: an irq_work will call pfm_block_request().
 * Context: the caller owns the context.
 */
void pfm_block_want(struct pfm_context *ctx);

/* Queue the task work that blocks. Context: any but NMI, interrupts off. */
void pfm_block_request(struct pfm_context *ctx);

/*
 * Stop blocking; takes effect when the thread is woken. Context: the caller
 * owns the context; or the caller is the monitored thread, at its exit or exec,
 * under RCU.
 */
void pfm_block_end(struct pfm_context *ctx);

/* Wake the thread, which then checks pfm_block.wanted. Context: process. */
void pfm_block_wake(struct pfm_context *ctx);

/* Is the monitored thread blocked? Context: process, pfm_context.mutex held. */
bool pfm_is_blocked(const struct pfm_context *ctx);

#endif /* PFM_CORE_BLOCK_H */
