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
 * Mark code that must not wait for a command, because it runs in the exit or
 * exec of a monitored thread, or in a suspend. lockdep reports a wait for
 * pfm_context.mutex between the two calls. Context: process.
 */
void pfm_begin_hurry(void);
void pfm_end_hurry(void);

/*
 * Lock pfm_context.mutex for a command. If the monitored thread has exited or
 * executed a program while the context was locked, act on that before
 * returning.
 * Context: process.
 */
void pfm_lock(struct pfm_context *ctx);
void pfm_unlock(struct pfm_context *ctx);

/*
 * Act on the exit or exec of the thread, as pfm_lock() does, but return without
 * the lock. Context: process, pfm_context.mutex not held.
 */
void pfm_attach_catch_up(struct pfm_context *ctx);

/* Bits of a note: what the thread has done */
#define PFM_NOTE_EXEC		0x1
#define PFM_NOTE_LOST		0x2	/* its perf events were removed */
#define PFM_NOTE_EXIT		0x4
#define PFM_NOTE_QUIET		0x8	/* see pfm_attach_exit_quietly() */

/*
 * Act on what the thread has done, according to @note. Context: process,
 * pfm_context.mutex held; the context is still attached.
 */
typedef void (*pfm_changed_t)(struct pfm_context *ctx, int note);

/*
 * Claim the thread or CPU of pfm_context.target. The thread calls @changed when
 * it exits, and after an exec that has removed its perf events or for which the
 * context waits (pfm_context.start_at_exec). If the context is locked at that
 * time, the next pfm_lock() calls @changed instead.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EBUSY if the thread or CPU is already claimed, or if an
 * attachment of the other kind (per-thread or system-wide) exists; -ESRCH if
 * the thread is exiting; -ENODEV if the CPU is going offline; -ENOMEM.
 */
int pfm_attach_claim(struct pfm_context *ctx, pfm_changed_t changed);

/* Release the thread or CPU. Context: process, pfm_context.mutex held. */
void pfm_attach_release(struct pfm_context *ctx);

/*
 * The calling thread is exiting: detach @ctx, if it monitors this thread,
 * without queuing PFM_MSG_END. Context: process, pfm_context.mutex not held.
 */
void pfm_attach_exit_quietly(const struct pfm_context *ctx);

/*
 * Get the context of a CPU, or of a thread. Context: process. Return: the
 * context, with a reference, or NULL.
 */
struct pfm_context *pfm_attach_get_cpu(unsigned int cpu);
struct pfm_context *pfm_attach_get_thread(const struct task_struct *task);

/*
 * Find the context of the calling thread. Context: any, under RCU, which
 * protects the context. Return: the context or NULL.
 */
struct pfm_context *pfm_attach_here(void);

/*
 * Find the context of the calling thread, if a new child may inherit from it.
 * Context: as pfm_attach_here(). Return: the context; NULL if there is none, or
 * if the thread has executed a program that the context must not monitor.
 */
struct pfm_context *pfm_attach_to_inherit(void);

/*
 * Have a work item stop the context of a CPU that is going offline. Context:
 * process, on that CPU; must not wait for commands.
 */
void pfm_attach_cpu_gone(unsigned int cpu);

/* Does the calling process hold a descriptor of @ctx? Context: process. */
bool pfm_holds_descriptor(const struct pfm_context *ctx);

#endif /* PFM_CORE_ATTACH_H */
