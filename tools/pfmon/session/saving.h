/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* saving.h - save the buffer of a context, and read its counts */
#ifndef PFMON_SESSION_SAVING_H
#define PFMON_SESSION_SAVING_H

#include "session/context.h"

/*
 * Saves the buffers after a PFM_MSG_OVFL, an exec or context_pause(): copies at
 * least the samples that a restart frees, and restarts. Returns 1 if an image
 * must be recorded, 0 if not, -1, with a message, on failure. Returns 0 if the
 * thread has ended, because its buffer is saved later.
 */
int context_handle_overflow(struct context *context);
int context_save_and_restart(struct context *context, enum smpl_moment moment);

/*
 * Copies the rest of the buffers after context_unload(); returns false without
 * buffers.
 */
bool context_save_rest(struct context *context);

/* Reads the result and the statistics into the context. */
bool context_read_counts(struct context *context);

/* Returns the current statistics. */
struct context_stats context_stats(const struct context *context);

#endif /* PFMON_SESSION_SAVING_H */
