/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - attaching a context, detaching it, starting and stopping
 */
#ifndef PFM_CORE_LOAD_H
#define PFM_CORE_LOAD_H

#include <linux/types.h>
#include <perfmon/perfmon.h>

struct pfm_context;

/*
 * Check whether a command that needs the PMU may run on this CPU. Context:
 * process, pfm_context.mutex held. Return: 0; -EBUSY if the context is not
 * attached, or if it is system-wide and the caller is not on the monitored CPU;
 * -ENODEV if that CPU has gone offline.
 */
int pfm_check_cpu(const struct pfm_context *ctx);

/*
 * Process PFM_LOAD_CONTEXT, with a pfarg_load_t. If the thread executes another
 * program between the check of the right to attach and the attachment, the
 * right is checked again.
 * Context: process, pfm_context.mutex not held; for a system-wide context, on
 * the CPU to monitor.
 * Return: 0; -EBUSY if the context is already attached, or another context is
 * attached to the thread or CPU, or contexts of the other kind (per-thread or
 * system-wide) are attached; -EINVAL; -ESRCH; -ENODEV; -EPERM; -EINTR if the
 * caller is being killed; an error of the PMU.
 */
int pfm_load_context(struct pfm_context *ctx, void *arg);

/*
 * Attach a new member of a family to the calling thread. Context: process,
 * pfm_context.mutex held. Return: 0; -EBUSY if the thread has a context;
 * -ESRCH if it is exiting; an error of the PMU.
 */
int pfm_load_member(struct pfm_context *ctx, bool user_only, bool trusted);

/*
 * Process PFM_UNLOAD_CONTEXT. This may run on any CPU if the monitored CPU has
 * gone offline. On return the PMU has released everything.
 * Context: process, pfm_context.mutex not held. Return: 0, or -EBUSY as
 * pfm_check_cpu().
 */
int pfm_unload_context(struct pfm_context *ctx);

/*
 * Detach an attached context: stop it, keep its values, and release the thread
 * or CPU. pfm_release_all() must follow. Context: process, pfm_context.mutex
 * held.
 */
void pfm_detach(struct pfm_context *ctx);

/*
 * Act on the exit or exec of the monitored thread, according to PFM_NOTE_*.
 * Context: process, pfm_context.mutex held, attached.
 */
void pfm_thread_changed(struct pfm_context *ctx, int note);

/*
 * Process PFM_START, with the event set and flags of a pfarg_start_t, or with
 * the active set if @arg is NULL. Starting a started context has no effect; a
 * masked context stays masked.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EINVAL if the set or a flag does not exist; as pfm_check_cpu();
 * an error of the PMU.
 */
int pfm_start_monitoring(struct pfm_context *ctx, void *arg);

/*
 * Does this argument of PFM_START, which may be NULL, request a start at an
 * exec?
 */
bool pfm_starts_at_exec(const pfarg_start_t *req);

/*
 * Start an attached context in a place where no error can be returned. A PMD
 * for which no counter is free is recorded as denied; the other PMDs count.
 * Context: process, pfm_context.mutex held.
 */
void pfm_start_or_deny(struct pfm_context *ctx);

/*
 * Process PFM_STOP. Context: process, pfm_context.mutex held. Return: 0, or as
 * pfm_check_cpu().
 */
int pfm_stop_monitoring(struct pfm_context *ctx);

#endif /* PFM_CORE_LOAD_H */
