/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attach.h - who is attached to what, and what becomes of the thread
 */
#ifndef PFM_CORE_ATTACH_H
#define PFM_CORE_ATTACH_H

#include <linux/types.h>

struct pfm_context;
struct task_struct;

/* The probes of exit and exec. Context: process. Return: 0 or an errno. */
int pfm_attach_init(void);
void pfm_attach_exit(void);

/*
 * Claim the thread or CPU of pfm_context.target. A thread calls @changed when
 * it exits, and when an exec has removed its perf events; the context is
 * attached to it then, and its mutex held.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EBUSY if it is taken or an attachment of the other kind exists;
 * -ESRCH if the thread exits; -ENODEV if the CPU goes offline; -ENOMEM.
 */
int pfm_attach_claim(struct pfm_context *ctx,
		     void (*changed)(struct pfm_context *ctx));

/* Let go of what was claimed. Context: process, pfm_context.mutex held. */
void pfm_attach_release(struct pfm_context *ctx);

/*
 * Hold the context of a CPU, or of a thread.
 * Context: process. Return: it, or NULL; pfm_context_put() gives it up.
 */
struct pfm_context *pfm_attach_get_cpu(unsigned int cpu);
struct pfm_context *pfm_attach_get_thread(const struct task_struct *task);

/*
 * A CPU goes offline. Context: process, on that CPU; may not wait for commands.
 */
void pfm_attach_cpu_gone(unsigned int cpu);

/* Has the calling process a descriptor of @ctx? Context: process. */
bool pfm_holds_descriptor(const struct pfm_context *ctx);

#endif /* PFM_CORE_ATTACH_H */
