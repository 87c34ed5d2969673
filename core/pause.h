/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pause.h - commands keep overflows out of a context
 */
#ifndef PFM_CORE_PAUSE_H
#define PFM_CORE_PAUSE_H

#include <linux/types.h>

struct pfm_context;
struct task_struct;

/*
 * The thread that suspends the machine, until it is awake again; or NULL. What
 * is counted for it, or on a CPU, waits. Other threads need nothing: they are
 * frozen.
 */
extern struct task_struct *pfm_suspender;

/*
 * Keep overflows out of @ctx until pfm_resume(). The PMU has the active set
 * then.
 * Context: process, pfm_context.mutex held, may sleep.
 */
void pfm_pause(struct pfm_context *ctx);

/*
 * Count on if @ctx was counting, and need not wait for the machine.
 * Context: as pfm_pause(). Return: 0, or what the PMU says.
 */
int pfm_resume(struct pfm_context *ctx);

/*
 * What follows is one pause, from the first pfm_pause() of it to the end, where
 * pfm_resume() is due.
 * Context: as pfm_pause(), and until pfm_end_many(). Return: as pfm_resume().
 */
void pfm_begin_many(struct pfm_context *ctx);
int pfm_end_many(struct pfm_context *ctx);

/* Stop, and go on as the context is now. Context: as pfm_pause(). */
void pfm_pause_and_resume(struct pfm_context *ctx);

/*
 * pfm_publish() of the active set, from a command. An overflow that is still
 * under way may want to write, too, if the context was masked and no longer is.
 * Context: process, pfm_context.mutex held.
 */
void pfm_publish_active(struct pfm_context *ctx);

#endif /* PFM_CORE_PAUSE_H */
