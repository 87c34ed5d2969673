/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pause.h - excluding overflows during commands
 */
#ifndef PFM_CORE_PAUSE_H
#define PFM_CORE_PAUSE_H

#include <linux/types.h>

struct pfm_context;
struct pfm_many;
struct task_struct;

/*
 * The thread that suspends the machine, until the machine is awake; or NULL.
 * Contexts attached to it and system-wide contexts do not count meanwhile;
 * other threads are frozen anyway.
 */
extern struct task_struct *pfm_suspender;

/*
 * Keep overflows out of @ctx until pfm_resume(), and program the PMU if a
 * switch of sets is pending. Context: process, pfm_context.mutex held, may
 * sleep.
 */
void pfm_pause(struct pfm_context *ctx);

/*
 * Stop the PMU. Context: as pfm_pause(). Return: true if a pfm_pause() that
 * follows will not have to wait.
 */
bool pfm_try_stop(struct pfm_context *ctx);

/*
 * End a pause: start the PMU if @ctx is started, and not suspended. Context:
 * as pfm_pause(). Return: 0, or an error of the PMU.
 */
int pfm_resume(struct pfm_context *ctx);

/*
 * Combine the following pauses into one, which begins with the first
 * pfm_pause() and ends at pfm_end_many(). Context: as pfm_pause(). Return: as
 * pfm_resume().
 */
void pfm_begin_many(struct pfm_context *ctx, const struct pfm_many *many);
int pfm_end_many(struct pfm_context *ctx);

/* Stop, and resume with the context's new state. Context: as pfm_pause(). */
void pfm_pause_and_resume(struct pfm_context *ctx);

/*
 * Call pfm_publish() for the active set, in a command. Takes ownership of the
 * context (owner.c), because an overflow may still be writing the set's page if
 * the context was masked until now.
 * Context: process, pfm_context.mutex held.
 */
void pfm_publish_active(struct pfm_context *ctx);

#endif /* PFM_CORE_PAUSE_H */
