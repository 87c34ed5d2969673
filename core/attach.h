/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attach.h - attachments; exit and exec of monitored threads
 */
#ifndef PFM_CORE_ATTACH_H
#define PFM_CORE_ATTACH_H

#include <linux/types.h>

struct pfm_context;
struct task_struct;

/*
 * Register the exit and exec probes. Context: process. Return: 0 or an errno.
 */
int pfm_attach_init(void);
void pfm_attach_exit(void);

/*
 * Claim the thread or CPU of pfm_context.target. The thread calls @changed when
 * it exits, and when an exec has removed its perf events. The context is still
 * attached then, and its mutex is held.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EBUSY if it is taken or an attachment of the other kind exists;
 * -ESRCH if the thread is exiting; -ENODEV if the CPU is going offline;
 * -ENOMEM.
 */
int pfm_attach_claim(struct pfm_context *ctx,
		     void (*changed)(struct pfm_context *ctx));

/* Release the thread or CPU. Context: process, pfm_context.mutex held. */
void pfm_attach_release(struct pfm_context *ctx);

/*
 * Get the context of a CPU, or of a thread. Context: process. Return: the
 * context, which the caller must put, or NULL.
 */
struct pfm_context *pfm_attach_get_cpu(unsigned int cpu);
struct pfm_context *pfm_attach_get_thread(const struct task_struct *task);

/*
 * A CPU is going offline. Context: process, on that CPU; may not wait for
 * commands.
 */
void pfm_attach_cpu_gone(unsigned int cpu);

/* Does the calling process hold a descriptor of @ctx? Context: process. */
bool pfm_holds_descriptor(const struct pfm_context *ctx);

#endif /* PFM_CORE_ATTACH_H */
