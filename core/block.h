/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block.h - blocking the monitored thread until PFM_RESTART
 */
#ifndef PFM_CORE_BLOCK_H
#define PFM_CORE_BLOCK_H

#include <linux/types.h>

struct pfm_context;

/*
 * A context is being created: if it may block, register the kprobe, and try it.
 * Context: process, may sleep.
 */
void pfm_block_init(struct pfm_context *ctx);

/*
 * A context is being destroyed; it has been detached already. Context: process,
 * may sleep.
 */
void pfm_block_gone(const struct pfm_context *ctx);

/*
 * The module is being unloaded, after its last context. Context: process, may
 * sleep.
 */
void pfm_block_exit(void);

/*
 * The context is being attached to a thread. Context: process,
 * pfm_context.mutex held. Return: 0 or -ENOMEM.
 */
int pfm_block_attach(struct pfm_context *ctx);

/*
 * The context is being detached: release the thread. Context: process,
 * pfm_context.mutex held, no overflow in progress.
 */
void pfm_block_detach(struct pfm_context *ctx);

/*
 * Block the monitored thread, by pfm_block_request() later. Context: the caller
 * owns the context.
 */
void pfm_block_want(struct pfm_context *ctx);

/* Queue the task work that blocks. Context: any but NMI, interrupts off. */
void pfm_block_request(struct pfm_context *ctx);

/*
 * Stop blocking; takes effect when the thread is woken. Context: the caller
 * owns the context; or the thread itself when it cannot overflow any more,
 * preemption off.
 */
void pfm_block_end(struct pfm_context *ctx);

/* Wake the thread; it waits again if still wanted. Context: process. */
void pfm_block_wake(struct pfm_context *ctx);

/* Is the monitored thread blocked? Context: process, pfm_context.mutex held. */
bool pfm_is_blocked(const struct pfm_context *ctx);

#endif /* PFM_CORE_BLOCK_H */
