/* SPDX-License-Identifier: GPL-2.0 */
/*
 * idle.h - exclude the idle thread
 */
#ifndef PFM_CORE_IDLE_H
#define PFM_CORE_IDLE_H

#include <linux/types.h>

struct pfm_context;

/*
 * The context is being attached to its CPU: probe the scheduler if one of its
 * sets excludes the idle thread. Context: process, on that CPU,
 * pfm_context.mutex held. Return: 0, or an error of the tracepoint.
 */
int pfm_idle_attach(struct pfm_context *ctx);

/* The context is being detached. Context: process, pfm_context.mutex held. */
void pfm_idle_detach(struct pfm_context *ctx);

/*
 * The CPU of a system-wide context becomes idle or leaves idle. Context:
 * interrupts off, on that CPU, not in NMI.
 */
void pfm_idle_changed(struct pfm_context *ctx, bool idle);

#endif /* PFM_CORE_IDLE_H */
